/** What tests of the program share: a service for one test, the program that asks it, files, and readers of what it said. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { openBookFile } from '../../src/book/book-file.ts';
import { attempt } from '../../src/errors.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { isObject } from '../../src/json/exact.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { gate } from './later.ts';
import { type Answer, type Handler, type Origin, startOrigin } from './origin.ts';
import { idIn, profile } from './records.ts';
import { newFolder, type RunOptions, type RunResult, run } from './run.ts';

/** One command line: words, or a text that is split at its spaces. */
export type Pdi = (argv: string | readonly string[], options?: RunOptions) => Promise<RunResult>;

/** The key that commands of the tests send to an origin; its last four characters may be shown. */
export const key = 'key-of-the-tests-that-nobody-may-see-0042';

/** The program without any service. */
export const pdi: Pdi = (argv, options) =>
  run(typeof argv === 'string' ? argv.split(' ') : argv, options);

const boundTo =
  ({ baseUrl }: { readonly baseUrl: string }, apiKey: string, home?: string): Pdi =>
  (argv, options) =>
    pdi(argv, {
      ...(home !== undefined && { home }),
      ...options,
      env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: apiKey, ...options?.env },
    });

/** Runs a command against a service with the key that a sandbox takes, in a home of its own. */
export const against = (
  service: { readonly baseUrl: string },
  argv: readonly string[],
  options?: RunOptions,
): Promise<RunResult> => boundTo(service, 'sandbox-key-full')(argv, options);

/** A service for one test, and the program that asks it: all its runs have one home. */
export interface Served<S> {
  readonly service: S;
  readonly pdi: Pdi;
  readonly home: string;
}

function served<S extends { readonly baseUrl: string }>(service: S, apiKey: string): Served<S> {
  const home = newFolder();
  return { service, pdi: boundTo(service, apiKey, home), home };
}

/** The same with the answers kept that are bought, as a user has it: the other tests turn that off. */
export async function keeping<S extends { readonly pdi: Pdi }>(
  serving: Promise<S>,
  env: RunOptions['env'] = {},
): Promise<S> {
  const served = await serving;
  const pdi: Pdi = (argv, options) =>
    served.pdi(argv, { ...options, env: { PDI_MAX_AGE: '12h', ...env, ...options?.env } });
  return { ...served, pdi };
}

/** A sandbox whose day stands still. */
export const stillSandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
  startSandbox({ today: landmarks.signalDates.last, ...options });

/** One for this test. */
export async function sandboxed(options: SandboxOptions = {}): Promise<Sandbox> {
  const service = await stillSandbox(options);
  onTestFinished(() => service.stop());
  return service;
}

/** The ids that a sandbox billed, in the order of the ids. */
export const billedBy = ({ bill }: Pick<Sandbox, 'bill'>): readonly string[] =>
  bill()
    .map(({ item }) => item)
    .sort();

/** A sandbox for this test, and the program that asks it with the full key. */
export async function sandbox(options: SandboxOptions = {}): Promise<Served<Sandbox>> {
  const service = await sandboxed(options);
  return served(service, service.keys.full);
}

/** An origin for this test that answers as told. */
export async function answering(handler: Handler): Promise<Origin> {
  const service = await startOrigin(handler);
  onTestFinished(() => service.close());
  return service;
}

/** A service of persons that answers `good` calls well and all after them with `refusal`, until it is opened. */
export async function closing(good: number, refusal: Answer) {
  let left = good;
  const served = await origin(({ path }) => {
    left -= 1;
    return left >= 0 ? profile(path) : refusal;
  });
  const asked = () => served.service.requests.map(({ path }) => idIn(path));
  const open = () => {
    left = Number.POSITIVE_INFINITY;
  };
  const close = () => {
    left = 0;
  };
  return { ...served, asked, open, close };
}

/** One whose first answer waits until it is told to come; later ones come at once. `asked` resolves at the first request. */
export async function slowAtFirst(handler: Handler) {
  const { opened: released, open: release } = gate();
  const { opened: asked, open: arrived } = gate();
  const served = await origin(async (...request) => {
    arrived();
    await released;
    return handler(...request);
  });
  return { ...served, asked, release };
}

/** An origin for this test that answers as told, and the program that asks it. */
export async function origin(handler: Handler): Promise<Served<Origin>> {
  const service = await answering(handler);
  return served(service, key);
}

/** The key header of each request that an origin saw. */
export const keysSeen = ({ requests }: Origin): readonly unknown[] =>
  requests.map(({ headers }) => headers['x-api-key']);

/** A file of this text in a folder of its own. */
export function fileOf(name: string, text: string | Uint8Array): string {
  const path = join(newFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** A file of identifiers, one a line. */
export const linesFile = (identifiers: readonly string[]): string =>
  fileOf('ids.txt', `${identifiers.join('\n')}\n`);

/** A file that does not exist yet; its name asks for no format. */
export const newFile = (name = 'out'): string => join(newFolder(), name);

/** The records of NDJSON text. */
export const recordsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line));

export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '');

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new Error(`expected an object, found ${JSON.stringify(value)}`);
  return value;
}

/** stdout as one JSON object. */
export const objectOf = ({ stdout }: RunResult): Readonly<Record<string, unknown>> =>
  asRecord(JSON.parse(stdout));

/** stdout as one JSON array of objects. */
export function arrayOf({ stdout }: RunResult): readonly Readonly<Record<string, unknown>>[] {
  const value: unknown = JSON.parse(stdout);
  if (!Array.isArray(value)) throw new Error(`expected an array, found ${stdout}`);
  return value.map(asRecord);
}

/** The rows of CSV text by column name, as a program other than ours reads them. */
export function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const rows: unknown = parse(text, { columns: true, bom: true, relax_column_count: false });
  return Array.isArray(rows) ? rows : [];
}

/** Some columns of CSV text, a text a row: `per_1 | ok`. */
export const cellsOf = (text: string, ...names: readonly string[]): readonly string[] =>
  rowsOf(text).map((row) => names.map((name) => row[name]).join(' | '));

export const rowsIn = (path: string): readonly Readonly<Record<string, string>>[] =>
  rowsOf(readFileSync(path, 'utf8'));

export const statusesOf = (text: string): readonly (string | undefined)[] =>
  rowsOf(text).map(({ pdi_status }) => pdi_status);

export const statusesIn = (path: string): readonly (string | undefined)[] =>
  statusesOf(readFileSync(path, 'utf8'));

/** Gives the cells of a csv without the time of fetching, which is another at each call. */
export function cellsButFetchedAt(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = parse(csv, {
    relax_column_count: true,
    delimiter: csv.split('\n', 1)[0]?.includes(';') ? ';' : ',',
  });
  const at = rows[0]?.indexOf('pdi_fetched_at') ?? -1;
  return rows.map((row) => row.filter((_cell, place) => place !== at));
}

/** The JSON objects on stderr, one a line. */
export const saidBy = ({
  stderr,
}: {
  readonly stderr: string;
}): readonly Readonly<Record<string, unknown>>[] =>
  linesOf(stderr).map((line) => asRecord(JSON.parse(line)));

/** What the one object on stderr that has this name says under it. */
function onlyOne(
  name: string,
  result: Pick<RunResult, 'stderr'>,
): Readonly<Record<string, unknown>> {
  const found = saidBy(result).filter((object) => name in object);
  expect(found, result.stderr).toHaveLength(1);
  return asRecord(found[0]?.[name]);
}

/** In this order, no more and no less. */
export const errorKeys = [
  'code',
  'message',
  'status',
  'errorCode',
  'item',
  'billed',
  'retryable',
  'hint',
];

/** Every line of stderr is one JSON object, and exactly one is an error: that one, with no key more or less than promised. */
export function errorOf(result: RunResult): Readonly<Record<string, unknown>> {
  const error = onlyOne('error', result);
  expect(Object.keys(error)).toEqual(errorKeys);
  expect(String(error.message)).not.toMatch(/\n|^\s|\s$/);
  return error;
}

/** The summary of a job on stderr. */
export const summaryOf = (result: Pick<RunResult, 'stderr'>): Readonly<Record<string, unknown>> =>
  onlyOne('summary', result);

/** Expects a one-line mistake: exit code, nothing on stdout, one JSON error with these words. */
export function expectMistake(result: RunResult, code: number, words: string | RegExp): void {
  expect(result.stdout).toBe('');
  expect(saidBy(result)).toEqual([
    { error: expect.objectContaining({ message: expect.stringMatching(words), billed: 'no' }) },
  ]);
  expect(result.code).toBe(code);
}

/** Expects a mistake that is told before any request to a sandbox: exit 2, nothing on stdout, these words or this error. */
export async function expectRefused(
  argv: string | readonly string[],
  told: string | object,
  options?: RunOptions,
): Promise<void> {
  const { service, pdi } = await sandbox();
  const result = await pdi(argv, options);
  expect({ code: result.code, stdout: result.stdout, sent: service.requests() }).toEqual({
    code: 2,
    stdout: '',
    sent: {},
  });
  const error = typeof told === 'string' ? { message: expect.stringContaining(told) } : told;
  expect(errorOf(result)).toMatchObject({ code: 'usage', billed: 'no', ...error });
}

/** Nobody can say of a call whose price is not stated that it was lost. */
const callsSql = `SELECT item, CASE WHEN billing = 'unstated' AND outcome IN ('lost', 'settled') THEN 'unpriced' ELSE outcome END AS outcome
  FROM call ORDER BY id`;
const callRow = z.object({ item: z.nullable(z.string()), outcome: z.string() });

/** What the book of a home says: item and outcome of each call, in the order in which they were sent. A call under way is `sent`. */
export async function callsOf({
  home,
}: {
  readonly home: string;
}): Promise<readonly (readonly [string | undefined, string])[]> {
  const path = join(home, 'state', 'pdi', 'book.db');
  const file = existsSync(path)
    ? await openBookFile({ path, patienceMs: 1000, clock: Date.now, notice: () => {} })
    : undefined;
  const calls = file?.rows(callRow, callsSql) ?? [];
  file?.close();
  return calls.map(({ item, outcome }) => [item ?? undefined, outcome] as const);
}

/** Changes the book of a home by hand, as no run does. */
export async function spoilBook({ home }: { readonly home: string }, sql: string): Promise<void> {
  const open = await sqliteEngine();
  const database = open(join(home, 'state', 'pdi', 'book.db'));
  database.exec(sql);
  database.close();
}

/** Frees what nothing refers to any more, at once. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  collector ??= runInNewContext('gc');
  if (typeof collector === 'function') collector();
}
let collector: unknown;

/** libsql closes a database when its statements are collected. A process that ends does so by itself. */
export async function booksAreClosed(): Promise<void> {
  let before = -1;
  for (let round = 0; round < 3; round += 1) {
    const open = openBooks();
    if (open === 0 || open === before) return;
    before = open;
    collectGarbage();
    await setImmediate();
  }
}

const descriptors = '/proc/self/fd';

/** How many files of books this process has open; no number where the system does not tell. */
const openBooks = (): number =>
  attempt(() => readdirSync(descriptors))?.filter((name) =>
    attempt(() => readlinkSync(join(descriptors, name)))?.includes('.db'),
  ).length ?? Number.NaN;

/** All bytes that the program remembers in a home, as text. */
export async function remembered({ home }: { readonly home: string }): Promise<string> {
  await booksAreClosed();
  return readdirSync(join(home, 'state'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, 'state', name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}
