/**
 * The journal of a bulk job, `FILE.journal` beside `--out FILE`: what was sent and what was answered, so that the same
 * command run again buys nothing twice (contract, "Money").
 *
 * Each answer is one write before anyone uses it, so it survives kill -9 from then on; the disk is forced at `close`.
 * Room for the answers on their way is taken before a call that may be billed is sent: a disk that fills up stops the next
 * call, not an answer that was paid for.
 */
import { closeSync, fsyncSync, ftruncateSync, unlinkSync } from 'node:fs';
import { PdiError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import { diskFailure, encoded, type FileState, type Write, writePart, writeWhole } from '../files/private.ts';
import { reasonOf } from '../files/reasons.ts';
import type { Outcome } from '../rows/result-row.ts';
import type { JournalIndex } from './journal-index.ts';
import { answerLine, fileLine, sentLine } from './journal-lines.ts';
import { SpaceReservation } from './space-reservation.ts';

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

/** A journal open for this run; made by `openJournal` in journal-open.ts. */
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
