/** Reads a journal line by line into an index: the state of each item and the place of its answer, never the answer itself. */
import { fstatSync, readSync } from 'node:fs';
import { PdiError, UsageError } from '../errors.ts';
import { type FileLine, linesOf } from '../files/file-lines.ts';
import type { FileState } from '../files/private.ts';
import type { Outcome, RowStatus } from '../rows/result-row.ts';
import {
  type Difference,
  differenceIn,
  headerStart,
  isWhole,
  type JobIdentity,
  type JobProgress,
  readEntry,
  refusal,
} from './job-lines.ts';

/** Both are in bytes. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

interface JournaledItem extends LinePlace {
  readonly state: RowStatus | 'sent';
  /** This run wrote it. Its failures are final for the run; those of an earlier run are asked again. */
  readonly thisRun: boolean;
  claimed?: boolean;
}

/** These statuses stand for an answer, which no run asks for again. */
const isBought = ({ state }: JournaledItem): boolean => state === 'ok' || state === 'not_found' || state === 'invalid';
const isUnanswered = ({ state }: JournaledItem): boolean => state === 'sent' || state === 'unknown';
/** A later run could use it, or must be careful of it. */
const isWorthKeeping = (entry: JournaledItem): boolean => isBought(entry) || isUnanswered(entry);

export interface JournalEnd {
  /** It counts the bytes up to the end of the last good line, and is 0 where not even the header is there. */
  readonly offset: number;
  /** It is false when the last good line lacks its line feed. */
  readonly ended: boolean;
  /** Another run left it and it holds nothing, because its key or base URL was wrong from the start. It is begun anew. */
  readonly abandoned: boolean;
}

export class JobIndex {
  private readonly entries = new Map<string, JournaledItem>();
  readonly files: FileState[] = [];
  progress: JobProgress | undefined;

  constructor(
    private readonly fileDescriptor: number,
    private readonly retryUnknown: boolean,
  ) {}

  /** A torn last line is left out. @throws UsageError for another run's journal that holds anything, and for a broken line before others */
  async load(path: string, identity: JobIdentity): Promise<JournalEnd> {
    let end = { offset: 0, ended: true };
    let difference: Difference | undefined;
    let broken: FileLine | undefined;
    let othersFollow = false;
    for await (const line of linesOf(this.fileDescriptor)) {
      if (line.text.trim() === '') continue;
      othersFollow ||= broken !== undefined;
      const good = line.number === 1 ? line.ended || isWhole(line.text) : this.take(line);
      if (good && line.number === 1) difference = differenceIn(path, line.text, identity);
      if (!good) broken ??= line;
      else if (broken === undefined) end = { offset: line.offset + line.length + (line.ended ? 1 : 0), ended: line.ended };
    }
    const damage = broken !== undefined && othersFollow ? damageAt(path, broken) : undefined;
    const objection = difference?.unreadable === true ? difference : (damage ?? (this.worthKeeping > 0 ? difference : undefined));
    if (objection !== undefined) throw refusal(path, difference ?? objection, this.worthKeeping);
    return { ...end, abandoned: difference !== undefined };
  }

  /** A later line without an answer never hides an answer that was bought. */
  note(item: string, entry: JournaledItem): void {
    const before = this.entries.get(item);
    if (before !== undefined && isBought(before) && !isBought(entry)) return;
    this.entries.set(item, entry);
  }

  known(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    if (entry === undefined || this.isAskedAgain(entry)) return undefined;
    entry.claimed = true;
    return this.outcomeOf(item, entry);
  }

  /** Gives the outcome of an item that an earlier run sent without an answer, even if it is asked for again. */
  lost(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    return entry !== undefined && !entry.thisRun && isUnanswered(entry) ? this.outcomeOf(item, entry) : undefined;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** So many items were answered, or may have been, and no row of this run asked for them. They belong to another input. */
  get unclaimed(): number {
    return this.count((entry) => !entry.thisRun && entry.claimed !== true && isWorthKeeping(entry));
  }

  private get worthKeeping(): number {
    return this.count(isWorthKeeping);
  }

  private count(wanted: (entry: JournaledItem) => boolean): number {
    let count = 0;
    for (const entry of this.entries.values()) if (wanted(entry)) count += 1;
    return count;
  }

  private take({ text, offset, length }: FileLine): boolean {
    const entry = readEntry(text);
    if (entry === undefined) return false;
    if ('file' in entry) this.files.push(entry.file);
    else if ('progress' in entry) this.progress = entry.progress;
    else this.note(entry.item, { state: entry.state, offset, length, thisRun: false });
    return true;
  }

  private isAskedAgain(entry: JournaledItem): boolean {
    if (entry.thisRun || isBought(entry)) return false;
    return !isUnanswered(entry) || this.retryUnknown;
  }

  private outcomeOf(item: string, entry: JournaledItem): Outcome {
    const line = readEntry(lineAt(this.fileDescriptor, entry));
    if (line !== undefined && 'outcome' in line && line.item === item) {
      return entry.thisRun || entry.state === 'sent' ? line.outcome : { ...line.outcome, source: 'journal' };
    }
    throw new PdiError('internal', `the journal was changed by someone else while in use, at the answer for ${item}`, { item });
  }
}

const damageAt = (path: string, line: FileLine) => ({
  message: `${path}, line ${line.number}: the line is damaged, and others follow it`,
  goOn: 'restore the line',
});

/** It is used for every line that is looked up, because new bytes for each would keep the garbage collector busy. */
let room = Buffer.alloc(0);

/** @throws the system's error */
function lineAt(fileDescriptor: number, { offset, length }: LinePlace): string {
  if (room.length < length) room = Buffer.allocUnsafe(length);
  const read = readSync(fileDescriptor, room, 0, length, offset);
  return room.toString('utf8', 0, read);
}

/** @throws UsageError for a file that starts like no journal: it is somebody's, and not ours to write or discard */
export function refuseForeignFile(path: string, fileDescriptor: number): void {
  const expected = Buffer.from(headerStart);
  const size = Math.min(fstatSync(fileDescriptor).size, expected.length);
  const start = Buffer.alloc(size);
  readSync(fileDescriptor, start, 0, size, 0);
  if (start.equals(expected.subarray(0, size))) return;
  throw new UsageError(`${path} exists and is no journal of pdi`, { item: path, hint: 'move it away, or choose another --out' });
}
