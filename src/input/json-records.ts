/** Cuts JSON of any size into its records: the elements of one array, or objects that follow one another. */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.ts';
import { inMebibytes, type Line, notUtf8 } from './lines.ts';

/** An answer of the service has 16 MB at most, and indentation may make it a few times longer. */
export const maxRecordLength = 64 * 1024 * 1024;

/** Gives each record with the line where it begins. @throws UsageError naming the line that is broken; the records before it come first */
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

const codeOf = (character: string): number => character.charCodeAt(0);
const [newline, space, quote, backslash, comma] = [0x0a, 0x20, codeOf('"'), codeOf('\\'), codeOf(',')];
const [opensArray, closesArray, opensObject, closesObject] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')];

/** What may come between two records. `more` is a further object after an object at the top. */
type Expected = 'anything' | 'more' | 'first element' | 'element' | 'comma' | 'nothing';

/** The bytes of a record are only counted here, and parsed by others: brackets and strings are all that decides where it ends. */
class JsonSplitter {
  private records: Line[] = [];
  private expected: Expected = 'anything';
  private line = 1;
  /** The line where the open record begins. */
  private begin = 1;
  private parts: Buffer[] = [];
  private size = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;

  constructor(private readonly name: string) {}

  take(): readonly Line[] {
    return this.records.splice(0);
  }

  /** Gives the failure, if there is one; `take` then has the records before it. */
  read(chunk: Buffer): UsageError | undefined {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? space;
      if (byte === newline) this.line += 1;
      if (this.depth > 0) {
        this.inside(byte);
        const failure = this.depth === 0 ? this.ended(chunk.subarray(start, at + 1)) : undefined;
        if (failure !== undefined) return failure;
      } else if (byte > space) {
        if (!this.between(byte)) return this.unexpected(chunk.subarray(at));
        start = at;
      }
    }
    return this.depth > 0 ? this.keep(chunk.subarray(start)) : undefined;
  }

  /** Gives the failure of a text that ends in the middle. */
  end(): UsageError | undefined {
    if (this.depth > 0) return this.refusal(this.begin, 'the record that begins here does not end', torn);
    if (this.expected === 'more' || this.expected === 'nothing') return undefined;
    return this.refusal(this.line, this.expected === 'anything' ? 'no JSON object or array' : 'the array does not end', torn);
  }

  /** Follows the brackets of the open record up to its end. */
  private inside(byte: number): void {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (byte === backslash) this.escaped = true;
      else if (byte === quote) this.inString = false;
    } else if (byte === quote) this.inString = true;
    else if (byte === opensArray || byte === opensObject) this.depth += 1;
    else if (byte === closesArray || byte === closesObject) this.depth -= 1;
  }

  /** Returns false where `byte` must not stand between two records. */
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
    if (!(byte === opensObject && (isElement || isTop)) && !(byte === opensArray && isElement)) return false;
    this.expected = isElement ? 'comma' : 'more';
    this.depth = 1;
    this.begin = this.line;
    return true;
  }

  private ended(last: Buffer): UsageError | undefined {
    const failure = this.keep(last);
    if (failure !== undefined) return failure;
    const bytes = Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    if (!isUtf8(bytes)) return notUtf8(this.name, this.begin);
    this.records.push({ line: this.begin, text: bytes.toString('utf8') });
    return undefined;
  }

  private keep(part: Buffer): UsageError | undefined {
    this.parts.push(part);
    this.size += part.length;
    if (this.size <= maxRecordLength) return undefined;
    return this.refusal(this.begin, `the record that begins here is longer than ${inMebibytes(maxRecordLength)}`, torn);
  }

  private unexpected(rest: Buffer): UsageError {
    const word = JSON.stringify(/^[^\s,\]}]+|^./su.exec(rest.toString('utf8', 0, maxShown))?.[0]);
    if (this.expected === 'nothing' || this.expected === 'more') {
      return this.refusal(this.line, `${word} after the end of the JSON`, 'Where each line is JSON of its own, say --input-format ndjson.');
    }
    if (this.expected === 'comma') return this.refusal(this.line, `${word} where a comma should be`, torn);
    return this.refusal(this.line, `${word} where a JSON object should be`, torn);
  }

  private refusal(line: number, what: string, hint: string): UsageError {
    return new UsageError(`${this.name}, line ${line}: ${what}`, { item: this.name, hint });
  }
}

const maxShown = 30;

const torn = 'Write the file again, or mend it there; --input-format says what it is.';
