/** Looks for ids in files that are to hold them no more, and takes their rows out of the journals beside. */
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { blankLines } from '../book/job-lines.ts';
import { PdiError, pluralize, UsageError } from '../errors.ts';
import { openBytes } from '../input/content.ts';
import { bytesLookedAt, refuseBinary } from '../input/other-formats.ts';
import { Archive } from '../input/workbook-parts.ts';
import { journalPlace, lockFile } from './job-journal.ts';
import type { Tools } from './tools.ts';

const journalEnding = '.journal';

export interface HeldFiles {
  /** The files that hold an id. */
  holding(id: string): readonly string[];
  /** `items` are all the words under which a job asks about the id. Gives how many rows are taken out of journals. */
  takeOut(id: string, items: readonly string[]): Promise<number>;
}

/** Reads all files, and changes none, before anything is forgotten. @throws UsageError for a file that is not there, or that cannot be looked into */
export async function lookInto(
  paths: readonly string[],
  ids: readonly string[],
  tools: Tools,
): Promise<HeldFiles> {
  const held = new Map<string, ReadonlySet<string>>();
  const journals = new Set<string>();
  for (const path of paths) {
    const out = path.endsWith(journalEnding) ? path.slice(0, -journalEnding.length) : path;
    const hasJournal = existsSync((await journalPlace(out))?.path ?? '');
    if (hasJournal) journals.add(out);
    const isAlone = hasJournal && (out !== path || !existsSync(path));
    held.set(path, isAlone ? new Set() : await idsIn(path, ids, tools));
  }
  const takeOut = async (id: string, items: readonly string[]): Promise<number> => {
    let rows = 0;
    for (const out of journals) rows += await takeOutOfJournal(out, linesAbout(id, items), tools);
    return rows;
  };
  return {
    holding: (id) => [...held].flatMap(([path, found]) => (found.has(id) ? [path] : [])),
    takeOut,
  };
}

async function takeOutOfJournal(
  out: string,
  isAbout: (line: string) => boolean,
  tools: Tools,
): Promise<number> {
  const place = await journalPlace(out);
  if (place === undefined) return 0;
  const lock = await lockFile(place);
  try {
    const rows = await blankLines(place.path, isAbout);
    if (rows > 0)
      tools.say.notice(
        `${pluralize(rows, 'row')} taken out of ${place.path}: what is asked for again is bought again`,
      );
    return rows;
  } finally {
    lock.release();
  }
}

/** An answer about somebody else may name a person, by an id that is nobody else's. */
function linesAbout(id: string, items: readonly string[]): (line: string) => boolean {
  const beginnings = items.flatMap((item) =>
    ['item', 'sent', 'unsent'].map((name) => `{"${name}":${JSON.stringify(item)}`),
  );
  const named = JSON.stringify(id);
  return (line) =>
    beginnings.some((beginning) => line.startsWith(beginning)) ||
    (id.startsWith('per_') && line.includes(named));
}

async function idsIn(
  path: string,
  ids: readonly string[],
  tools: Tools,
): Promise<ReadonlySet<string>> {
  const source = await openBytes(path, tools.io, tools.stop);
  try {
    const first = await source.chunks.next();
    const start = first.done === true ? Buffer.alloc(0) : first.value;
    const whole = async function* (): AsyncGenerator<Buffer> {
      yield start;
      yield* source.chunks;
    };
    const words = new WordsFound(ids);
    const isZip = start.toString('latin1', 0, 4) === 'PK\x03\x04';
    if (start.toString('latin1', 0, 2) === '\x1f\x8b') {
      await pipeline(whole, createGunzip(), (chunks: AsyncIterable<Buffer>) =>
        words.lookIn(chunks),
      );
    } else {
      refuseBinary(start.subarray(0, bytesLookedAt), isZip, path);
      await words.lookIn(
        isZip ? (await Archive.open(await buffer(whole()), path)).parts() : whole(),
      );
    }
    return words.found;
  } catch (error) {
    if (error instanceof PdiError) throw error;
    throw new UsageError(`${path} cannot be read: it is damaged`, {
      item: path,
      hint: 'nothing was forgotten; leave it out',
      cause: error,
    });
  } finally {
    source.close();
  }
}

/** Finds whole words in bytes of any encoding that writes their letters one after the other, as UTF-16 does with a NUL between. */
class WordsFound {
  readonly found = new Set<string>();
  private readonly patterns: readonly (readonly [word: string, pattern: RegExp])[];
  private readonly longest: number;

  constructor(words: readonly string[]) {
    this.patterns = words.map((word) => [word, patternOf(word)]);
    this.longest = Math.max(...words.map((word) => 2 * Buffer.byteLength(word)));
  }

  async lookIn(chunks: AsyncIterable<Buffer>): Promise<void> {
    let left = '';
    let isFirst = true;
    for await (const chunk of chunks) {
      const text = left + chunk.toString('latin1');
      // What stands before or behind these is in another chunk, with which they are looked at once more.
      this.look(text, isFirst ? 0 : beside, text.length - beside);
      if (text.length > this.longest + 2 * beside) {
        left = text.slice(-(this.longest + 2 * beside));
        isFirst = false;
      } else left = text;
    }
    this.look(left, isFirst ? 0 : beside, left.length);
  }

  private look(text: string, from: number, to: number): void {
    for (const [word, pattern] of this.patterns) {
      if (this.found.has(word)) continue;
      for (const { index, 0: match } of text.matchAll(pattern))
        if (index >= from && index + match.length <= to) this.found.add(word);
    }
  }
}

/** So many characters tell whether a word goes on. */
const beside = 2;

function patternOf(word: string): RegExp {
  const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const plain = Buffer.from(word).toString('latin1');
  const wide = Buffer.from(word, 'utf16le').toString('latin1').replace(/\0$/, '');
  // In the text of JSON, a letter behind a backslash stands for a line end or a tab.
  return new RegExp(
    `(?:(?<![\\w-]\\0?)|(?<=\\\\[nrt]))(?:${escaped(plain)}|${escaped(wide)})(?!\\0?[\\w-])`,
    'g',
  );
}
