/** Real processes on our TypeScript: the script is bundled to a file, then run by the node that runs the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { newFolder } from './run.ts';

const bundled = new Map<string, Promise<string>>();

/** Bundles `NAME.ts` of `scripts`, once for all tests of a worker, and returns the file to run. */
export function bundle(name: string, scripts: URL): Promise<string> {
  const file = bundled.get(name) ?? bundleOf(name, scripts);
  bundled.set(name, file);
  return file;
}

async function bundleOf(name: string, scripts: URL): Promise<string> {
  const folder = newFolder();
  // A package that is not bundled is found from here.
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    `${folder}/node_modules`,
  );
  const file = join(folder, `${name}.mjs`);
  const input = fileURLToPath(new URL(`${name}.ts`, scripts));
  await build({
    input,
    platform: 'node',
    external: ['libsql', 'node:sqlite'],
    logLevel: 'warn',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return file;
}

export function start(file: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Waits until the child says `word` on its stdout. */
export async function heard(child: ChildProcess, word: string): Promise<void> {
  let text = '';
  for await (const piece of child.stdout ?? []) {
    text += piece;
    if (text.includes(word)) return;
  }
  throw new Error(`the child ended without saying ${word}: ${text}`);
}

/** The exit code, or the name of the signal that ended the child. */
export async function ended(child: ChildProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode ?? 'unknown';
}
