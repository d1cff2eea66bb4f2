/**
 * The journal of a bulk job, `FILE.journal` beside `--out FILE`: what was sent and what was answered, so that the same
 * command run again buys nothing twice (contract, "Money").
 *
 * Each answer is one write before anyone uses it, so it survives kill -9 from then on; the disk is forced at `close`.
 * Room for the answers on their way is taken before a call that may be billed is sent: a disk that fills up stops the next
 * call, not an answer that was paid for.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, unlinkSync } from 'node:fs';
import { PdiError } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, type Lock } from '../files/lock.ts';
import {
  diskFailure,
  encoded,
  type FileState,
  noFollow,
  openPrivateFile,
  type Write,
  writePart,
  writeToDisk,
  writeWhole,
} from '../files/private.ts';
import { reasonOf } from '../files/reasons.ts';
import { refuseUnlessRegular, replaceFile } from '../files/replace.ts';
import type { Outcome } from '../rows/result-row.ts';
import { type JournalEnd, JournalIndex, loadJournal, type ResumeRules, refuseForeignFile } from './journal-index.ts';
import { answerLine, fileLine, headerLine, type JournalIdentity, sentLine } from './journal-lines.ts';
import { SpaceReservation } from './space-reservation.ts';

export type { ResumeRules } from './journal-index.ts';
export type { JournalIdentity } from './journal-lines.ts';
export { type JournalView, peekJournal } from './journal-view.ts';

export interface JournalOptions extends ResumeRules {
  /** `FILE.journal`; its folder must exist. */
  readonly path: string;
  readonly identity: JournalIdentity;
  /** `--restart`: discards what an earlier run left. */
  readonly restart: boolean;
  readonly processes: ProcessTable;
  readonly clock: () => Date;
  readonly write?: Write;
}

/** The journal that belongs to an output file. */
export const journalPath = (out: string): string => `${out}.journal`;

/**
 * Opens or creates a journal (0600) for this run alone.
 * Throws UsageError when another run has it, it belongs to another command, base URL or key and holds anything, a line in its middle
 * is damaged, or the file is no journal; PdiError `internal` when the disk refuses.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, processes, clock } = options;
  refuseUnlessRegular(path, 'choose another --out');
  const lock = await acquireLock({ path: `${path}.lock`, guarded: path, processes, clock });
  try {
    return await openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw diskFailure('cannot use the journal', path, error);
  }
}

async function openLocked(options: JournalOptions, lock: Lock): Promise<Journal> {
  const { path, identity, clock, write = writeToDisk } = options;
  const fileDescriptor = openPrivateFile(path, noFollow);
  let loaded: Journal | Abandoned | undefined;
  try {
    loaded = await load(options, fileDescriptor, lock);
  } finally {
    if (!(loaded instanceof Journal)) closeSync(fileDescriptor);
  }
  if (loaded instanceof Journal) return loaded;
  // In one piece: a kill must leave a journal there, which says that the file beside it is ours.
  replaceFile(path, headerLine(identity, clock()) + loaded.files.map(fileLine).join(''), write);
  return openLocked(options, lock);
}

/** A journal of another run that holds nothing but how FILE was left: it is replaced. */
interface Abandoned {
  readonly files: readonly FileState[];
}

async function load(options: JournalOptions, fileDescriptor: number, lock: Lock): Promise<Journal | Abandoned> {
  const { path, identity } = options;
  const write = options.write ?? writeToDisk;
  refuseForeignFile(path, fileDescriptor);
  if (options.restart) ftruncateSync(fileDescriptor, 0);
  const index = new JournalIndex(fileDescriptor, options);
  const end = await loadJournal(path, fileDescriptor, identity, index);
  if (end.abandoned) return index;
  // A file that was cut to nothing, were it empty before, some systems write to the disk as it is closed, deleted or not.
  if (fstatSync(fileDescriptor).size > end.offset) ftruncateSync(fileDescriptor, end.offset);
  const missing = missingText(end, identity, options.clock());
  const size = end.offset + (missing === '' ? 0 : writeWhole(fileDescriptor, missing, write, end.offset));
  return new Journal({ path, fileDescriptor, index, lock, write, size, resumed: end.offset > 0, billable: options.billable });
}

/** What must be written before entries may follow. */
function missingText({ offset, ended }: JournalEnd, identity: JournalIdentity, now: Date): string {
  if (offset === 0) return headerLine(identity, now);
  return ended ? '' : '\n';
}

interface OpenFile {
  readonly path: string;
  readonly fileDescriptor: number;
  readonly index: JournalIndex;
  readonly lock: Lock;
  readonly write: Write;
  readonly size: number;
  readonly resumed: boolean;
  readonly billable: boolean;
}

interface JournalLine {
  readonly item: string;
  readonly state: Outcome['status'] | 'sent';
  readonly text: string;
}

/** A journal open for this run; made by `openJournal`. */
export class Journal {
  private readonly file: OpenFile;
  private readonly room: SpaceReservation;
  /** Sent by this run and not yet answered. */
  private readonly awaited = new Set<string>();
  private size: number;
  private open = true;

  constructor(file: OpenFile) {
    this.file = file;
    this.room = new SpaceReservation(file.fileDescriptor, file.write);
    this.size = file.size;
  }

  get path(): string {
    return this.file.path;
  }

  /** Whether an earlier run left it. */
  get resumed(): boolean {
    return this.file.resumed;
  }

  /** Tells whether an earlier run left FILE so; undefined where there was none: then FILE is somebody else's. */
  get leftSo(): ((file: FileState) => boolean) | undefined {
    return this.resumed ? (file) => this.file.index.leftSo(file) : undefined;
  }

  /** Records how FILE is about to be left. Where the disk refuses, the next run asks before it replaces the file, which costs nothing. */
  willLeave(file: FileState): void {
    const text = fileLine(file);
    try {
      this.size += writeWhole(this.file.fileDescriptor, text, this.file.write, this.size);
    } catch {
      // Half a line may be there: it is the last, and is cut off.
    }
  }

  /**
   * What need not be asked for: answers of any run, unknown ones unless they may be sent again, and whatever this run
   * recorded. An item that this run has sent and not yet answered is `unknown` too.
   */
  known(item: string): Outcome | undefined {
    return this.file.index.known(item);
  }

  /** The outcome of an item that an earlier run sent, and whose answer was lost; undefined once this run has sent it too. */
  lost(item: string): Outcome | undefined {
    return this.file.billable ? this.file.index.lost(item) : undefined;
  }

  /** Whether no item was ever sent or answered: such a journal is worth nothing. */
  get isEmpty(): boolean {
    return this.file.index.isEmpty;
  }

  /** Answers of earlier runs that no row of this run asked for: they belong to another input, and were paid for. */
  get unclaimed(): number {
    return this.file.billable ? this.file.index.unclaimed : 0;
  }

  /** Records that a call about an item is about to be sent. Free calls leave no trace. Throws PdiError `internal`: then send nothing. */
  sent(item: string): void {
    if (!this.file.billable) return;
    const line: JournalLine = { item, state: 'sent', text: sentLine(item) };
    this.takeRoom(line);
    this.append([line], 'the call was not sent', 'no');
    this.awaited.add(item);
  }

  /** Records answers in one write, before they are used. Throws PdiError `internal` naming the first that is not saved; earlier ones are. */
  answeredAll(answers: Iterable<readonly [item: string, outcome: Outcome]>): void {
    const lines: JournalLine[] = [];
    for (const [item, outcome] of answers) lines.push({ item, state: outcome.status, text: answerLine(item, outcome) });
    this.append(lines, 'its answer is lost', this.file.billable ? 'unknown' : 'no');
    for (const { item } of lines) this.awaited.delete(item);
  }

  /** Forces the journal to the disk and leaves it for a later run. Doing it twice does no harm. */
  close(): void {
    this.end(() => {
      ftruncateSync(this.file.fileDescriptor, this.size);
      fsyncSync(this.file.fileDescriptor);
    });
  }

  /** Deletes the journal: no row is left to ask for. */
  remove(): void {
    this.end(() => unlinkSync(this.file.path));
  }

  private takeRoom(line: JournalLine): void {
    try {
      this.room.take(this.size, this.awaited.size + 1);
    } catch (error) {
      throw this.appendFailure([line], 'the call was not sent', 'no', error);
    }
  }

  /** Lines that are whole on the disk count. Half of one may follow: the next line overwrites it, and the reader leaves it out. */
  private append(lines: readonly JournalLine[], loss: string, billed: 'no' | 'unknown'): void {
    const { fileDescriptor, index, write } = this.file;
    const whole = encoded(lines);
    const start = this.size;
    const { written, cause } = writePart(fileDescriptor, whole, write, start);
    for (const [place, { item, state }] of lines.entries()) {
      const end = whole.ends[place] ?? 0;
      if (end > written) throw this.appendFailure(lines.slice(place), loss, billed, cause);
      index.note(item, { state, offset: this.size, length: start + end - this.size, thisRun: true });
      this.size = start + end;
    }
  }

  private appendFailure(lines: readonly JournalLine[], loss: string, billed: 'no' | 'unknown', cause: unknown): PdiError {
    const item = lines[0]?.item ?? '';
    const whose = lines.length > 1 ? `${item} and ${lines.length - 1} more` : item;
    return new PdiError('internal', `cannot write ${this.file.path}: ${reasonOf(cause)}; ${whose}: ${loss}`, {
      item,
      billed,
      retryable: true,
      hint: 'what was bought before is kept: free some space and run the same command again',
      cause,
    });
  }

  private end(last: () => void): void {
    if (!this.open) return;
    this.open = false;
    try {
      last();
    } catch (error) {
      throw diskFailure('cannot finish the journal', this.file.path, error);
    } finally {
      closeSync(this.file.fileDescriptor);
      this.file.lock.release();
    }
  }
}
