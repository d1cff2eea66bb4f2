/**
 * `FILE.journal` beside `--out FILE` holds what was sent and answered, so that the same command run again buys nothing twice (contract,
 * "Money"). The answers of one moment are one write, before anyone uses them, so they survive kill -9; `close` forces the disk.
 */
import { closeSync, fsyncSync, ftruncateSync, rmSync } from 'node:fs';
import { PdiError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import { diskFailure, type FileState, type Write, writeTexts, writeWhole } from '../files/private.ts';
import { mendingOf, reasonOf } from '../files/system-reasons.ts';
import type { Outcome } from '../rows/result-row.ts';
import { fileLine } from './journal-lines.ts';
import type { LinePlace } from './journal-load.ts';

export interface JournalFile {
  readonly path: string;
  readonly fileDescriptor: number;
  readonly lock: Lock;
  readonly write: Write;
  /** It counts the bytes up to the end of the last good line. */
  readonly size: number;
  readonly resumed: boolean;
}

export interface JournalLine {
  readonly items: readonly string[];
  readonly text: string;
  readonly loss: Loss;
}

interface Loss {
  readonly words: string;
  readonly billed: 'no' | 'unknown';
}

export abstract class Journal {
  protected size: number;
  private open = true;

  protected constructor(
    protected readonly file: JournalFile,
    private readonly files: readonly FileState[],
  ) {
    this.size = file.size;
  }

  /** Gives what need not be asked for, because an earlier run answered it, or this run as far as the journal holds it. */
  abstract known(item: string): Outcome | undefined;

  /** Gives the outcome of an item that an earlier run sent, and whose answer was lost; undefined once this run has sent it too. */
  abstract lost(item: string): Outcome | undefined;

  /** Records that a call about an item is about to be sent. @throws PdiError `internal`: then send nothing */
  abstract sent(item: string): Promise<void>;

  /** Records the answers of a request before they are used. @throws PdiError `internal` where they are not saved */
  abstract answeredAll(items: readonly string[], outcomes: readonly Outcome[]): Promise<void>;

  /** This run finds its own answers here again, so nobody else need keep them. */
  abstract readonly answersThisRun: boolean;

  /** No item was ever sent or answered, so the journal is worth nothing. */
  abstract readonly isEmpty: boolean;

  /** Earlier runs paid, or may have paid, for so many answers that no row of this run asked for. They belong to another input. */
  abstract readonly unclaimed: number;

  get path(): string {
    return this.file.path;
  }

  get resumed(): boolean {
    return this.file.resumed;
  }

  /** Tells whether an earlier run left FILE so; undefined where there was no run, because FILE is then somebody else's. */
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
      // Half a line may be there. It is the last one, and is cut off.
    }
  }

  /** Forces the journal to the disk and leaves it for a later run. Doing it twice does no harm. */
  close(): void {
    this.end(() => {
      ftruncateSync(this.file.fileDescriptor, this.size);
      fsyncSync(this.file.fileDescriptor);
    });
  }

  /** No row is left to ask for, so the journal is deleted. */
  remove(): void {
    this.end(() => rmSync(this.file.path, { force: true }));
  }

  /** Gives where each line stands, or why it is not whole. Half a line may follow, which the next line overwrites. */
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
