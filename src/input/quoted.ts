/** Reads CSV with quoted line ends or text after a closing quote. csv-parse finds the cells, and the bytes of a record are its raw text. */
import { finished } from 'node:stream/promises';
import type { Options, Parser } from 'csv-parse';
import { pluralize, UsageError } from '../errors.ts';
import { endOfCell, type SeparatedRow } from './cells.ts';
import { countLines, inMebibytes } from './lines.ts';

interface QuotedRowsOptions {
  readonly delimiter: string;
  readonly line: number;
  readonly name: string;
  readonly maxLength: number;
}

/** Cuts the stream at the byte offsets where csv-parse says that records end. */
export class QuotedRows {
  private rows: SeparatedRow[] = [];
  private pending: Buffer = Buffer.alloc(0);
  /** It is the offset of the first pending byte in the parser's stream. */
  private offset = 0;
  /** The next row starts here. */
  private line: number;
  private readonly parser: Parser;

  /** It loads csv-parse. */
  static async open(options: QuotedRowsOptions): Promise<QuotedRows> {
    const { parse } = await import('csv-parse');
    return new QuotedRows(parse, options);
  }

  private constructor(
    parse: (options: Options) => Parser,
    private readonly options: QuotedRowsOptions,
  ) {
    this.line = options.line;
    this.parser = parse({
      delimiter: options.delimiter,
      // A program that turns \n into \r\n twice writes \r\r\n.
      record_delimiter: ['\r\r\n', '\r\n', '\n'],
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: options.maxLength,
      // Null keeps the record out of the parser's own queue, whose content is lost when an error ends the stream.
      on_record: (cells: unknown, { bytes }) => {
        this.add(isCells(cells) ? cells : [], bytes);
        return null;
      },
    });
    this.parser.on('error', () => undefined).resume();
  }

  /** It resolves to the failure, if there is one; `take` then has the rows before it. */
  write(bytes: Buffer): Promise<UsageError | undefined> {
    this.pending = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    return new Promise((resolve) => this.parser.write(bytes, (error) => resolve(error ? this.explained(error) : undefined)));
  }

  end(): Promise<UsageError | undefined> {
    return finished(this.parser.end()).then(
      () => undefined,
      (error: unknown) => this.explained(error),
    );
  }

  take(): SeparatedRow[] {
    return this.rows.splice(0);
  }

  /** `end` is the offset after the record and its line end. @throws StrayQuote, which ends the parser */
  private add(cells: readonly string[], end: number): void {
    const record = this.pending.subarray(0, end - this.offset);
    const raw = record.toString('utf8').replace(/\r{0,2}\n$/, '');
    if (raw.includes('\n') && findStrayQuote(raw, this.options.delimiter)?.closed === true) throw new StrayQuote();
    this.pending = this.pending.subarray(end - this.offset);
    this.offset = end;
    if (raw !== '') this.rows.push({ line: this.line, raw, cells });
    this.line += countLines(record);
  }

  private explained(error: unknown): UsageError {
    return explain(error, this.pending.toString('utf8'), { ...this.options, line: this.line });
  }
}

const isCells = (value: unknown): value is string[] => Array.isArray(value);

/** csv-parse accepts some quotes that break a row, so this error ends it. */
class StrayQuote extends Error {}

/** Text behind the closing quote of a cell over several lines means that this quote is another row's, and `closed` it. The rows between would be lost. */
function findStrayQuote(row: string, delimiter: string): { readonly at: number; readonly closed: boolean } | undefined {
  for (let at = 0; ; ) {
    const end = endOfCell(row, delimiter, at);
    if (end === undefined) return { at, closed: false };
    const isQuoted = row[at] === '"';
    const [restOfLine = ''] = row.slice(end).split('\n', 1);
    const [tail = ''] = restOfLine.split(delimiter, 1);
    if (row.slice(at, end).includes('\n')) {
      if (!isQuoted) return undefined;
      if (tail.trim() !== '') return { at, closed: true };
    }
    if (tail === restOfLine) return undefined;
    at = end + tail.length + delimiter.length;
  }
}

/** The parser stopped at `line`; `text` is what was read from there on. */
function explain(error: unknown, text: string, { name, line, delimiter, maxLength }: QuotedRowsOptions): UsageError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isLong = code === 'CSV_MAX_RECORD_SIZE';
  const stray = error instanceof StrayQuote || isLong || code === 'CSV_QUOTE_NOT_CLOSED' ? findStrayQuote(text, delimiter) : undefined;
  if (stray !== undefined) {
    const opened = line + text.slice(0, stray.at).split('\n').length - 1;
    const never = isLong ? `its row does not end within ${inMebibytes(maxLength)}` : 'never closed';
    const fate = stray.closed ? 'closed only amid the text of another row' : never;
    return new UsageError(`${name}, line ${opened}: a quote is opened here and ${fate}${unreadLines(text.slice(stray.at))}`, {
      item: name,
      hint: text.includes('\\"') ? backslashHint : `Close it on line ${opened}, or take it out; a quote inside quotes is written twice.`,
    });
  }
  const what = isLong
    ? `the row is longer than ${inMebibytes(maxLength)}`
    : `not readable as CSV (${error instanceof Error ? error.message : String(error)})`;
  return new UsageError(`${name}, line ${line}: ${what}`, {
    item: name,
    cause: error,
    hint: text.includes('\\"') ? backslashHint : `Look for a lone " from line ${line} on.`,
  });
}

const backslashHint = 'It has \\" for a quote, which CSV writes twice: sed \'s/\\\\"/""/g\' FILE | pdi … -i -';

function unreadLines(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length - 1;
  return lines === 0 ? '' : `: ${pluralize(lines, 'line')} after it ${lines === 1 ? 'was' : 'were'} not read as rows`;
}
