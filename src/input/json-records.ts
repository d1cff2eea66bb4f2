/** Cuts JSON of any size into its records: the elements of one array, or objects that follow one another. */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.ts';
import { faultIn } from '../json/parse.ts';
import { inMebibytes, type Line, notUtf8 } from './lines.ts';
import { PositionCounter, positionWithin, shownPosition, type TextPosition } from './position.ts';

/** An answer of the service has 16 MB at most, and indentation may make it a few times longer. */
export const maxRecordLength = 64 * 1024 * 1024;

/** Gives each record with its place. @throws UsageError naming the place that is broken; the records before it come first */
export async function* jsonRecords(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<readonly Line[]> {
  const splitter = new JsonSplitter(name);
  for await (const chunk of chunks) {
    const failure = splitter.read(chunk);
    const records = splitter.take();
    if (records.length > 0) yield records;
    if (failure !== undefined) throw failure;
  }
  const failure = splitter.end();
  if (failure !== undefined) throw failure;
}

export function brokenRecord(record: Line, name: string, error: unknown): UsageError {
  const hint = 'The record that begins there is torn or broken; where it takes several lines, say --input-format json.';
  if (error instanceof RangeError)
    return new UsageError(`${shownPosition(name, record)}: the record is nested too deep`, { item: name, hint });
  const { at, why } = faultIn(record.text);
  const place = shownPosition(name, positionWithin(record.text, at, record));
  return new UsageError(`${place}: not JSON: ${why}`, { item: name, cause: error, hint });
}

const codeOf = (character: string): number => character.charCodeAt(0);
const [newline, space, quote, backslash, comma] = [0x0a, 0x20, codeOf('"'), codeOf('\\'), codeOf(',')];
const [opensArray, closesArray, opensObject, closesObject] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')];

/** It says what may come between two records. `more` is a further object after an object at the top. */
type Expected = 'anything' | 'more' | 'first element' | 'element' | 'comma' | 'nothing';

/** The bytes of a record are only counted here, and parsed by others: brackets and strings are all that decides where it ends. */
class JsonSplitter {
  private records: Line[] = [];
  private expected: Expected = 'anything';
  private readonly position = new PositionCounter();
  private begin: Required<TextPosition> = { line: 1, column: 1 };
  private parts: Buffer[] = [];
  private size = 0;
  /** A text or a word by itself counts as one level. */
  private depth = 0;
  /** The open record is a number or another word, which ends before the byte that is no part of it. */
  private inWord = false;
  private isText = false;
  private inString = false;
  private escaped = false;

  constructor(private readonly name: string) {}

  take(): readonly Line[] {
    return this.records.splice(0);
  }

  /** Gives the failure, if there is one; `take` then has the records before it. */
  read(chunk: Buffer): UsageError | undefined {
    let failure: UsageError | undefined;
    for (let at = 0; at < chunk.length && failure === undefined; ) {
      const start = at;
      if (this.depth === 0) {
        const byte = chunk[at] ?? space;
        if (byte === newline) this.position.lineEndsAt(at);
        if (byte > space && !this.between(byte)) return this.unexpected(chunk, at);
        at += 1;
        if (this.depth === 0) continue;
        this.begin = this.position.at(chunk, start);
      }
      at = this.endOfRecord(chunk, at);
      failure = this.keep(chunk.subarray(start, at));
      if (this.depth === 0) failure ??= this.ended();
    }
    this.position.chunkEnds(chunk);
    return failure;
  }

  end(): UsageError | undefined {
    if (this.depth > 0) return this.refusal(this.begin, 'the record that begins here does not end', torn);
    if (this.expected === 'more' || this.expected === 'nothing') return undefined;
    const what = this.expected === 'anything' ? 'no JSON object or array' : 'the array does not end';
    return this.refusal(this.position.at(Buffer.alloc(0), 0), what, torn);
  }

  /** Follows strings and brackets of the open record up to its end, or the chunk's. Here every byte counts, so the state is in variables. */
  private endOfRecord(chunk: Buffer, from: number): number {
    if (this.inWord) return this.endOfWord(chunk, from);
    let { depth, inString, escaped } = this;
    let at = from;
    for (; at < chunk.length && depth > 0; at += 1) {
      const byte = chunk[at] ?? space;
      if (byte === newline) this.position.lineEndsAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) {
          inString = false;
          if (this.isText) depth = 0;
        }
      } else if (byte === quote) inString = true;
      else if (byte === opensArray || byte === opensObject) depth += 1;
      else if (byte === closesArray || byte === closesObject) depth -= 1;
    }
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    return at;
  }

  private endOfWord(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && !endsWord(chunk[at] ?? space)) at += 1;
    if (at < chunk.length) this.depth = 0;
    return at;
  }

  private between(byte: number): boolean {
    const { expected } = this;
    if (expected === 'anything' && byte === opensArray) this.expected = 'first element';
    else if (expected === 'comma' && byte === comma) this.expected = 'element';
    else if ((expected === 'comma' || expected === 'first element') && byte === closesArray) this.expected = 'nothing';
    else return this.opened(byte);
    return true;
  }

  private opened(byte: number): boolean {
    const isElement = this.expected === 'element' || this.expected === 'first element';
    const isTop = this.expected === 'anything' || this.expected === 'more';
    const isNested = byte === opensObject || byte === opensArray;
    if (isElement ? !isNested && endsWord(byte) : !(isTop && byte === opensObject)) return false;
    this.expected = isElement ? 'comma' : 'more';
    this.depth = 1;
    this.isText = byte === quote;
    this.inString = this.isText;
    this.inWord = !isNested && !this.isText;
    return true;
  }

  private ended(): UsageError | undefined {
    const [first] = this.parts;
    const bytes = first !== undefined && this.parts.length === 1 ? first : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    if (!isUtf8(bytes)) return notUtf8(this.name, this.begin.line);
    const { line, column } = this.begin;
    this.records.push({ line, column, text: bytes.toString('utf8') });
    return undefined;
  }

  private keep(part: Buffer): UsageError | undefined {
    this.parts.push(part);
    this.size += part.length;
    if (this.size <= maxRecordLength) return undefined;
    return this.refusal(this.begin, `the record that begins here is longer than ${inMebibytes(maxRecordLength)}`, torn);
  }

  private unexpected(chunk: Buffer, at: number): UsageError {
    const position = this.position.at(chunk, at);
    const word = JSON.stringify(/^[^\s,\]}]+|^./su.exec(chunk.toString('utf8', at, at + maxShown))?.[0]);
    if (this.expected === 'nothing' || this.expected === 'more') {
      return this.refusal(position, `${word} after the end of the JSON`, 'Where each line is JSON of its own, say --input-format ndjson.');
    }
    const wanted = this.expected === 'comma' ? 'a comma' : this.expected === 'anything' ? 'a JSON object or array' : 'a JSON value';
    return this.refusal(position, `${word} where ${wanted} should be`, torn);
  }

  private refusal(position: TextPosition, what: string, hint: string): UsageError {
    return new UsageError(`${shownPosition(this.name, position)}: ${what}`, { item: this.name, hint });
  }
}

const endsWord = (byte: number): boolean => byte <= space || byte === comma || byte === closesArray || byte === closesObject;

const maxShown = 30;

const torn = 'Write the file again, or mend it there; --input-format says what it is.';
