/** What a journal's lines say. One JSON object a line: first the header, then what was sent and what was answered. */
import { createHmac, randomBytes } from 'node:crypto';
import type { FileState } from '../disk.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json.ts';
import { type RowStatus, rowStatuses } from '../row.ts';
import { isJson, type JsonObject, parseObject, stringField } from './stored.ts';

/** What a journal belongs to. A run with another one must not use its answers. */
export interface JournalIdentity {
  readonly command: string;
  readonly operation: string;
  /** In its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** The API key. It is never written, only its hash under a random salt. */
  readonly key: string;
}

/** What became of one item. */
export interface ItemOutcome {
  readonly status: RowStatus;
  /** The record's JSON text as received, every digit kept. */
  readonly record?: string | undefined;
  /** One line, where status is not `ok`. */
  readonly error?: string | undefined;
}

/** A line after the header: an item was sent, this became of it, or FILE was written so. */
export type JournalEntry =
  | { readonly file: FileState }
  | { readonly item: string; readonly state: 'sent' }
  | { readonly item: string; readonly state: RowStatus; readonly outcome: ItemOutcome };

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

/** The refusal that says in what the journal at `path` differs from this run; undefined for this run's own. Throws it for a header of no known form. */
export function differenceIn(path: string, text: string, identity: JournalIdentity): UsageError | undefined {
  const header = parseObject(text);
  if (header?.pdi_journal !== 1) throw refusal(path, `${path} was written by another version of pdi, or its first line is damaged`);
  const field = (name: string) => stringField(header, name) ?? 'none';
  const sameKey = fingerprint(identity.key, field('key_salt')) === field('key_hash');
  const difference =
    differs('command', field('command'), identity.command) ??
    differs('operation', field('operation'), identity.operation) ??
    differs('base URL', field('base_url'), identity.baseUrl) ??
    (sameKey ? undefined : 'another API key');
  return difference === undefined ? undefined : refusal(path, `${path} belongs to ${difference}`);
}

const differs = (what: string, theirs: string, ours: string): string | undefined =>
  theirs === ours ? undefined : `another ${what}: ${theirs}, not ${ours}`;

/** The error for a journal that is ours but cannot be used. */
export function refusal(path: string, message: string): UsageError {
  const hint = 'choose another --out, or --restart discards this journal and the answers in it (a file that is there needs --force too)';
  return new UsageError(message, { item: path, hint });
}

export const fileLine = (file: FileState): string => `${JSON.stringify({ file })}\n`;

export const sentLine = (item: string): string => `${JSON.stringify({ sent: item })}\n`;

/** The record travels as received, so every digit of it: as it is where it is an object or array on one line, else as a string. */
export function answerLine(item: string, { status, error, record }: ItemOutcome): string {
  if (record === undefined || !fitsInLine(record)) return `${JSON.stringify({ item, status, error, record })}\n`;
  return `${JSON.stringify({ item, status, error }).slice(0, -1)}${recordStart}${record}}\n`;
}

/** Only a key looks like this: within a text each quote has a backslash before it. */
const recordStart = ',"record":';
const fitsInLine = (json: string): boolean => (json.startsWith('{') || json.startsWith('[')) && !json.includes('\n');

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

/** The record's own text; undefined when it is no JSON. */
function recordIn(text: string): string | undefined {
  const record = text.startsWith('"') ? stringField(parseObject(`{"record":${text}}`) ?? {}, 'record') : text;
  return record !== undefined && isJson(record) ? record : undefined;
}

const fingerprint = (key: string, salt: string): string => createHmac('sha256', salt).update(key).digest('hex');
