/** Temporary folders and file modes for the configuration's tests. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pdi-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes `config.json` as given; returns its path. */
export function writeConfigFile(folder: string, content: unknown, mode = 0o600): string {
  const file = join(folder, 'config.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return file;
}

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The permission bits: 0o600. */
export const modeOf = (path: string): number => statSync(path).mode & 0o777;
