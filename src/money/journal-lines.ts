/** What a journal's lines say. One JSON object a line: first the header, then what was sent and what was answered. */
import { createHmac, randomBytes } from 'node:crypto';
import { pluralize, UsageError } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { isObject } from '../json/parse.ts';
import { type ApiRecord, readRecord } from '../rows/record.ts';
import { type Outcome, type RowStatus, rowStatuses } from '../rows/result-row.ts';
import { type JsonObject, parseObject, stringField } from './stored.ts';

/** What a journal belongs to. A run with another one must not use its answers. */
export interface JournalIdentity {
  readonly command: string;
  readonly operation: string;
  /** In its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** The API key. It is never written, only its hash under a random salt. */
  readonly key: string;
}

/** A line after the header: an item was sent, this became of it, or FILE was written so. */
export type JournalEntry =
  | { readonly file: FileState }
  | { readonly item: string; readonly state: 'sent' }
  | { readonly item: string; readonly state: RowStatus; readonly outcome: Outcome };

/** How every header starts: what a file beside `--out` must start with to be ours. */
export const headerStart = '{"pdi_journal":';

const statuses: ReadonlySet<unknown> = new Set(rowStatuses);
const isStatus = (value: unknown): value is RowStatus => statuses.has(value);

/** The header of a new journal, with its line feed. */
export function headerLine(identity: JournalIdentity, createdAt: Date): string {
  const { command, operation } = identity;
  const salt = randomBytes(16).toString('hex');
  const key = { key_salt: salt, key_hash: fingerprint(identity.key, salt) };
  const header = { pdi_journal: 1, command, operation, base_url: identity.baseUrl, ...key, created_at: createdAt.toISOString() };
  return `${JSON.stringify(header)}\n`;
}

/** In what a journal differs from this run, and how to go on with it: told how many answers in it were bought, or may have been. */
export interface Difference {
  readonly message: string;
  readonly goOn: string;
  /** Nobody knows what is in it: it is not begun anew, though it seems to hold nothing. */
  readonly unreadable?: true;
}

/** Undefined for this run's own journal. `text` is its first line. */
export function differenceIn(path: string, text: string, identity: JournalIdentity): Difference | undefined {
  const header = parseObject(text);
  if (header?.pdi_journal !== 1) {
    const message = `${path} was written by another version of pdi, or its first line is damaged`;
    return { message, goOn: 'use that version, or restore the line', unreadable: true };
  }
  const field = (name: string) => stringField(header, name) ?? 'none';
  const other = (what: string, theirs: string, ours: string, goOn: string): Difference | undefined =>
    theirs === ours ? undefined : { message: `${path} belongs to another ${what}: ${theirs}, not ${ours}`, goOn };
  const sameKey = fingerprint(identity.key, field('key_salt')) === field('key_hash');
  return (
    other('command', field('command'), identity.command, 'choose another --out for this job') ??
    other('operation', field('operation'), identity.operation, 'choose another --out for this job') ??
    other('base URL', field('base_url'), identity.baseUrl, `go on with --base-url ${field('base_url')}`) ??
    (sameKey ? undefined : { message: `${path} belongs to another API key`, goOn: 'go on with the key that it was begun with' })
  );
}

/** The error for a journal that cannot be used, which holds so many answers that were bought, or may have been. */
export function refusal(path: string, { message, goOn }: Pick<Difference, 'message' | 'goOn'>, answers: number): UsageError {
  const discard = `--restart discards it (a file that is there needs --force too): ${pluralize(answers, 'answer')} in it may be billed again`;
  return new UsageError(message, { item: path, hint: `${goOn}; ${discard}` });
}

export const fileLine = (file: FileState): string => `${JSON.stringify({ file })}\n`;

export const sentLine = (item: string): string => `${JSON.stringify({ sent: item })}\n`;

/** The record's own text, so that every digit of it is kept. */
export function answerLine(item: string, { status, error, record }: Outcome): string {
  const line = JSON.stringify({ item, status, error });
  return record === undefined ? `${line}\n` : `${line.slice(0, -1)}${recordStart}${record.text}}\n`;
}

/** Only a key looks like this: within a text each quote has a backslash before it. */
const recordStart = ',"record":';

/** What a line says; undefined when it is torn or none of ours. */
export function readEntry(line: string): JournalEntry | undefined {
  const text = line.trimEnd();
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
  const outcome = { status, error: stringField(object, 'error') };
  if (end === -1) return { item, state: status, outcome };
  const record = text.endsWith('}') ? recordIn(text.slice(end + recordStart.length, -1)) : undefined;
  return record === undefined ? undefined : { item, state: status, outcome: { ...outcome, record } };
}

function fileIn({ size, modified }: JsonObject): FileState | undefined {
  return typeof size === 'number' && typeof modified === 'string' ? { size, modified } : undefined;
}

/** Undefined where the text is no JSON. */
function recordIn(text: string): ApiRecord | undefined {
  try {
    return readRecord(text);
  } catch {
    return undefined;
  }
}

const fingerprint = (key: string, salt: string): string => createHmac('sha256', salt).update(key).digest('hex');
