/** A journal has one JSON object a line: first the header, then what was sent and what was answered. */
import { createHmac, randomBytes } from 'node:crypto';
import { pluralize, UsageError } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { isObject, readJson } from '../json/parse.ts';
import { type ApiRecord, readRecord, recordsOf } from '../rows/record.ts';
import { type Outcome, type RowStatus, rowStatuses } from '../rows/result-row.ts';
import { type JsonObject, parseObject, stringField } from './stored.ts';

/** A run with another identity must not use the answers of a journal. */
export interface JournalIdentity {
  readonly command: string;
  readonly operation: string;
  /** It is in its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** It is the setting `account`. Where it is set, the key may change. */
  readonly account?: string | undefined;
  /** The API key is never written, only its hash under a random salt. */
  readonly key: string;
}

export type JournalEntry =
  | { readonly item: string; readonly state: 'sent' }
  | { readonly item: string; readonly state: RowStatus; readonly outcome: Outcome }
  | { readonly items: readonly string[]; readonly statuses: readonly (RowStatus | undefined)[] };

/** Since version 2 a line may hold the answers of a whole request. */
const version = 2;
const readable: ReadonlySet<unknown> = new Set([1, version]);

/** Every header starts like this, and so does a file beside `--out` that is ours. */
export const headerStart = '{"pdi_journal":';

const statuses: ReadonlySet<unknown> = new Set(rowStatuses);
const isStatus = (value: unknown): value is RowStatus => statuses.has(value);

export function headerLine(identity: JournalIdentity, createdAt: Date): string {
  const { command, operation, account } = identity;
  const salt = randomBytes(16).toString('hex');
  const key = { key_salt: salt, key_hash: fingerprint(identity.key, salt) };
  const header = {
    pdi_journal: version,
    command,
    operation,
    base_url: identity.baseUrl,
    account,
    ...key,
    created_at: createdAt.toISOString(),
  };
  return `${JSON.stringify(header)}\n`;
}

/** Tells in what a journal differs from this run, and how to go on with it. */
export interface Difference {
  readonly message: string;
  readonly goOn: string;
  /** Nobody knows what is in it, so it is not begun anew, though it seems to hold nothing. */
  readonly unreadable?: true;
}

/** `text` is the first line. Gives undefined for this run's own journal. */
export function differenceIn(path: string, text: string, identity: JournalIdentity): Difference | undefined {
  const header = parseObject(text);
  if (header === undefined || !readable.has(header.pdi_journal)) {
    const message = `${path} was written by another version of pdi, or its first line is damaged`;
    return { message, goOn: 'use that version, or restore the line', unreadable: true };
  }
  const field = (name: string) => stringField(header, name) ?? 'none';
  const other = (what: string, theirs: string, ours: string, goOn: string): Difference | undefined =>
    theirs === ours ? undefined : { message: `${path} belongs to another ${what}: ${theirs}, not ${ours}`, goOn };
  return (
    other('command', field('command'), identity.command, 'choose another --out for this job') ??
    other('operation', field('operation'), identity.operation, 'choose another --out for this job') ??
    other('base URL', field('base_url'), identity.baseUrl, `go on with --base-url ${field('base_url')}`) ??
    accountDifference(path, header, identity)
  );
}

/** A named account is compared by its name, so its key may change. Without a name on both sides, the key is the account. */
function accountDifference(path: string, header: JsonObject, { account, key }: JournalIdentity): Difference | undefined {
  const theirs = stringField(header, 'account');
  if (theirs !== undefined && account !== undefined) {
    if (theirs === account) return undefined;
    return {
      message: `${path} belongs to another account: ${theirs}, not ${account}`,
      goOn: `go on with account ${theirs} (pdi config set account, PDI_ACCOUNT)`,
    };
  }
  if (fingerprint(key, stringField(header, 'key_salt') ?? '') === stringField(header, 'key_hash')) return undefined;
  const goOn = 'go on with the key that it was begun with';
  const named = theirs === undefined ? goOn : `${goOn}, or with account ${theirs} (pdi config set account, PDI_ACCOUNT)`;
  return { message: `${path} belongs to another API key`, goOn: named };
}

/** So many `answers` in the journal were bought, or may have been. */
export function refusal(path: string, { message, goOn }: Pick<Difference, 'message' | 'goOn'>, answers: number): UsageError {
  const discard = `--restart discards it (a file that is there needs --force too): ${pluralize(answers, 'answer')} in it may be billed again`;
  return new UsageError(message, { item: path, hint: `${goOn}; ${discard}` });
}

export const fileLine = (file: FileState): string => `${JSON.stringify({ file })}\n`;

export const sentLine = (item: string): string => `${JSON.stringify({ sent: item })}\n`;

/** The record's own text is written, so that every digit of it is kept. */
export function answerLine(item: string, { status, error, record, source, fetchedAt }: Outcome): string {
  const line = JSON.stringify({ item, status, error, at: fetchedAt, from: source });
  return record === undefined ? `${line}\n` : `${line.slice(0, -1)}${recordStart}${record.text}}\n`;
}

/** Writes the outcomes of a request in one line: each status that is not `ok`, and each record's own text, `null` where there is none. */
export function requestLine(items: readonly string[], outcomes: readonly Outcome[]): string {
  const others: Record<number, Pick<Outcome, 'status' | 'error'>> = {};
  let records = '';
  for (const [at, { status, error, record }] of outcomes.entries()) {
    if (status !== 'ok') others[at] = { status, error };
    records += `${at === 0 ? '' : ','}${record?.text ?? 'null'}`;
  }
  return `${JSON.stringify({ items, others }).slice(0, -1)}${recordsStart}[${records}]}\n`;
}

/** Only a key looks like this, because within a text each quote has a backslash before it. */
const recordStart = ',"record":';
const recordsStart = ',"records":';

/** Gives undefined for a line that is torn or not ours. It does not look at the records of a request. */
export function readEntry(line: string): JournalEntry | { readonly file: FileState } | undefined {
  const text = line.trimEnd();
  if (text.startsWith(requestStart)) return readRequest(text);
  const end = text.indexOf(recordStart);
  const object = parseObject(end === -1 ? text : `${text.slice(0, end)}}`);
  if (object === undefined) return undefined;
  const sent = stringField(object, 'sent');
  if (sent !== undefined) return { item: sent, state: 'sent' };
  const file = isObject(object.file) ? fileIn(object.file) : undefined;
  if (file !== undefined) return { file };
  const item = stringField(object, 'item');
  const { status } = object;
  if (item === undefined || !isStatus(status)) return undefined;
  const fromStore = object.from === 'store' ? ({ source: 'store' } as const) : undefined;
  const outcome = { status, error: stringField(object, 'error'), ...fromStore, fetchedAt: stringField(object, 'at') };
  if (end === -1) return { item, state: status, outcome };
  const record = text.endsWith('}') ? recordIn(text.slice(end + recordStart.length, -1)) : undefined;
  return record === undefined ? undefined : { item, state: status, outcome: { ...outcome, record } };
}

const requestStart = '{"items":[';

interface RequestLine {
  readonly items: readonly string[];
  readonly statuses: readonly (RowStatus | undefined)[];
  readonly errors: readonly (string | undefined)[];
  readonly recordsAt: number;
}

function readRequest(text: string): RequestLine | undefined {
  const end = text.indexOf(recordsStart);
  const object = end === -1 || !text.endsWith(']}') ? undefined : parseObject(`${text.slice(0, end)}}`);
  const { items, others } = object ?? {};
  if (!Array.isArray(items) || !isObject(others)) return undefined;
  const statuses: (RowStatus | undefined)[] = new Array(items.length).fill('ok');
  const errors: (string | undefined)[] = [];
  for (const [at, other] of Object.entries(others)) {
    const { status } = isObject(other) ? other : {};
    statuses[Number(at)] = isStatus(status) ? status : undefined;
    if (isObject(other)) errors[Number(at)] = stringField(other, 'error');
  }
  return { items: items.map(String), statuses, errors, recordsAt: end + recordsStart.length };
}

/** Gives what a line says of each item, which is nothing where it is damaged. */
export function readAnswers(line: string): ReadonlyMap<string, Outcome> {
  const text = line.trimEnd();
  const entry = text.startsWith(requestStart) ? undefined : readEntry(text);
  if (entry !== undefined && 'outcome' in entry) return new Map([[entry.item, entry.outcome]]);
  const request = readRequest(text);
  const records = request === undefined ? undefined : recordsIn(text.slice(request.recordsAt, -1));
  if (request === undefined || records?.length !== request.items.length) return new Map();
  const outcomes = request.items.map((item, at): readonly [string, Outcome] | undefined => {
    const [status, error, record] = [request.statuses[at], request.errors[at], records[at]];
    return status === undefined ? undefined : [item, { status, error, ...(record?.value !== null && { record }) }];
  });
  return new Map(outcomes.filter((outcome) => outcome !== undefined));
}

function fileIn({ size, modified }: JsonObject): FileState | undefined {
  return typeof size === 'number' && typeof modified === 'string' ? { size, modified } : undefined;
}

function recordIn(text: string): ApiRecord | undefined {
  try {
    return readRecord(text);
  } catch {
    return undefined;
  }
}

function recordsIn(text: string): readonly ApiRecord[] | undefined {
  try {
    return recordsOf(readJson(text));
  } catch {
    return undefined;
  }
}

const fingerprint = (key: string, salt: string): string => createHmac('sha256', salt).update(key).digest('hex');
