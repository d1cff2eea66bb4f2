/** Rows of CSV and TSV with their raw text, as RFC 4180 reads them, forgiving where spreadsheets are careless. */

import { endOfCell, type SeparatedRow } from './cells.ts';
import { type LineBlock, linesInBlock } from './lines.ts';
import type { QuotedRows } from './quoted.ts';

/**
 * Rows in groups, as they come. While every line is a whole row, its cells are found here, five times faster; from the
 * first block on that has a row over several lines, or text after a closing quote, csv-parse reads, and is loaded only then.
 * Blank lines are no rows.
 * @throws UsageError for a quote that cannot be meant or a row over 1 MiB, or what `blocks` throws; the rows before it come first.
 */
export async function* separatedRows(
  blocks: AsyncIterable<LineBlock>,
  delimiter: string,
  name: string,
): AsyncGenerator<readonly SeparatedRow[]> {
  let quoted: QuotedRows | undefined;
  let failure: unknown;
  try {
    for await (const block of blocks) {
      const rows = quoted ? undefined : wholeRows(block, delimiter);
      if (rows) {
        yield rows;
        continue;
      }
      quoted ??= await (await import('./quoted.ts')).openQuotedRows(delimiter, block.line, name);
      const failed = await quoted.write(block.bytes);
      yield quoted.take();
      if (failed) throw failed;
    }
  } catch (error) {
    failure = error;
  }
  // csv-parse looks ahead: rows that were read whole come out of it at the end only, whatever the end is.
  const unended = await quoted?.end();
  if (quoted) yield quoted.take();
  failure ??= unended;
  if (failure !== undefined) throw failure;
}

/** The blocks from the first on that has a quote: before it, each line is a row. */
export async function* fromFirstQuote(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  let found = false;
  for await (const block of blocks) {
    found ||= block.bytes.includes('"');
    if (found) yield block;
  }
}

/** The rows of a block in which each line is a row; undefined where one is not. */
function wholeRows(block: LineBlock, delimiter: string): SeparatedRow[] | undefined {
  const rows: SeparatedRow[] = [];
  for (const { line, text } of linesInBlock(block)) {
    const raw = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (raw === '') continue;
    const cells = cellsOf(raw, delimiter);
    if (cells === undefined) return undefined;
    rows.push({ line, raw, cells });
  }
  return rows;
}

/**
 * The cells of one line; undefined where its quotes do not close on it, or not before a delimiter. A quote within an
 * unquoted cell is a character like any other.
 */
function cellsOf(raw: string, delimiter: string): string[] | undefined {
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
