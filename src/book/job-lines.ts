/** The lines of `FILE.journal`, and the index of them: the state of each item and the place of its answer, never the answer itself. */
import { isUtf8 } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { attempt, PdiError, pluralize, UsageError } from '../errors.ts';
import { type FileState, journalStart, writeWhole } from '../files/private.ts';
import { isNestedTooDeep } from '../json/exact.ts';
import { asRepeated, type Outcome, type RowStatus, readRecord, rowStatuses } from '../rows/row.ts';
import type { Owner } from './calls.ts';

export interface JobIdentity extends Owner {
  readonly command: string;
  readonly operation: string;
}

const version = 1;

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
  z.object({ unsent: z.string() }),
  z.object({
    file: z.object({ size: z.number(), modified: z.string() }),
    has_data: z.boolean(),
    settled: z.number(),
    finished: z.boolean(),
  }),
]);

/** What a run that wrote FILE says of its rows. */
export interface RowsOfFile {
  /** Some row has data, so that another job needs leave to replace it. */
  readonly has_data: boolean;
  /** So many need not be asked again. */
  readonly settled: number;
  /** None was left to ask. */
  readonly finished: boolean;
}

type LeftFile = { readonly file: FileState } & RowsOfFile;
type JobEntry =
  | { readonly unsent: string }
  | { readonly item: string; readonly outcome: Outcome }
  | LeftFile;

export const jobLine = (content: object): string => `${JSON.stringify(content)}\n`;

/** The record's own text keeps every digit. */
export function answerLine(
  item: string,
  { status, error, record, source, fetchedAt }: Outcome,
): string {
  const line = JSON.stringify({
    item,
    status,
    error,
    at: fetchedAt,
    ...(source === 'book' && { from: source }),
  });
  return record === undefined
    ? `${line}\n`
    : `${line.slice(0, -1)}${recordStart}${record.asSent}}\n`;
}

/** Within a text each quote has a backslash before it, so only a key looks like this. */
const recordStart = ',"record":';

/** Undefined for a damaged line: where another program has written it anew, the record of a good row may not be found in it. */
export function readEntry(line: string): JobEntry | undefined {
  const text = line.trimEnd();
  const end = text.indexOf(recordStart);
  const { success, data } = z.safeParse(
    lineShape,
    parsed(end === -1 ? text : `${text.slice(0, end)}}`),
  );
  if (!success) return undefined;
  if ('sent' in data) return { item: data.sent, outcome: { status: 'unknown', error: lostAnswer } };
  if (!('item' in data)) return data;
  const { item, status, error, at: fetchedAt, from: source } = data;
  const outcome = { status, error, fetchedAt, source };
  if (end === -1) return status === 'ok' ? undefined : { item, outcome };
  const record = text.endsWith('}')
    ? attempt(() => readRecord(text.slice(end + recordStart.length, -1)))
    : undefined;
  return record === undefined ? undefined : { item, outcome: { ...outcome, record } };
}

const lostAnswer =
  'sent earlier, the answer was lost: it may have been billed (--retry-unknown sends it again, which may be billed a second time)';

const parsed = (text: string): unknown =>
  isNestedTooDeep(text) ? undefined : attempt<unknown>(() => JSON.parse(text));

export function headerLine({ command, operation, baseUrl, account, key }: JobIdentity): string {
  const salt = randomBytes(16).toString('hex');
  const owner = { base_url: baseUrl, account, key_salt: salt, key_hash: fingerprint(key, salt) };
  return jobLine({ pdi_journal: version, command, operation, ...owner });
}

interface Difference {
  readonly message: string;
  readonly goOn: string;
  /** Nobody knows what is in it, so it is not begun anew, though it seems to hold nothing. */
  readonly unreadable?: true;
}

/** Undefined for this run's own journal. Accounts that both have a name may change their keys; otherwise the key is the account. */
function differenceIn(path: string, text: string, identity: JobIdentity): Difference | undefined {
  const { success, data } = z.safeParse(headerShape, parsed(text));
  if (!success || data.pdi_journal !== version) {
    const message = `${path} was written by another version of pdi, or its first line is damaged`;
    return { message, goOn: 'use that version, or restore the line', unreadable: true };
  }
  const other = (
    what: string,
    theirs: string,
    ours: string,
    goOn: string,
  ): Difference | undefined =>
    theirs === ours
      ? undefined
      : { message: `${path} belongs to another ${what}: ${theirs}, not ${ours}`, goOn };
  const job =
    other('command', data.command, identity.command, 'choose another --out for this job') ??
    other('operation', data.operation, identity.operation, 'choose another --out for this job') ??
    other('base URL', data.base_url, identity.baseUrl, `go on with --base-url ${data.base_url}`);
  if (job !== undefined) return job;
  const { account, key_salt, key_hash } = data;
  const named = `with account ${account} (pdi config set account, PDI_ACCOUNT)`;
  if (account !== undefined && identity.account !== undefined)
    return other('account', account, identity.account, `go on ${named}`);
  if (fingerprint(identity.key, key_salt) === key_hash) return undefined;
  const goOn = `go on with the key that it was begun with${account === undefined ? '' : `, or ${named}`}`;
  return { message: `${path} belongs to another API key`, goOn };
}

function refusal(path: string, { message, goOn }: Difference, answers: number): UsageError {
  const discard = `--restart discards it (a file that is there needs --force too): ${pluralize(answers, 'answer')} in it may be billed again`;
  return new UsageError(message, { item: path, hint: `${goOn}; ${discard}` });
}

const fingerprint = (key: string, salt: string): string =>
  createHmac('sha256', salt).update(key).digest('hex');

interface JournaledItem {
  readonly status: RowStatus;
  readonly offset: number;
  readonly length: number;
  /** Failures of this run are final for it; those of an earlier run are asked again. */
  readonly thisRun: boolean;
  /** What is true again once it turns out that this was not sent. */
  readonly before?: JournaledItem | undefined;
  claimed?: boolean;
}

/** These statuses stand for an answer, which no run asks for again. */
const isBought = ({ status }: JournaledItem): boolean =>
  status === 'ok' || status === 'not_found' || status === 'invalid';
/** A later run could use it, or must be careful of it. */
const isWorthKeeping = (entry: JournaledItem): boolean =>
  isBought(entry) || entry.status === 'unknown';

export class JobIndex {
  private readonly entries = new Map<string, JournaledItem>();
  /** How earlier runs left FILE. */
  files: readonly LeftFile[] = [];

  constructor(
    protected readonly fileDescriptor: number,
    private readonly retryUnknown: boolean,
  ) {}

  /** `offset`: where the last good line ends. @throws UsageError for another job's journal that is not empty, or one that is damaged */
  async load(path: string, identity: JobIdentity, restart = false) {
    refuseForeignFile(path, this.fileDescriptor);
    if (restart) ftruncateSync(this.fileDescriptor, 0);
    let end = { offset: 0, ended: true };
    let difference: Difference | undefined;
    let broken: FileLine | undefined;
    let othersFollow = false;
    for await (const line of linesOf(this.fileDescriptor)) {
      if (line.text.trim() === '') continue;
      othersFollow ||= broken !== undefined;
      const isHeader =
        line.number === 1 ||
        (line.text.startsWith(journalStart) && this.count(isWorthKeeping) === 0);
      const good =
        line.isUtf8 && (isHeader ? line.ended || parsed(line.text) !== undefined : this.take(line));
      if (good && isHeader) {
        difference = differenceIn(path, line.text, identity);
        this.forgetFile();
      }
      if (!good) broken ??= line;
      else if (broken === undefined)
        end = { offset: line.offset + line.length + (line.ended ? 1 : 0), ended: line.ended };
    }
    const kept = this.count(isWorthKeeping);
    const damage = `${path}, line ${broken?.number}: the line is damaged, and others follow it`;
    const objection =
      difference ?? (othersFollow ? { message: damage, goOn: 'restore the line' } : undefined);
    const isHarmless = !othersFollow && kept === 0 && difference?.unreadable !== true;
    if (objection !== undefined && !isHarmless) throw refusal(path, objection, kept);
    const isOurs = end.offset > 0 && difference === undefined;
    if (!isOurs) this.forgetFile();
    return { ...end, isOurs };
  }

  /** A later line without an answer never hides an answer that was bought. */
  protected note(item: string, entry: JournaledItem): void {
    const before = this.entries.get(item);
    if (before !== undefined && isBought(before) && !isBought(entry)) return;
    this.entries.set(
      item,
      before === undefined || isBought(entry)
        ? entry
        : { ...entry, before: { ...before, before: undefined } },
    );
  }

  protected takeBack(item: string): void {
    const entry = this.entries.get(item);
    if (entry === undefined || entry.status !== 'unknown') return;
    if (entry.before === undefined) this.entries.delete(item);
    else this.entries.set(item, entry.before);
  }

  find(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    if (entry === undefined || this.isAskedAgain(entry)) return undefined;
    entry.claimed = true;
    return this.outcomeOf(item, entry);
  }

  /** The outcome of an item whose answer an earlier run lost; undefined once this run has sent it too. */
  lost(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    return entry?.status === 'unknown' && !entry.thisRun ? this.outcomeOf(item, entry) : undefined;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  close(): void {
    closeSync(this.fileDescriptor);
  }

  /** How many items were answered, or may have been, that no row of this run asked for: they belong to another input. */
  get unclaimed(): number {
    return this.count((entry) => !entry.thisRun && entry.claimed !== true && isWorthKeeping(entry));
  }

  private count(isCounted: (entry: JournaledItem) => boolean): number {
    let count = 0;
    for (const entry of this.entries.values()) if (isCounted(entry)) count += 1;
    return count;
  }

  /** Another job wrote FILE, which this one may have where no row of it has data. */
  private forgetFile(): void {
    this.files = this.files.filter(({ has_data }) => !has_data);
  }

  private take({ text, offset, length }: FileLine): boolean {
    const entry = readEntry(text);
    if (entry === undefined) return false;
    if ('file' in entry) this.files = [...this.files, entry];
    else if ('unsent' in entry) this.takeBack(entry.unsent);
    else this.note(entry.item, { status: entry.outcome.status, offset, length, thisRun: false });
    return true;
  }

  private isAskedAgain(entry: JournaledItem): boolean {
    if (entry.thisRun || isBought(entry)) return false;
    return entry.status !== 'unknown' || this.retryUnknown;
  }

  private outcomeOf(item: string, entry: JournaledItem): Outcome {
    const line = readEntry(lineAt(this.fileDescriptor, entry));
    if (line !== undefined && 'outcome' in line && line.item === item) {
      return entry.thisRun ? asRepeated(line.outcome) : { ...line.outcome, source: 'journal' };
    }
    throw new PdiError(
      'internal',
      `the journal was changed by someone else while in use, at the answer for ${item}`,
      { item },
    );
  }
}

/** Blanks the lines of a journal that `isAbout` is true of, so that their bytes are gone at once. Gives how many of them were answers. */
export async function blankLines(
  path: string,
  isAbout: (line: string) => boolean,
): Promise<number> {
  const fileDescriptor = openSync(path, 'r+');
  try {
    refuseForeignFile(path, fileDescriptor);
    let answers = 0;
    for await (const { text, number, offset, length } of linesOf(fileDescriptor)) {
      if (number === 1 || !isAbout(text)) continue;
      writeWhole(fileDescriptor, Buffer.alloc(length, ' '), offset);
      if (text.startsWith('{"item":')) answers += 1;
    }
    fsyncSync(fileDescriptor);
    return answers;
  } finally {
    closeSync(fileDescriptor);
  }
}

/** Kept for the next line, because new bytes for each would keep the garbage collector busy. */
let room = Buffer.alloc(0);

function lineAt(fileDescriptor: number, { offset, length }: JournaledItem): string {
  if (room.length < length) room = Buffer.allocUnsafe(length);
  const read = readSync(fileDescriptor, room, 0, length, offset);
  return room.toString('utf8', 0, read);
}

/** A file that starts like no journal is somebody's, and not ours to write or discard. */
function refuseForeignFile(path: string, fileDescriptor: number): void {
  const expected = Buffer.from(journalStart);
  const size = Math.min(fstatSync(fileDescriptor).size, expected.length);
  const start = Buffer.alloc(size);
  readSync(fileDescriptor, start, 0, size, 0);
  if (start.equals(expected.subarray(0, size))) return;
  throw new UsageError(`${path} exists and is no journal of pdi`, {
    item: path,
    hint: 'move it away, or choose another --out',
  });
}

interface FileLine {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly ended: boolean;
  readonly isUtf8: boolean;
}

const readPiece = promisify(read);
const pieceSize = 256 * 1024;
const lineFeed = 0x0a;

async function* linesOf(fileDescriptor: number): AsyncGenerator<FileLine> {
  // New bytes for each piece of a large file would take as much memory as the file.
  let piece = Buffer.alloc(pieceSize);
  let [offset, held, number] = [0, 0, 0];
  for (;;) {
    if (held === piece.length) piece = Buffer.concat([piece], 2 * piece.length);
    const { bytesRead } = await readPiece(
      fileDescriptor,
      piece,
      held,
      piece.length - held,
      offset + held,
    );
    if (bytesRead === 0) break;
    const bytes = piece.subarray(0, held + bytesRead);
    let start = 0;
    for (
      let end = bytes.indexOf(lineFeed, held);
      end !== -1;
      end = bytes.indexOf(lineFeed, start)
    ) {
      number += 1;
      yield lineIn(bytes.subarray(start, end), { number, offset: offset + start, ended: true });
      start = end + 1;
    }
    piece.copyWithin(0, start, bytes.length);
    held = bytes.length - start;
    offset += start;
  }
  if (held > 0) yield lineIn(piece.subarray(0, held), { number: number + 1, offset, ended: false });
}

const lineIn = (bytes: Buffer, place: Pick<FileLine, 'number' | 'offset' | 'ended'>): FileLine => ({
  ...place,
  text: bytes.toString(),
  length: bytes.length,
  isUtf8: isUtf8(bytes),
});
