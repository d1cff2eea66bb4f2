/** Finds the header of a table, which may stand below titles, notes of an export or another header. Pure. */
import { UsageError } from '../errors.ts';
import { isAlike } from './names.ts';
import type { SeparatedRow } from './separated.ts';

/** So many rows are looked at. */
export const rowsSearched = 20;

type RowOfCells = readonly string[];

/** Gives the place of the first row that holds a wanted column; undefined where none of the first rows does. */
export function headerAt(rows: readonly RowOfCells[], wanted: readonly string[]): number | undefined {
  const at = rows.slice(0, rowsSearched).findIndex((cells, place) => {
    const found = cells.filter((cell) => wanted.some((name) => isAlike(cell, name)));
    return found.length > 0 && (found.some(isFieldName) || !isRowOfValues(cells, rows.slice(0, place)));
  });
  return at < 0 ? undefined : at;
}

const isFieldName = (cell: string): boolean => /[_.]/.test(cell);

/** A plain word such as `LinkedIn` may also be a value of a table whose header stands above, and whose rows must not be lost. */
function isRowOfValues(cells: RowOfCells, above: readonly RowOfCells[]): boolean {
  const filled = filledIn(cells);
  const [first, ...others] = above.filter((row) => filledIn(row) >= filled && !row.some((cell) => /^\s/.test(cell)));
  return filled > 1 && first !== undefined && !first.some(isValue) && (others.length > 0 || cells.some(isValue));
}

const isValue = (cell: string): boolean => /[\d@]|:\/\//.test(cell);

/** Where no row holds a wanted column, the header may still be told from a title by its cells, so that an error can list them. */
export function likelyHeaderAt(rows: readonly RowOfCells[]): number {
  const filled = rows.slice(0, rowsSearched).map(filledIn);
  const most = Math.max(0, ...filled);
  return filled[0] === 1 && most > 1 ? filled.findIndex((count) => count > most / 2) : 0;
}

const filledIn = (cells: RowOfCells): number => cells.filter((cell) => cell.trim() !== '').length;

type LineOfCells = Pick<SeparatedRow, 'line' | 'cells'>;

/** Tables that were put together may have rows with an identifier above a header, and these must not be lost. @throws UsageError naming the first one */
export function refuseRowsAbove(above: readonly LineOfCells[], header: LineOfCells, index: number, name: string): void {
  const lost = above.find(({ cells }) => filledIn(cells) >= filledIn(header.cells) && /^\S*\d\S*$/.test(cells[index]?.trim() ?? ''));
  if (lost === undefined) return;
  throw new UsageError(`${name}, line ${lost.line}: a row above the header, which is in line ${header.line}`, {
    item: name,
    hint: `Put the header first; --header-row ${header.line} leaves out what is above it.`,
  });
}
