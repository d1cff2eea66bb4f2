/** Cuts JSON of any size into its records: lines, the elements of arrays, or objects; these may follow one another. */
import type { UsageError } from '../errors.ts';
import { faultIn } from '../json/exact.ts';
import { untilBroken } from '../rows/row.ts';
import { inMebibytes, type Line, mistakeIn, type Place, placeAfter } from './lines.ts';

/** An answer of the service has 16 MB at most, and indentation may make it a few times longer. */
export const maxRecordLength = 64 * 1024 * 1024;

/** Gives each record of bytes that are UTF-8 with its place. @throws UsageError naming the place that is broken; the records before it come first */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Line[]> {
  const splitter = new JsonSplitter(name);
  for await (const chunk of chunks) yield* untilBroken(splitter.records(chunk), (record) => record);
  splitter.end();
}

export function parsedRecord<T>(record: Line, name: string, parse: (text: string) => T): T {
  const { text } = record;
  try {
    return parse(text);
  } catch (error) {
    const broken =
      'The record that begins there is cut off or broken; where it takes several lines, say --input-format json.';
    if (error instanceof RangeError)
      throw mistakeIn(name, 'the record is nested too deep', broken, { column: 1, ...record });
    const { at, why } = faultIn(text);
    // Python writes it unless it is told otherwise.
    const hint = /^(?:NaN|Infinity)/.test(text.slice(at))
      ? 'JSON has no NaN and no Infinity: write null there.'
      : broken;
    throw mistakeIn(
      name,
      `not JSON: ${why}`,
      hint,
      placeAfter(record, Buffer.from(text.slice(0, at))),
    );
  }
}

const codeOf = (character: string): number => character.charCodeAt(0);
const [space, quote, backslash, comma] = [0x20, codeOf('"'), codeOf('\\'), codeOf(',')];
const [opensArray, closesArray, opensObject, closesObject] = [
  codeOf('['),
  codeOf(']'),
  codeOf('{'),
  codeOf('}'),
];

/** It says what may come between two records. `more` is a further object after an object at the top, `nothing` a further array at most. */
type Expected = 'anything' | 'more' | 'first element' | 'element' | 'comma' | 'nothing';

/** The bytes of a record are only counted here, and parsed by others: brackets and strings are all that decides where it ends. */
class JsonSplitter {
  private expected: Expected = 'anything';
  private place: Place = { line: 1, column: 1 };
  private begin: Place = this.place;
  private parts: Buffer[] = [];
  private size = 0;
  /** A record is open within brackets, within a string, or within a number or another word, which ends before the byte that is no part of it. */
  private depth = 0;
  private inString = false;
  private inWord = false;
  private escaped = false;

  constructor(private readonly name: string) {}

  *records(chunk: Buffer): Generator<Line> {
    for (let at = 0; at < chunk.length; ) {
      let start = at;
      if (!this.isOpen) {
        start = this.startOfRecord(chunk, at);
        if (!this.isOpen) return;
        this.begin = this.place;
        at = start + 1;
      }
      at = this.endOfRecord(chunk, at);
      const part = chunk.subarray(start, at);
      this.keep(part);
      this.place = placeAfter(this.place, part);
      if (!this.isOpen) yield this.whole();
    }
  }

  end(): void {
    if (this.isOpen)
      throw mistakeIn(this.name, 'the record that begins here does not end', torn, this.begin);
    if (this.expected === 'more' || this.expected === 'nothing') return;
    const what =
      this.expected === 'anything' ? 'no JSON object or array' : 'the array does not end';
    throw mistakeIn(this.name, what, torn, this.place);
  }

  private get isOpen(): boolean {
    return this.depth > 0 || this.inString || this.inWord;
  }

  private startOfRecord(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? space;
      if (byte <= space) continue;
      const fits = this.between(byte);
      if (fits && !this.isOpen) continue;
      this.place = placeAfter(this.place, chunk.subarray(from, at));
      if (fits) return at;
      throw this.unexpected(chunk, at);
    }
    this.place = placeAfter(this.place, chunk.subarray(from));
    return chunk.length;
  }

  /** Follows strings and brackets of the open record up to its end, or the chunk's. Here every byte counts, so the state is in variables. */
  private endOfRecord(chunk: Buffer, from: number): number {
    let { depth, inString, inWord, escaped } = this;
    let at = from;
    for (; at < chunk.length && (depth > 0 || inString || inWord); at += 1) {
      const byte = chunk[at] ?? space;
      if (inWord) {
        inWord = !endsWord(byte);
        if (!inWord) break;
      } else if (escaped) escaped = false;
      else if (byte === quote) inString = !inString;
      else if (inString) escaped = byte === backslash;
      else if (byte === opensArray || byte === opensObject) depth += 1;
      else if (byte === closesArray || byte === closesObject) depth -= 1;
    }
    Object.assign(this, { depth, inString, inWord, escaped });
    return at;
  }

  private between(byte: number): boolean {
    const { expected } = this;
    const isInArray = expected === 'element' || expected === 'first element';
    if (isInArray && !endsWord(byte)) this.open(byte, 'comma');
    else if ((expected === 'anything' || expected === 'more') && byte === opensObject)
      this.open(byte, 'more');
    else if ((expected === 'anything' || expected === 'nothing') && byte === opensArray)
      this.expected = 'first element';
    else if ((expected === 'comma' || expected === 'first element') && byte === closesArray)
      this.expected = 'nothing';
    else if (expected === 'comma' && byte === comma) this.expected = 'element';
    else return false;
    return true;
  }

  private open(byte: number, next: Expected): void {
    this.expected = next;
    if (byte === opensObject || byte === opensArray) this.depth = 1;
    else if (byte === quote) this.inString = true;
    else this.inWord = true;
  }

  private whole(): Line {
    const [first = Buffer.alloc(0)] = this.parts;
    const bytes = this.parts.length === 1 ? first : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return { ...this.begin, text: bytes.toString('utf8') };
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.size += part.length;
    if (this.size > maxRecordLength)
      throw mistakeIn(
        this.name,
        `the record that begins here is longer than ${inMebibytes(maxRecordLength)}`,
        torn,
        this.begin,
      );
  }

  private unexpected(chunk: Buffer, at: number): UsageError {
    const word = JSON.stringify(
      /^[^\s,\]}]+|^./su.exec(chunk.toString('utf8', at, at + maxShown))?.[0],
    );
    if (this.expected === 'nothing' || this.expected === 'more') {
      const hint = 'Where each line is JSON of its own, say --input-format ndjson.';
      return mistakeIn(this.name, `${word} after the end of the JSON`, hint, this.place);
    }
    const wanted =
      this.expected === 'comma'
        ? 'a comma'
        : this.expected === 'anything'
          ? 'a JSON object or array'
          : 'a JSON value';
    return mistakeIn(this.name, `${word} where ${wanted} should be`, torn, this.place);
  }
}

const endsWord = (byte: number): boolean =>
  byte <= space || byte === comma || byte === closesArray || byte === closesObject;

const maxShown = 30;

const torn = 'Write the file again, or correct it there; --input-format says what it is.';
