/** Files and file modes for the configuration's tests. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `config.json` as given; returns its path. */
export function writeConfigFile(folder: string, content: unknown, mode = 0o600): string {
  const file = join(folder, 'config.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return file;
}

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The permission bits: 0o600. */
export const modeOf = (path: string): number => statSync(path).mode & 0o777;
