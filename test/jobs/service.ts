/** What the tests of whole jobs share: a sandbox or an origin for one test, files, and what a run said on stderr. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished } from 'vitest';
import { readLedger } from '../../src/money/spend.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { type Answer, type Handler, type Origin, startOrigin } from '../support/origin.ts';
import { newFolder, type RunOptions, type RunResult, run } from '../support/run.ts';

/** A sandbox for the test that asks. */
export async function sandboxed(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** An origin for the test that asks. */
export async function origin(handler: Handler): Promise<Origin> {
  const started = await startOrigin(handler);
  onTestFinished(() => started.close());
  return started;
}

/** Runs a command against a service with the key that a sandbox takes. */
export function against({ baseUrl }: { readonly baseUrl: string }, argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return run(argv, { ...options, env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: 'sandbox-key-full', ...options.env } });
}

/** A file of this text in a folder of its own. */
export function fileOf(name: string, text: string | Uint8Array): string {
  const path = join(newFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** A file of identifiers, one a line. */
export const linesFile = (identifiers: readonly string[]): string => fileOf('ids.txt', `${identifiers.join('\n')}\n`);

/** A file that does not exist yet. */
export const newFile = (name = 'out.csv'): string => join(newFolder(), name);

/** `per_sample1` and so on: persons that the sandbox has, in its default size up to 120. */
export const personIds = (count: number, from = 1): string[] => Array.from({ length: count }, (_, index) => `per_sample${index + from}`);

/** The rows of CSV text by column name, as a program other than ours reads them. */
export function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const rows: unknown = parse(text, { columns: true, bom: true, relax_column_count: false });
  return Array.isArray(rows) ? rows : [];
}

export const rowsIn = (path: string): readonly Readonly<Record<string, string>>[] => rowsOf(readFileSync(path, 'utf8'));

export const statusesIn = (path: string): readonly (string | undefined)[] => rowsIn(path).map(({ pdi_status }) => pdi_status);

/** The JSON objects on stderr. */
export const saidBy = ({ stderr }: { readonly stderr: string }): readonly unknown[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

/** Expects a one-line mistake: exit code, nothing on stdout, one JSON error with these words. */
export function expectMistake(result: RunResult, code: number, words: string | RegExp): void {
  expect(result.stdout).toBe('');
  expect(saidBy(result)).toEqual([{ error: expect.objectContaining({ message: expect.stringMatching(words), billed: 'no' }) }]);
  expect(result.code).toBe(code);
}

/** What the ledger of a home says: item and outcome of each call. */
export async function ledgerOf({ home }: { readonly home: string }): Promise<readonly (readonly [string | undefined, string])[]> {
  const calls: [string | undefined, string][] = [];
  for await (const { item, outcome } of readLedger(join(home, 'state', 'pdi'))) calls.push([item, outcome]);
  return calls;
}

/** A profile as small as the document allows. */
export const profile = (path: string): Answer => ({ json: { person_id: idIn(path), full_name: `Name of ${idIn(path)}` } });

/** The id at the end of a path. */
export const idIn = (path: string): string => decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));

/** The items of a resolve request. */
export function itemsIn(body: string): readonly Readonly<Record<string, unknown>>[] {
  const request: unknown = JSON.parse(body);
  if (typeof request !== 'object' || request === null || !('to_resolve' in request) || !Array.isArray(request.to_resolve)) return [];
  return request.to_resolve;
}

/** The documented answer to one item: the person whose id is made of the value. */
export const groupOf = (query: Readonly<Record<string, unknown>>) => ({
  query,
  matches: [{ person_id: `per_${Object.values(query)[0]}` }],
});

export const malformed: Answer = { status: 422, json: { errorCode: 'VALIDATION_ERROR', message: 'an item is malformed' } };
