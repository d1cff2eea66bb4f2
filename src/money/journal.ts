/**
 * The journal of a bulk job, `FILE.journal` beside `--out FILE`: what was sent and what was answered, so that the same
 * command run again buys nothing twice (contract, "Money").
 *
 * The answers of one moment are one write, before anyone uses them, so they survive kill -9 from then on; the disk is forced at `close`.
 */
import { closeSync, fsyncSync, ftruncateSync, rmSync } from 'node:fs';
import { PdiError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import { diskFailure, type FileState, type Write, writeTexts, writeWhole } from '../files/private.ts';
import { mendingOf, reasonOf } from '../files/system-reasons.ts';
import type { Outcome } from '../rows/result-row.ts';
import { fileLine } from './journal-lines.ts';
import type { LinePlace } from './journal-load.ts';

/** A journal's file, open for this run. */
export interface JournalFile {
  readonly path: string;
  readonly fileDescriptor: number;
  readonly lock: Lock;
  readonly write: Write;
  /** Bytes up to the end of the last good line. */
  readonly size: number;
  readonly resumed: boolean;
}

export interface JournalLine {
  readonly items: readonly string[];
  readonly text: string;
  /** What it means that the line could not be written. */
  readonly loss: Loss;
}

interface Loss {
  readonly words: string;
  readonly billed: 'no' | 'unknown';
}

/** A journal open for this run; made by `openJournal` in journal-open.ts. */
export abstract class Journal {
  protected size: number;
  private open = true;

  protected constructor(
    protected readonly file: JournalFile,
    private readonly files: readonly FileState[],
  ) {
    this.size = file.size;
  }

  /** What need not be asked for, answered by an earlier run, or by this one as far as the journal holds it. */
  abstract known(item: string): Outcome | undefined;

  /** The outcome of an item that an earlier run sent, and whose answer was lost; undefined once this run has sent it too. */
  abstract lost(item: string): Outcome | undefined;

  /** Records that a call about an item is about to be sent. @throws PdiError `internal`: then send nothing */
  abstract sent(item: string): Promise<void>;

  /** Records the answers of a request before they are used. @throws PdiError `internal` where they are not saved */
  abstract answeredAll(items: readonly string[], outcomes: readonly Outcome[]): Promise<void>;

  /** Whether this run finds its own answers here again, so that nobody else need keep them. */
  abstract readonly answersThisRun: boolean;

  /** Whether no item was ever sent or answered: such a journal is worth nothing. */
  abstract readonly isEmpty: boolean;

  /** Answers of earlier runs that were paid for, or may have been, and that no row of this run asked for: they belong to another input. */
  abstract readonly unclaimed: number;

  get path(): string {
    return this.file.path;
  }

  get resumed(): boolean {
    return this.file.resumed;
  }

  /** Tells whether an earlier run left FILE so; undefined where there was none: then FILE is somebody else's. */
  get leftSo(): ((file: FileState) => boolean) | undefined {
    const isLeft = (file: FileState) => this.files.some(({ size, modified }) => size === file.size && modified === file.modified);
    return this.resumed ? isLeft : undefined;
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

  /** Forces the journal to the disk and leaves it for a later run. Doing it twice does no harm. */
  close(): void {
    this.end(() => {
      ftruncateSync(this.file.fileDescriptor, this.size);
      fsyncSync(this.file.fileDescriptor);
    });
  }

  /** Deletes the journal: no row is left to ask for. */
  remove(): void {
    this.end(() => rmSync(this.file.path, { force: true }));
  }

  /** Writes lines at once and gives where each stands, or why it is not whole. Half of one may follow: the next line overwrites it. */
  protected append(lines: readonly JournalLine[]): readonly (LinePlace | PdiError)[] {
    const { fileDescriptor, write } = this.file;
    const start = this.size;
    const texts = lines.map(({ text }) => text);
    const { ends, written, cause } = writeTexts(fileDescriptor, texts, write, start);
    return lines.map(({ items, loss }, line) => {
      const end = ends[line] ?? 0;
      if (end > written) return this.failure(items, loss, cause);
      const offset = this.size;
      this.size = start + end;
      return { offset, length: this.size - offset };
    });
  }

  protected failure(items: readonly string[], { words, billed }: Loss, cause: unknown): PdiError {
    const item = items[0] ?? '';
    const whose = items.length > 1 ? `${item} and ${items.length - 1} more` : item;
    return new PdiError('internal', `cannot write ${this.file.path}: ${reasonOf(cause)}; ${whose}: ${words}`, {
      item,
      billed,
      retryable: true,
      hint: `what was bought before is kept: ${mendingOf(cause)} and run the same command again`,
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
