/**
 * A segment of the store: what one machine bought in a span of time with one max-age, so that all of it ends together and the folder
 * is deleted whole. `answers.ndjson` holds the answers, `index` says where each stands: a cold start reads 60 bytes an answer.
 */
import { join } from 'node:path';
import type { Write } from '../../files/private.ts';
import type { LinePlace } from '../journal-load.ts';
import { readAnswer, type StoredAnswer, storedLine } from './answer-line.ts';
import { AppendedFile } from './appended-file.ts';
import type { StoreModes } from './store-folder.ts';

/** An answer's place in `answers.ndjson`. */
export interface AnswerPlace extends LinePlace {
  /** When it was bought, in milliseconds since 1970. */
  readonly at: number;
}

export interface Entry {
  /** The latest answer. */
  readonly place: AnswerPlace | undefined;
  /** Until when answers are forgotten, in any segment; 0 where none is. */
  readonly forgottenUpTo: number;
}

/** `KEY AT OFFSET LENGTH`, or `KEY AT forgotten`: the answers for this key that were bought up to then are forgotten. */
const indexLine = /^([0-9a-f]{24}) (\d+) (?:(\d+) (\d+)|forgotten)$/;

/** An index that is larger is searched for the first few keys, because reading all its lines takes longer. */
const largeIndex = 64 * 1024;
const fewKeys = 4;

/** All methods throw the system's error. */
export class Segment {
  private readonly answers: AppendedFile;
  private readonly index: AppendedFile;
  private readonly places = new Map<string, AnswerPlace>();
  private readonly forgotten = new Map<string, number>();
  /** Lines of the index that are not in the maps yet. */
  private unread: Buffer = Buffer.alloc(0);
  /** Bytes of the index that were taken. */
  private taken = 0;
  /** Bytes that this run added to it since, whose lines it knows. */
  private added = 0;
  private searches = 0;

  constructor(folder: string, modes: StoreModes, write: Write) {
    this.answers = new AppendedFile(join(folder, 'answers.ndjson'), modes, write);
    this.index = new AppendedFile(join(folder, 'index'), modes, write);
  }

  /** Takes what was added to the index since the last time. */
  refresh(): void {
    const { size } = this.index;
    const isOurs = size === this.taken + this.added;
    this.added = 0;
    if (isOurs) this.taken = size;
    if (size <= this.taken) return;
    const added = this.index.read({ offset: this.taken, length: size - this.taken });
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    this.taken += whole.length;
    this.unread = this.unread.length === 0 ? whole : Buffer.concat([this.unread, whole]);
  }

  /** What the index says of a key. */
  find(key: string): Entry {
    this.searches += 1;
    if (this.unread.length > largeIndex && this.searches <= fewKeys) this.readLinesOf(key);
    else this.readAll();
    return { place: this.places.get(key), forgottenUpTo: this.forgotten.get(key) ?? 0 };
  }

  /** Undefined where the line is torn. */
  read(key: string, place: AnswerPlace): StoredAnswer | undefined {
    const bytes = this.answers.read(place);
    return bytes.length === place.length ? readAnswer(bytes.toString(), key) : undefined;
  }

  /** An answer is there for other runs once its line in the index is whole. */
  add(answer: StoredAnswer): void {
    const line = storedLine(answer);
    const place = this.answers.placeOf(line, this.answers.append(line));
    // Somebody purged the store: the files are made anew.
    if (place === undefined) {
      this.close();
      this.add(answer);
    } else this.addToIndex(`${answer.key} ${answer.at} ${place.offset} ${place.length}`);
  }

  forget(key: string, upTo: number): void {
    this.addToIndex(`${key} ${upTo} forgotten`);
  }

  /** The keys of all answers, forgotten ones too. */
  keys(): Iterable<string> {
    this.readAll();
    return this.places.keys();
  }

  /** Everything is read anew after it. */
  close(): void {
    this.answers.close();
    this.index.close();
    this.places.clear();
    this.forgotten.clear();
    this.unread = Buffer.alloc(0);
    [this.taken, this.added] = [0, 0];
  }

  private addToIndex(line: string): void {
    this.added += this.index.append(line);
    this.takeLine(line);
  }

  private readLinesOf(key: string): void {
    const sought = Buffer.from(key);
    for (let at = this.unread.indexOf(sought); at !== -1; at = this.unread.indexOf(sought, at + key.length)) {
      this.takeLine(this.unread.toString('latin1', at, this.unread.indexOf('\n', at)));
    }
  }

  private readAll(): void {
    if (this.unread.length === 0) return;
    for (const line of this.unread.toString('latin1').split('\n')) this.takeLine(line);
    this.unread = Buffer.alloc(0);
  }

  /** Half a line is left out. */
  private takeLine(line: string): void {
    const [, key, at, offset, length] = indexLine.exec(line) ?? [];
    if (key === undefined) return;
    if (offset === undefined) this.forgotten.set(key, Math.max(Number(at), this.forgotten.get(key) ?? 0));
    else if (Number(at) >= (this.places.get(key)?.at ?? 0)) {
      this.places.set(key, { at: Number(at), offset: Number(offset), length: Number(length) });
    }
  }
}
