/** Reads rows of CSV and TSV with their raw text as RFC 4180 says, and accepts the careless forms of spreadsheets. */

import { endOfCell, type SeparatedRow } from './cells.ts';
import { type LineBlock, linesInBlock, maxLineLength } from './lines.ts';
import type { QuotedRows } from './quoted.ts';

/** @throws UsageError for a stray quote or a row over `maxLength`, or what `blocks` throws; the rows before it come first */
export async function* separatedRows(
  blocks: AsyncIterable<LineBlock>,
  delimiter: string,
  name: string,
  maxLength = maxLineLength,
): AsyncGenerator<readonly SeparatedRow[]> {
  let quoted: QuotedRows | undefined;
  let failure: unknown;
  let quotes = 0;
  try {
    for await (const block of blocks) {
      // This is five times faster than csv-parse, which is loaded at the first row over several lines or with text after a closing quote.
      const rows = quoted ? undefined : wholeRows(block, delimiter);
      if (rows) {
        yield rows;
        continue;
      }
      quoted ??= await (await import('./quoted.ts')).QuotedRows.open({ delimiter, line: block.line, name, maxLength });
      const failed = await quoted.write(withoutInnerMarks(block.bytes, quotes));
      quotes += count(block.bytes, quote);
      yield quoted.take();
      if (failed) throw failed;
    }
  } catch (error) {
    failure = error;
  }
  // csv-parse looks ahead, so the last whole rows come out only at the end, also after a failure.
  const unended = await quoted?.end();
  if (quoted) yield quoted.take();
  failure ??= unended;
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
  const cells: string[] = [];
  for (let at = 0; ; at += delimiter.length) {
    const end = endOfCell(raw, delimiter, at);
    if (end === undefined) return undefined;
    const cell = raw[at] === '"' ? raw.slice(at + 1, end - 1).replaceAll('""', '"') : raw.slice(at, end);
    cells.push(cell);
    if (end === raw.length) return cells;
    if (!raw.startsWith(delimiter, end)) return undefined;
    at = end;
  }
}
