/** What every run must be, whatever strangers gave it. */
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { exitTable } from '../../src/exit.ts';
import { type RunOptions, type RunResult, run } from '../support/run.ts';

const key = 'key-of-the-fuzzing-that-nobody-may-see-0042';

const exits: ReadonlySet<number> = new Set(Object.values(exitTable).map(({ exit }) => exit));
/** Control characters that a terminal would obey; a line feed is none. */
const obeyed = /[^\P{Cc}\n\r]|[\u202a-\u202e\u2066-\u2069]/u;

/** `joined`: csv beside the columns of an input whose rows may be longer than its header, or badly quoted, and stay so. */
export type Format = 'json' | 'ndjson' | 'csv' | 'table' | 'joined';

/** Runs the program and judges the run: an exit code of the table, no bug, no hang, stdout empty or whole, no key, nothing that a terminal obeys. */
export async function judged(
  argv: readonly string[],
  format: Format,
  options: RunOptions = {},
): Promise<RunResult> {
  const env = { PDI_API_KEY: key, NO_COLOR: '1', ...options.env };
  const result = await run([...argv, '-o', format === 'joined' ? 'csv' : format], {
    terminal: format === 'table',
    ...options,
    env,
  });
  const { code, stdout, stderr } = result;
  expect(exits.has(code), `exit code ${code}`).toBe(true);
  expect(stderr).not.toMatch(/unexpected: |this is a bug|\n {4}at /);
  expect(stderr).not.toMatch(obeyed);
  expect(stdout + stderr).not.toContain(key);
  expectWhole(stdout, format);
  return result;
}

function expectWhole(stdout: string, format: Format): void {
  if (stdout === '') return;
  expect(stdout.endsWith('\n')).toBe(true);
  if (format === 'json') JSON.parse(stdout);
  if (format === 'ndjson') for (const line of stdout.split('\n').slice(0, -1)) JSON.parse(line);
  // A row with another number of cells than the header has throws.
  if (format === 'csv') parse(stdout, { record_delimiter: ['\r\n', '\n'], relax_quotes: true });
  if (format === 'table') expect(stdout).not.toMatch(obeyed);
}
