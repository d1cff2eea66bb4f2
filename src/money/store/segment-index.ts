/** Tells where each answer of a segment stands, and what is forgotten. Many processes append, the lines of one moment in a single write. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../../errors.ts';
import { appendOnly, type Write, writeWhole } from '../../files/private.ts';
import type { StoreModes } from './store-folder.ts';

export interface AnswerPlace {
  /** It was bought at this time, in milliseconds since 1970. */
  readonly at: number;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface KeyPlace extends AnswerPlace {
  readonly key: string;
}

export interface IndexEntry {
  readonly place: AnswerPlace | undefined;
  /** Answers that were bought up to this time are forgotten, in any segment; it is 0 where none is. */
  readonly forgottenUpTo: number;
}

/** A line is `KEY AT FILE OFFSET LENGTH` or `KEY AT forgotten` (up to then). Numbers are in base 36, because a run reads a whole index. */
const pattern = /^([\w-]+) ([\da-z]+) (?:([\da-f]+) ([\da-z]+) ([\da-z]+)|forgotten)$/;
const written = (number: number): string => number.toString(36);
const numberIn = (text: string): number => Number.parseInt(text, 36);

const pieceSize = 256 * 1024;

/** So many keys are searched for in a large index before all its lines are read, because that takes ten times as long. */
const fewKeys = 4;
const largeIndex = 64 * 1024;

/** All methods throw the system's error. */
export class SegmentIndex {
  private readonly places = new Map<string, AnswerPlace>();
  private readonly forgotten = new Map<string, number>();
  private fileDescriptor: number | undefined;
  private mayAppend = false;
  /** It counts the bytes when this run looked last; those up to `taken` are in the maps. */
  private end = 0;
  private taken = 0;
  /** This run appended so many bytes since, whose lines are in the maps. */
  private added = 0;
  private searches = 0;

  constructor(
    private readonly path: string,
    private readonly modes: StoreModes,
    private readonly write: Write,
  ) {}

  /** Looks for lines that other processes added. With `anew` it opens the file again. */
  refresh({ anew }: { readonly anew: boolean }): void {
    if (anew) this.close();
    this.fileDescriptor ??= openIfThere(this.path);
    if (this.fileDescriptor === undefined) return;
    const { size } = fstatSync(this.fileDescriptor);
    const onlyOurs = this.taken === this.end && size === this.end + this.added;
    this.end = size;
    this.added = 0;
    if (onlyOurs) this.taken = size;
  }

  find(key: string): IndexEntry {
    this.searches += 1;
    if (this.end - this.taken > largeIndex && this.searches <= fewKeys) this.search(key);
    else if (this.taken < this.end) this.takeAll();
    return { place: this.places.get(key), forgottenUpTo: this.forgotten.get(key) ?? 0 };
  }

  keys(): Iterable<string> {
    this.takeAll();
    return this.places.keys();
  }

  addPlaces(places: readonly KeyPlace[]): void {
    this.append(places.map(({ key, at, file, offset, length }) => `${key} ${written(at)} ${file} ${written(offset)} ${written(length)}`));
    for (const { key, ...place } of places) this.takePlace(key, place);
  }

  addForgotten(key: string, upTo: number): void {
    this.append([`${key} ${written(upTo)} forgotten`]);
    this.takeForgotten(key, upTo);
  }

  close(): void {
    if (this.fileDescriptor !== undefined) closeSync(this.fileDescriptor);
    this.fileDescriptor = undefined;
    this.mayAppend = false;
  }

  private append(lines: readonly string[]): void {
    if (this.fileDescriptor === undefined || !this.mayAppend) {
      this.close();
      this.fileDescriptor = this.modes.openFile(this.path, constants.O_RDWR | constants.O_CREAT | appendOnly);
      this.mayAppend = true;
    }
    // The first line feed keeps the lines apart from half a line of a full disk.
    this.added += writeWhole(this.fileDescriptor, `\n${lines.join('\n')}\n`, this.write);
  }

  private search(key: string): void {
    for (const piece of this.pieces()) {
      for (let at = piece.indexOf(key); at !== -1; at = piece.indexOf(key, at + key.length)) {
        this.takeLine(piece.toString('latin1', at, piece.indexOf('\n', at)));
      }
    }
  }

  private takeAll(): void {
    for (const piece of this.pieces()) {
      for (const line of piece.toString('latin1').split('\n')) this.takeLine(line);
      this.taken += piece.length;
    }
  }

  /** Gives what is not taken yet, in whole lines. The next piece overwrites the last. */
  private *pieces(): Generator<Buffer> {
    if (this.fileDescriptor === undefined || this.taken >= this.end) return;
    const room = Buffer.allocUnsafe(Math.min(pieceSize, this.end - this.taken));
    for (let offset = this.taken; offset < this.end; ) {
      const read = readSync(this.fileDescriptor, room, 0, Math.min(room.length, this.end - offset), offset);
      const piece = room.subarray(0, room.subarray(0, read).lastIndexOf('\n') + 1);
      // Half a line at the end is being written at this moment, or never will be.
      if (piece.length === 0) return;
      yield piece;
      offset += piece.length;
    }
  }

  private takeLine(line: string): void {
    const [, key, at = '', file, offset = '', length = ''] = pattern.exec(line) ?? [];
    if (key === undefined) return;
    if (file === undefined) this.takeForgotten(key, numberIn(at));
    else this.takePlace(key, { at: numberIn(at), file, offset: numberIn(offset), length: numberIn(length) });
  }

  private takePlace(key: string, place: AnswerPlace): void {
    if (place.at >= (this.places.get(key)?.at ?? 0)) this.places.set(key, place);
  }

  private takeForgotten(key: string, upTo: number): void {
    this.forgotten.set(key, Math.max(upTo, this.forgotten.get(key) ?? 0));
  }
}

/** Gives undefined where there is no such file. @throws the system's error */
export function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
