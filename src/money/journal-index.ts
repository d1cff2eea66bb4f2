/** What a journal holds, and where: an item's state and the place of its answer, never the answer itself. */
import { fstatSync, readSync } from 'node:fs';
import { PdiError, UsageError } from '../errors.ts';
import { type FileLine, linesOf } from '../files/lines.ts';
import type { FileState } from '../files/private.ts';
import type { Outcome, RowStatus } from '../rows/result-row.ts';
import { type Difference, differenceIn, headerStart, type JournalIdentity, readEntry, refusal } from './journal-lines.ts';
import { parseObject } from './stored.ts';

/** Which items a run asks again although the journal knows them. */
export interface ResumeRules {
  /** Whether a call may be billed: only then is an unanswered one kept from being sent again. */
  readonly billable: boolean;
  /** `--retry-unknown`. */
  readonly retryUnknown: boolean;
}

interface IndexEntry {
  readonly state: RowStatus | 'sent';
  readonly offset: number;
  readonly length: number;
  /** Written by this run: its failures are final for the run, an earlier run's are asked again. */
  readonly thisRun: boolean;
  /** Whether a row of this run asked for it. */
  claimed?: boolean;
}

const bought: ReadonlySet<IndexEntry['state']> = new Set<RowStatus>(['ok', 'not_found', 'invalid']);
/** What leaves nothing behind that a later run could use, or must be careful of. */
const worthless: ReadonlySet<IndexEntry['state']> = new Set<RowStatus>(['failed', 'skipped']);
const isUnanswered = ({ state }: Pick<IndexEntry, 'state'>): boolean => state === 'sent' || state === 'unknown';
const lostAnswer =
  'sent earlier, the answer was lost: it may have been billed (--retry-unknown sends it again, which may be billed a second time)';

/** The index of one journal. Roughly 150 bytes an item. */
export class JournalIndex {
  private readonly entries = new Map<string, IndexEntry>();
  /** How earlier runs left FILE. */
  readonly files: FileState[] = [];
  private readonly fileDescriptor: number;
  private readonly rules: ResumeRules;

  constructor(fileDescriptor: number, rules: ResumeRules) {
    this.fileDescriptor = fileDescriptor;
    this.rules = rules;
  }

  /** Takes note of a line; an answer that was bought is never hidden by a later line without one. */
  note(item: string, entry: IndexEntry): void {
    const before = this.entries.get(item);
    if (before !== undefined && bought.has(before.state) && !bought.has(entry.state)) return;
    this.entries.set(item, entry);
  }

  /** What this run need not ask for; undefined for what it must. Reads the answer from the file. */
  known(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    if (entry === undefined || this.isAskedAgain(entry)) return undefined;
    entry.claimed = true;
    return this.outcome(item, entry);
  }

  /** The outcome of an item that an earlier run sent without an answer, whether or not it is asked for again. */
  lost(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    return entry !== undefined && !entry.thisRun && isUnanswered(entry) ? this.outcome(item, entry) : undefined;
  }

  /** Whether a run left FILE so. */
  leftSo({ size, modified }: FileState): boolean {
    return this.files.some((file) => file.size === size && file.modified === modified);
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Items that were answered, or may have been: then the journal is for the run alone that it belongs to. */
  get answers(): number {
    let answers = 0;
    for (const { state } of this.entries.values()) if (!worthless.has(state)) answers += 1;
    return answers;
  }

  /** Answers of earlier runs that no row of this run asked for, those included that were lost and may have been billed. */
  get unclaimed(): number {
    let unclaimed = 0;
    for (const { state, thisRun, claimed } of this.entries.values())
      if (!thisRun && claimed !== true && !worthless.has(state)) unclaimed += 1;
    return unclaimed;
  }

  private isAskedAgain({ state, thisRun }: IndexEntry): boolean {
    if (thisRun || bought.has(state)) return false;
    return !isUnanswered({ state }) || this.rules.retryUnknown || !this.rules.billable;
  }

  private outcome(item: string, entry: IndexEntry): Outcome {
    return entry.state === 'sent' ? { status: 'unknown', error: lostAnswer } : this.read(item, entry);
  }

  private read(item: string, { offset, length }: IndexEntry): Outcome {
    const bytes = Buffer.alloc(length);
    readSync(this.fileDescriptor, bytes, 0, length, offset);
    const entry = readEntry(bytes.toString());
    if (entry !== undefined && 'outcome' in entry && entry.item === item) return entry.outcome;
    throw new PdiError('internal', `the journal was changed by someone else while in use, at the answer for ${item}`, { item });
  }
}

/** Where a journal's good lines end. */
export interface JournalEnd {
  /** Bytes up to the end of the last good line; 0 for a journal that does not even have its header. */
  readonly offset: number;
  /** False when the last good line lacks its line feed. */
  readonly ended: boolean;
  /** It belongs to another run, and holds nothing: one that went wrong from the start, by its key or its base URL, is begun anew. */
  readonly abandoned: boolean;
}

/**
 * Reads a whole journal into `index`. A torn last line is left out.
 * Throws UsageError for a journal of another run that holds anything, and for a broken line that others follow.
 */
export async function loadJournal(
  path: string,
  fileDescriptor: number,
  identity: JournalIdentity,
  index: JournalIndex,
): Promise<JournalEnd> {
  let end = { offset: 0, ended: true };
  let difference: Difference | undefined;
  let broken: FileLine | undefined;
  let othersFollow = false;
  for await (const line of linesOf(fileDescriptor)) {
    if (line.text.trim() === '') continue;
    othersFollow ||= broken !== undefined;
    const good = line.number === 1 ? !isTornHeader(line) : takeEntry(line, index);
    if (good && line.number === 1) difference = differenceIn(path, line.text, identity);
    if (!good) broken ??= line;
    else if (broken === undefined) end = { offset: line.offset + line.length + (line.ended ? 1 : 0), ended: line.ended };
  }
  if (difference?.unreadable === true) throw refusal(path, difference, index.answers);
  const damage = broken !== undefined && othersFollow ? damageAt(path, broken) : undefined;
  const objection = damage ?? (index.answers > 0 ? difference : undefined);
  if (objection !== undefined) throw refusal(path, difference ?? objection, index.answers);
  return { ...end, abandoned: difference !== undefined };
}

/** A run that was killed while it wrote the header has asked for nothing yet. */
const isTornHeader = ({ text, ended }: FileLine): boolean => !ended && parseObject(text) === undefined;

/** False when the line is broken. */
function takeEntry({ text, offset, length }: FileLine, index: JournalIndex): boolean {
  const entry = readEntry(text);
  if (entry === undefined) return false;
  if ('file' in entry) index.files.push(entry.file);
  else index.note(entry.item, { state: entry.state, offset, length, thisRun: false });
  return true;
}

const damageAt = (path: string, line: FileLine) => ({
  message: `${path}, line ${line.number}: the line is damaged, and others follow it`,
  goOn: 'restore the line',
});

/** Throws UsageError when the file holds something that no journal starts with: it is somebody's, not ours to write or discard. */
export function refuseForeignFile(path: string, fileDescriptor: number): void {
  const expected = Buffer.from(headerStart);
  const size = Math.min(fstatSync(fileDescriptor).size, expected.length);
  const start = Buffer.alloc(size);
  readSync(fileDescriptor, start, 0, size, 0);
  if (start.equals(expected.subarray(0, size))) return;
  throw new UsageError(`${path} exists and is no journal of pdi`, { item: path, hint: 'move it away, or choose another --out' });
}
