/** Reads one sheet of a workbook (.xlsx) as rows of a table, each cell as a text. */
import { pluralize, UsageError } from '../errors.ts';
import { type SeparatedRow, separatedText } from './cells.ts';
import { NumberCell, shownCell } from './sheet-cell.ts';
import { readableBook, tooLarge } from './sheet-parts.ts';

/** A workbook is held in memory whole, so there is a limit. */
const maxRows = 200_000;
const maxBytes = 256 * 1024 * 1024;

export const sheetDelimiter = ',';

const rowsAtOnce = 1000;

/** A row without any text is none. @throws UsageError for a book that cannot be read, or has no such sheet, or too many rows */
export async function* sheetRows(
  chunks: AsyncIterable<Buffer>,
  name: string,
  sheet: string | undefined,
): AsyncGenerator<readonly SeparatedRow[]> {
  const rows = await cellsOf(await wholeOf(chunks, name), name, sheet);
  if (rows.length > maxRows + 1) throw tooLarge(name, `has ${pluralize(rows.length, 'row')}, more than ${maxRows}`);
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    yield rows.slice(from, from + rowsAtOnce).flatMap((row, index) => rowOf(row, from + index + 1));
  }
}

async function wholeOf(chunks: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const taken: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(name, `is larger than ${maxBytes / 1024 / 1024} MiB`);
  }
  return Buffer.concat(taken);
}

async function cellsOf(bytes: Buffer, name: string, sheet: string | undefined): Promise<readonly (readonly unknown[])[]> {
  try {
    const { readSheet } = await import('read-excel-file/universal');
    const options = { trim: false, parseNumber: (source: string) => new NumberCell(source) };
    const book = readableBook(bytes, name);
    const rows: unknown = await (sheet === undefined ? readSheet(book, options) : readSheet(book, sheet, options));
    return Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? row : [])) : [];
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(error, name, sheet);
  }
}

function rowOf(row: readonly unknown[], line: number): readonly SeparatedRow[] {
  const cells = row.map(shownCell);
  if (cells.every((cell) => cell === '')) return [];
  const rounded = row.flatMap((cell, index) => (cell instanceof NumberCell && cell.isRounded ? [index] : []));
  return [{ line, raw: separatedText(cells, sheetDelimiter), cells, ...(rounded.length > 0 && { rounded }) }];
}

function unreadable(error: unknown, name: string, sheet: string | undefined): UsageError {
  if (sheet !== undefined && error instanceof Error && 'sheets' in error && Array.isArray(error.sheets)) {
    const hint = `Its sheets are: ${error.sheets.join(', ')}.`;
    return new UsageError(`${name} has no sheet ${JSON.stringify(sheet)}`, { item: name, hint });
  }
  const why = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
  return new UsageError(`${name} cannot be read as a workbook (${why})`, {
    item: name,
    cause: error,
    hint: 'Open it in a spreadsheet and save it as .xlsx again, or save the sheet as CSV UTF-8.',
  });
}
