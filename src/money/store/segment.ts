/**
 * A segment holds what the processes of one machine bought in a span of time with one max-age, so that all of it ends together and the
 * folder is deleted whole. Each process has a file of its own for its answers, and they share the index.
 */
import { closeSync, constants, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Write, writeTexts } from '../../files/private.ts';
import { readAnswer, type StoredAnswer, storedLine } from './answer-line.ts';
import { type AnswerPlace, type IndexEntry, type KeyPlace, openIfThere, SegmentIndex } from './segment-index.ts';
import type { StoreModes } from './store-folder.ts';

interface SegmentOptions {
  readonly folder: string;
  /** It names the file of this run's answers by hexadecimal digits that no other run has. */
  readonly run: string;
  readonly modes: StoreModes;
  readonly write: Write;
}

interface OpenFile {
  readonly name: string;
  readonly fileDescriptor: number;
}

/** All methods throw the system's error. */
export class Segment {
  private readonly index: SegmentIndex;
  private own: OpenFile | undefined;
  private ownEnd = 0;
  /** It is the file that was read last, because answers that were bought together are mostly read together. */
  private lastRead: OpenFile | undefined;

  constructor(private readonly options: SegmentOptions) {
    const { folder, modes, write } = options;
    this.index = new SegmentIndex(join(folder, 'index'), modes, write);
  }

  /** Takes what other processes added. Set `anew` where another machine did. */
  refresh(how: { readonly anew: boolean }): void {
    this.index.refresh(how);
  }

  find(key: string): IndexEntry {
    return this.index.find(key);
  }

  keys(): Iterable<string> {
    return this.index.keys();
  }

  /** Gives undefined where the line is torn, or its file is gone. */
  read(key: string, { file, offset, length }: AnswerPlace): StoredAnswer | undefined {
    const fileDescriptor = this.opened(file);
    if (fileDescriptor === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    const read = readSync(fileDescriptor, bytes, 0, length, offset);
    return read === length ? readAnswer(bytes.toString(), key) : undefined;
  }

  /** An answer is there for other runs once its line in the index is whole. */
  addAll(answers: readonly StoredAnswer[]): void {
    const { folder, run, modes, write } = this.options;
    if (this.own === undefined) {
      modes.makeFolder(folder);
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
      this.own = { name: run, fileDescriptor: modes.openFile(this.pathOf(run), flags) };
    }
    const start = this.ownEnd;
    const lines = answers.map((answer) => `${storedLine(answer)}\n`);
    const { ends, cause } = writeTexts(this.own.fileDescriptor, lines, write, start);
    if (cause !== undefined) throw cause;
    const places = answers.map(({ key, at }, line): KeyPlace => {
      const offset = this.ownEnd;
      this.ownEnd = start + (ends[line] ?? 0);
      return { key, at, file: run, offset, length: this.ownEnd - offset - 1 };
    });
    this.index.addPlaces(places);
  }

  forget(key: string, upTo: number): void {
    this.options.modes.makeFolder(this.options.folder);
    this.index.addForgotten(key, upTo);
  }

  close(): void {
    this.index.close();
    for (const file of [this.own, this.lastRead]) if (file !== undefined) closeSync(file.fileDescriptor);
    this.own = undefined;
    this.lastRead = undefined;
  }

  private pathOf(run: string): string {
    return join(this.options.folder, `answers-${run}.ndjson`);
  }

  private opened(name: string): number | undefined {
    const known = [this.own, this.lastRead].find((file) => file?.name === name);
    if (known !== undefined) return known.fileDescriptor;
    if (this.lastRead !== undefined) closeSync(this.lastRead.fileDescriptor);
    this.lastRead = undefined;
    const fileDescriptor = openIfThere(this.pathOf(name));
    if (fileDescriptor !== undefined) this.lastRead = { name, fileDescriptor };
    return fileDescriptor;
  }
}
