/** LibreOffice, alike on every machine: with a profile of its own, in no locale of the user, and with an end. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newFolder } from './run.ts';

/** Without a profile that it can read, as behind a blank that is written as a blank, it waits for ever. */
const profile = pathToFileURL(join(newFolder(), 'profile'));

/** Has it write files in another format into `folder`. */
export function byOffice(
  files: readonly string[],
  format: string,
  folder: string,
  ...more: readonly string[]
): void {
  // Without a file it would wait for a person.
  if (files.length === 0) return;
  const words = [
    '--headless',
    `-env:UserInstallation=${profile}`,
    ...more,
    '--convert-to',
    format,
    '--outdir',
    folder,
    ...files,
  ];
  execFileSync('soffice', words, {
    stdio: 'ignore',
    timeout: 110_000,
    env: { ...process.env, LC_ALL: 'C' },
  });
}
