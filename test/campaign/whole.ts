/** Whether an output is whole, read by other programs than ours; and whether a run leaked, or lost its composure. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { isObject } from '../../src/json/exact.ts';
import type { Check } from './tally.ts';

export const formats = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

/** The records of an output as comparable texts. @throws where it is not whole */
export function recordsOf(format: Format, text: string): readonly string[] {
  if (text === '') return [];
  if (!text.endsWith('\n'))
    throw new Error(`the output ends inside a line: ${JSON.stringify(text.slice(-60))}`);
  if (format === 'ndjson') return text.slice(0, -1).split('\n').map(recast);
  if (format === 'csv') return csvRows(text).map((row) => JSON.stringify(row));
  const value: unknown = JSON.parse(text);
  return (Array.isArray(value) ? value : [value]).map((record) => JSON.stringify(record));
}

const recast = (line: string): string => JSON.stringify(JSON.parse(line));

/** When an answer was fetched is another in each run. */
function csvRows(text: string): readonly unknown[] {
  const rows: Record<string, string>[] = parse(text, { columns: true, relax_column_count: false });
  return rows.map(({ pdi_fetched_at: _fetched, ...row }) => row);
}

/** The status of a row that has no record; undefined for a record. */
export function statusOf(record: string): string | undefined {
  const value: unknown = JSON.parse(record);
  const status = isObject(value) ? value.pdi_status : undefined;
  return typeof status === 'string' && status !== 'ok' ? status : undefined;
}

/** What every end of every run owes: no key, no stack, one error line where it failed and none where it did not. */
export function checkManners(
  check: Check,
  result: { code: number | null; stdout: string; stderr: string },
  format: Format,
  key: string,
): void {
  const { code, stdout, stderr } = result;
  check(
    !stdout.includes(key) && !stderr.includes(key),
    'keys seen',
    `the key is in the output: ${stderr}`,
  );
  check(!/unexpected:|^ {4}at |Unhandled/m.test(stderr), 'broken', `a crash: ${stderr}`);
  const said = stderr.split('\n').filter((line) => line !== '' && !/^[<>*] /.test(line));
  if (format === 'csv') {
    const isOurs = said.every((line) => line.startsWith('pdi: '));
    check(isOurs, 'broken', `stderr is not ours alone: ${stderr}`);
    return;
  }
  const errors = said
    .map((line): unknown => JSON.parse(line))
    .filter((object) => isObject(object) && 'error' in object);
  check(
    errors.length === (code === 0 ? 0 : 1),
    'broken',
    `exit ${code} with ${errors.length} error lines: ${stderr}`,
  );
}

/** All files below `folder` that hold `key`. */
export function filesWith(key: string, folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile() && readFileSync(path, 'utf8').includes(key));
}
