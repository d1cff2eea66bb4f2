/** Finds where the cells of a CSV or TSV row end. Pure. */

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

/** Gives the end of the cell that starts at `at`; undefined where its quotes do not close. */
export function endOfCell(raw: string, delimiter: string, at: number): number | undefined {
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
