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
  try {
    for await (const block of blocks) {
      // This is five times faster than csv-parse, which is loaded at the first row over several lines or with text after a closing quote.
      const rows = quoted ? undefined : wholeRows(block, delimiter);
      if (rows) {
        yield rows;
        continue;
      }
      quoted ??= await (await import('./quoted.ts')).openQuotedRows({ delimiter, line: block.line, name, maxLength });
      const failed = await quoted.write(block.bytes);
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
const newline = 0x0a;
const endsCell: ReadonlySet<number> = new Set(Buffer.from(',;\t|\r\n'));

/** Where files were put together, a mark before a quote would hide that its cell is quoted. */
export async function* withoutInnerMarks(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  for await (const block of blocks) {
    const { bytes, line } = block;
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(markedQuote); at >= 0; at = bytes.indexOf(markedQuote, at + 1)) {
      // At the end of a cell over several lines the quote closes it, and the mark is a character of that cell.
      const next = bytes[at + markedQuote.length];
      if ((at > 0 && bytes[at - 1] !== newline) || next === undefined || endsCell.has(next)) continue;
      parts.push(bytes.subarray(from, at));
      from = at + byteOrderMark.length;
    }
    yield from === 0 ? block : { bytes: Buffer.concat([...parts, bytes.subarray(from)]), line };
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
    const raw = text.endsWith('\r') ? text.replace(/\r\r?$/, '') : text;
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
