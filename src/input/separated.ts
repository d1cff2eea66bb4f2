/** Reads rows of CSV and TSV with their raw text as RFC 4180 says, and accepts the careless forms of spreadsheets. */
import { finished } from 'node:stream/promises';
import { pluralize, UsageError } from '../errors.ts';
import { startingWith } from '../rows/input-row.ts';
import { countLines, inMebibytes, type LineBlock, linesInBlock, maxLineLength } from './lines.ts';

export interface SeparatedRow {
  readonly line: number;
  /** It is as in the file, without its line end. */
  readonly raw: string;
  readonly cells: readonly string[];
  /** Why these cells of a workbook are no identifiers, by their places: the spreadsheet made something else of what was entered. */
  readonly spoilt?: ReadonlyMap<number, string>;
  /** Web addresses behind cells of a workbook, by their places. */
  readonly links?: ReadonlyMap<number, string>;
}

/** A row of a workbook is written with it. */
export const sheetDelimiter = ',';

/** @throws UsageError for a stray quote or a row over `maxLength`, or what `blocks` throws; the rows before it come first */
export async function* separatedRows(
  blocks: AsyncGenerator<LineBlock>,
  delimiter: string,
  name: string,
  maxLength = maxLineLength,
): AsyncGenerator<readonly SeparatedRow[]> {
  for await (const block of blocks) {
    // This is five times faster than csv-parse, which is loaded at the first row over several lines or with text after a closing quote.
    const rows = wholeRows(block, delimiter);
    if (rows !== undefined) yield rows;
    else yield* quotedRows(block, blocks, { delimiter, name, maxLength });
  }
}

/** Before the first quote each line is a row, so these blocks need no check. */
export async function* fromFirstQuote(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  let found = false;
  for await (const block of blocks) {
    found ||= block.bytes.includes('"');
    if (found) yield block;
  }
}

function wholeRows(block: LineBlock, delimiter: string): SeparatedRow[] | undefined {
  const rows: SeparatedRow[] = [];
  for (const { line, text } of linesInBlock(block)) {
    const unmarked = text.startsWith('\ufeff"') ? text.slice(1) : text;
    const raw = unmarked.endsWith('\r') ? unmarked.replace(/\r\r?$/, '') : unmarked;
    if (raw === '') continue;
    const cells = cellsOf(raw, delimiter);
    if (cells === undefined) return undefined;
    rows.push({ line, raw, cells });
  }
  return rows;
}

/** It is undefined where quotes do not close on this line before a delimiter. A quote within an unquoted cell is an ordinary character. */
export function cellsOf(raw: string, delimiter: string): string[] | undefined {
  if (!raw.includes('"')) return raw.split(delimiter);
  return writtenCells(raw, delimiter)?.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** Gives the first cells as they are written; undefined where the row's quotes are too careless. */
export function writtenCells(raw: string, delimiter: string, count = Number.POSITIVE_INFINITY): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; found.length < count; ) {
    const end = endOfCell(raw, delimiter, at);
    if (end === undefined) return undefined;
    found.push(raw.slice(at, end));
    if (end === raw.length) break;
    if (!raw.startsWith(delimiter, end)) return undefined;
    at = end + delimiter.length;
  }
  return found;
}

/** Gives the end of the cell that starts at `at`; undefined where its quotes do not close. */
function endOfCell(raw: string, delimiter: string, at: number): number | undefined {
  if (raw[at] === '"') return afterQuotes(raw, at);
  const end = raw.indexOf(delimiter, at);
  return end < 0 ? raw.length : end;
}

function afterQuotes(raw: string, at: number): number | undefined {
  let end = raw.indexOf('"', at + 1);
  while (end >= 0 && raw[end + 1] === '"') end = raw.indexOf('"', end + 2);
  return end < 0 ? undefined : end + 1;
}

/** Gives the text of a cell as a row has it. */
export const separatedCell = (cell: string, delimiter: string): string =>
  needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;

export const separatedText = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => separatedCell(cell, delimiter)).join(delimiter);

const needsQuotes = (cell: string, delimiter: string): boolean => /["\r\n]/.test(cell) || cell.includes(delimiter);

interface QuotedOptions {
  readonly delimiter: string;
  readonly name: string;
  readonly maxLength: number;
}

/** Reads on with csv-parse, from a block that has quoted line ends or text after a closing quote. The bytes of a record are its raw text. */
async function* quotedRows(
  start: LineBlock,
  others: AsyncGenerator<LineBlock>,
  options: QuotedOptions,
): AsyncGenerator<readonly SeparatedRow[]> {
  const { parse } = await import('csv-parse');
  const rows: SeparatedRow[] = [];
  let pending: Buffer = Buffer.alloc(0);
  /** It is the offset of the first pending byte in the parser's stream. */
  let offset = 0;
  /** The next row starts here. */
  let { line } = start;
  /** `end` is the offset after the record and its line end. @throws StrayQuote, which ends the parser */
  const add = (cells: readonly string[], end: number): void => {
    const record = pending.subarray(0, end - offset);
    const raw = record.toString('utf8').replace(/\r{0,2}\n$/, '');
    if (raw.includes('\n') && findStrayQuote(raw, options.delimiter)?.closed === true) throw new StrayQuote();
    pending = pending.subarray(end - offset);
    offset = end;
    if (raw !== '') rows.push({ line, raw, cells });
    line += countLines(record);
  };
  const parser = parse({
    delimiter: options.delimiter,
    // A program that turns \n into \r\n twice writes \r\r\n.
    record_delimiter: ['\r\r\n', '\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: options.maxLength,
    // Null keeps the record out of the parser's own queue, whose content is lost when an error ends the stream.
    on_record: (cells: unknown, { bytes }) => {
      add(Array.isArray(cells) ? cells : [], bytes);
      return null;
    },
  });
  parser.on('error', () => undefined).resume();
  const explained = (error: unknown): UsageError => explain(error, pending.toString('utf8'), line, options);
  let quotes = 0;
  let failure: unknown;
  try {
    for await (const { bytes } of startingWith([start], others)) {
      const unmarked = withoutInnerMarks(bytes, quotes);
      quotes += count(bytes, quote);
      pending = Buffer.concat([pending, unmarked]);
      const error = await new Promise((resolve) => parser.write(unmarked, resolve));
      yield rows.splice(0);
      if (error instanceof Error) throw explained(error);
    }
  } catch (error) {
    failure = error;
  }
  // csv-parse looks ahead, so the last whole rows come out only at the end, also after a failure.
  await finished(parser.end()).catch((error: unknown) => {
    failure ??= explained(error);
  });
  yield rows.splice(0);
  if (failure !== undefined) throw failure;
}

const markedQuote = Buffer.from('\ufeff"');
const byteOrderMark = markedQuote.subarray(0, -1);
const quote = 0x22;
const newline = 0x0a;

/** Where files were put together, a mark before a quote would hide that its cell is quoted. An odd number of quotes before it means that it lies within a cell. */
function withoutInnerMarks(bytes: Buffer, quotesBefore: number): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(markedQuote); at >= 0; at = bytes.indexOf(markedQuote, at + 1)) {
    if (at > 0 && bytes[at - 1] !== newline) continue;
    if ((quotesBefore + count(bytes.subarray(0, at), quote)) % 2 === 1) continue;
    parts.push(bytes.subarray(from, at));
    from = at + byteOrderMark.length;
  }
  return from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}

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
function explain(error: unknown, text: string, line: number, { name, delimiter, maxLength }: QuotedOptions): UsageError {
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
