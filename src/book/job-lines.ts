/** `FILE.journal` has one JSON object a line: first whose job it is, then what was sent and answered, and how FILE was left. */
import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { pluralize, UsageError } from '../errors.ts';
import { isNestedTooDeep } from '../json/depth.ts';
import { type ApiRecord, readRecord } from '../rows/record.ts';
import { type Outcome, type RowStatus, rowStatuses } from '../rows/result-row.ts';
import type { Owner } from './owner.ts';

/** A run with another identity must not use the answers of a journal. */
export interface JobIdentity extends Owner {
  readonly command: string;
  readonly operation: string;
}

/** How far a free job has come: FILE has so many bytes of so many rows of the input, whose texts have this hash. */
const progressShape = z.object({
  rows: z.number(),
  bytes: z.number(),
  hash: z.string(),
  layout: z.string(),
  tally: z.record(z.enum(rowStatuses), z.number()),
});
export type JobProgress = z.infer<typeof progressShape>;

const fileShape = z.object({ size: z.number(), modified: z.string() });
const version = 1;

/** Every header starts like this, and so does a file beside `--out` that is ours. */
export const headerStart = '{"pdi_journal":';

const headerShape = z.object({
  pdi_journal: z.number(),
  command: z.string(),
  operation: z.string(),
  base_url: z.string(),
  account: z.optional(z.string()),
  key_salt: z.string(),
  key_hash: z.string(),
});

/** The order decides: a line is what its first fitting shape says. */
const lineShape = z.union([
  z.object({
    item: z.string(),
    status: z.enum(rowStatuses),
    error: z.optional(z.string()),
    at: z.optional(z.string()),
    from: z.optional(z.literal('book')),
  }),
  z.object({ sent: z.string() }),
  z.object({ file: fileShape }),
  z.object({ progress: progressShape }),
]);

export type JobEntry =
  | { readonly item: string; readonly state: RowStatus | 'sent'; readonly outcome: Outcome }
  | { readonly file: z.infer<typeof fileShape> }
  | { readonly progress: JobProgress };

export const jobLine = (content: object): string => `${JSON.stringify(content)}\n`;

export const sentLine = (item: string): string => jobLine({ sent: item });

/** The record's own text is written, so that every digit of it is kept. */
export function answerLine(item: string, { status, error, record, source, fetchedAt }: Outcome): string {
  const line = JSON.stringify({ item, status, error, at: fetchedAt, ...(source === 'book' && { from: source }) });
  return record === undefined ? `${line}\n` : `${line.slice(0, -1)}${recordStart}${record.text}}\n`;
}

/** Only a key looks like this, because within a text each quote has a backslash before it. */
const recordStart = ',"record":';

/** Gives undefined for a line that is torn or not ours. */
export function readEntry(line: string): JobEntry | undefined {
  const text = line.trimEnd();
  const end = text.indexOf(recordStart);
  const { success, data } = z.safeParse(lineShape, parsed(end === -1 ? text : `${text.slice(0, end)}}`));
  if (!success) return undefined;
  if (!('item' in data))
    return 'sent' in data ? { item: data.sent, state: 'sent', outcome: { status: 'unknown', error: lostAnswer } } : data;
  const { item, status, error, at: fetchedAt, from: source } = data;
  const outcome = { status, error, fetchedAt, source };
  if (end === -1) return { item, state: status, outcome };
  const record = text.endsWith('}') ? recordIn(text.slice(end + recordStart.length, -1)) : undefined;
  return record === undefined ? undefined : { item, state: status, outcome: { ...outcome, record } };
}

const lostAnswer =
  'sent earlier, the answer was lost: it may have been billed (--retry-unknown sends it again, which may be billed a second time)';

function recordIn(text: string): ApiRecord | undefined {
  try {
    return readRecord(text);
  } catch {
    return undefined;
  }
}

/** Gives undefined for a text that is torn, is no JSON, or is nested deeper than we ever wrote. */
function parsed(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isWhole = (text: string): boolean => parsed(text) !== undefined;

export function headerLine({ command, operation, baseUrl, account, key }: JobIdentity): string {
  const salt = randomBytes(16).toString('hex');
  const owner = { base_url: baseUrl, account, key_salt: salt, key_hash: fingerprint(key, salt) };
  return jobLine({ pdi_journal: version, command, operation, ...owner });
}

/** Tells in what a journal differs from this run, and how to go on with it. */
export interface Difference {
  readonly message: string;
  readonly goOn: string;
  /** Nobody knows what is in it, so it is not begun anew, though it seems to hold nothing. */
  readonly unreadable?: true;
}

/** `text` is the first line. Gives undefined for this run's own journal. */
export function differenceIn(path: string, text: string, identity: JobIdentity): Difference | undefined {
  const { success, data } = z.safeParse(headerShape, parsed(text));
  if (!success || data.pdi_journal !== version) {
    const message = `${path} was written by another version of pdi, or its first line is damaged`;
    return { message, goOn: 'use that version, or restore the line', unreadable: true };
  }
  const other = (what: string, theirs: string, ours: string, goOn: string): Difference | undefined =>
    theirs === ours ? undefined : { message: `${path} belongs to another ${what}: ${theirs}, not ${ours}`, goOn };
  return (
    other('command', data.command, identity.command, 'choose another --out for this job') ??
    other('operation', data.operation, identity.operation, 'choose another --out for this job') ??
    other('base URL', data.base_url, identity.baseUrl, `go on with --base-url ${data.base_url}`) ??
    accountDifference(path, data, identity)
  );
}

/** A named account is compared by its name, so its key may change. Without a name on both sides, the key is the account. */
function accountDifference(path: string, header: z.infer<typeof headerShape>, { account, key }: JobIdentity): Difference | undefined {
  const theirs = header.account;
  if (theirs !== undefined && account !== undefined) {
    if (theirs === account) return undefined;
    return {
      message: `${path} belongs to another account: ${theirs}, not ${account}`,
      goOn: `go on with account ${theirs} (pdi config set account, PDI_ACCOUNT)`,
    };
  }
  if (fingerprint(key, header.key_salt) === header.key_hash) return undefined;
  const goOn = 'go on with the key that it was begun with';
  const named = theirs === undefined ? goOn : `${goOn}, or with account ${theirs} (pdi config set account, PDI_ACCOUNT)`;
  return { message: `${path} belongs to another API key`, goOn: named };
}

/** So many `answers` in the journal were bought, or may have been. */
export function refusal(path: string, { message, goOn }: Pick<Difference, 'message' | 'goOn'>, answers: number): UsageError {
  const discard = `--restart discards it (a file that is there needs --force too): ${pluralize(answers, 'answer')} in it may be billed again`;
  return new UsageError(message, { item: path, hint: `${goOn}; ${discard}` });
}

const fingerprint = (key: string, salt: string): string => createHmac('sha256', salt).update(key).digest('hex');
