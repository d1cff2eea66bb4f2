/** Reads CSV with quoted line ends or text after a closing quote. csv-parse finds the cells, and the bytes of a record are its raw text. */
import { finished } from 'node:stream/promises';
import type { Parser } from 'csv-parse';
import { pluralize, UsageError } from '../errors.ts';
import { endOfCell, type SeparatedRow } from './cells.ts';
import { countLines, inMebibytes } from './lines.ts';

export interface QuotedRows {
  /** It resolves to the failure, if there is one; `take` then has the rows before it. */
  write(bytes: Buffer): Promise<UsageError | undefined>;
  end(): Promise<UsageError | undefined>;
  take(): SeparatedRow[];
}

interface QuotedRowsOptions {
  readonly delimiter: string;
  readonly line: number;
  readonly name: string;
  readonly maxLength: number;
}

/** It loads csv-parse. */
export async function openQuotedRows({ delimiter, line, name, maxLength }: QuotedRowsOptions): Promise<QuotedRows> {
  const { parse } = await import('csv-parse');
  const collector = new RowCollector(line, (row) => findStrayQuote(row, delimiter)?.closed === true);
  const parser = parse({
    delimiter,
    // A program that turns \n into \r\n twice writes \r\r\n.
    record_delimiter: ['\r\r\n', '\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: maxLength,
    // Null keeps the record out of the parser's own queue, whose content is lost when an error ends the stream.
    on_record: (cells: unknown, { bytes }) => {
      collector.add(isCells(cells) ? cells : [], bytes);
      return null;
    },
  });
  parser.on('error', () => undefined).resume();
  return {
    take: () => collector.take(),
    ...writing(parser, collector, (error) => explain(error, { name, line: collector.line, text: collector.pending, delimiter, maxLength })),
  };
}

const isCells = (value: unknown): value is string[] => Array.isArray(value);

function writing(parser: Parser, collector: RowCollector, explained: (error: unknown) => UsageError): Pick<QuotedRows, 'write' | 'end'> {
  return {
    write: (bytes) => {
      collector.expect(bytes);
      return new Promise((resolve) => parser.write(bytes, (error) => resolve(error ? explained(error) : undefined)));
    },
    end: () => finished(parser.end()).then(() => undefined, explained),
  };
}

/** Cuts the stream at the byte offsets where csv-parse says that records end. */
class RowCollector {
  private rows: SeparatedRow[] = [];
  private bytes: Buffer = Buffer.alloc(0);
  /** It is the offset of the first pending byte in the parser's stream. */
  private offset = 0;

  /** The next row starts at `line`; `isBroken` judges rows over several lines. */
  constructor(
    public line: number,
    private readonly isBroken: (row: string) => boolean,
  ) {}

  get pending(): string {
    return this.bytes.toString('utf8');
  }

  expect(bytes: Buffer): void {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes]);
  }

  /** `end` is the offset after the record and its line end. @throws StrayQuote, which ends the parser */
  add(cells: readonly string[], end: number): void {
    const record = this.bytes.subarray(0, end - this.offset);
    const raw = record.toString('utf8').replace(/\r{0,2}\n$/, '');
    if (raw.includes('\n') && this.isBroken(raw)) throw new StrayQuote();
    this.bytes = this.bytes.subarray(end - this.offset);
    this.offset = end;
    if (raw !== '') this.rows.push({ line: this.line, raw, cells });
    this.line += countLines(record);
  }

  take(): SeparatedRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }
}

/** csv-parse accepts some quotes that break a row, so this error ends it. */
class StrayQuote extends Error {}

interface Stray {
  readonly at: number;
  /** A quote in the text of another row closes it; otherwise no quote does. */
  readonly closed: boolean;
}

/** Text behind the closing quote of a cell over several lines means that this quote is another row's. The rows between would be lost. */
function findStrayQuote(row: string, delimiter: string): Stray | undefined {
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
interface ParserPosition extends QuotedRowsOptions {
  readonly text: string;
}

function explain(error: unknown, { name, line, text, delimiter, maxLength }: ParserPosition): UsageError {
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
