/** CSV with quoted line ends or text after a closing quote: csv-parse finds the cells, the bytes between its record ends give each row's raw text. */
import { finished } from 'node:stream/promises';
import type { Parser } from 'csv-parse';
import { UsageError } from '../errors.ts';
import { countLines, longestLine } from './lines.ts';
import type { SeparatedRow } from './separated.ts';

export interface QuotedRows {
  /** Parses bytes; resolves to the failure, if that is the end, when `take` has the rows before it. */
  write(bytes: Buffer): Promise<UsageError | undefined>;
  end(): Promise<UsageError | undefined>;
  /** The rows completed since the last call. */
  take(): SeparatedRow[];
}

/** `line`: 1-based number of the first line that will be written. Loads csv-parse. */
export async function openQuotedRows(delimiter: string, line: number, name: string): Promise<QuotedRows> {
  const { parse } = await import('csv-parse');
  const collector = new RowCollector(line);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: longestLine,
    // Returning null keeps the record out of the parser's own queue, which loses its content when an error ends the stream.
    on_record: (cells: unknown, { bytes }) => {
      collector.add(isCells(cells) ? cells : [], bytes);
      return null;
    },
  });
  parser.on('error', () => undefined).resume();
  return { take: () => collector.take(), ...writing(parser, collector, name) };
}

const isCells = (value: unknown): value is string[] => Array.isArray(value);

function writing(parser: Parser, collector: RowCollector, name: string): Pick<QuotedRows, 'write' | 'end'> {
  const explained = (error: unknown): UsageError => explain(error, name, collector.line);
  return {
    write: (bytes) => {
      collector.expect(bytes);
      return new Promise((resolve) => parser.write(bytes, (error) => resolve(error ? explained(error) : undefined)));
    },
    end: () => finished(parser.end()).then(() => undefined, explained),
  };
}

/** Slices the stream at the byte offsets where csv-parse says that records end. */
class RowCollector {
  #rows: SeparatedRow[] = [];
  #pending: Buffer = Buffer.alloc(0);
  /** Offset in the parser's stream of the first pending byte. */
  #offset = 0;

  /** `line`: where the next row starts. */
  constructor(public line: number) {}

  expect(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
  }

  /** `end`: offset in the parser's stream of the byte after the record and its line end. */
  add(cells: readonly string[], end: number): void {
    const bytes = this.#pending.subarray(0, end - this.#offset);
    this.#pending = this.#pending.subarray(end - this.#offset);
    this.#offset = end;
    const raw = bytes.toString('utf8').replace(/\r?\n$/, '');
    if (raw !== '') this.#rows.push({ line: this.line, raw, cells });
    this.line += countLines(bytes);
  }

  take(): SeparatedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** `line`: where the row begins that could not be read. */
function explain(error: unknown, name: string, line: number): UsageError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${name}, line ${line}`;
  const details = { item: name, cause: error, hint: `Look for a lone " from line ${line} on; a quote inside quotes is written twice.` };
  if (code === 'CSV_QUOTE_NOT_CLOSED') return new UsageError(`${where}: a quote is opened in this row and never closed`, details);
  if (code === 'CSV_MAX_RECORD_SIZE') return new UsageError(`${where}: the row is longer than 1 MiB`, details);
  return new UsageError(`${where}: not readable as CSV (${error instanceof Error ? error.message : String(error)})`, details);
}
