/** Rows with more cells than the header: brought to its width, so that what a join adds stands below its own names. Pure. */
import type { OwnCells } from '../rows/input-row.ts';
import { endOfCell } from './cells.ts';

/** A row as wide as the header, and whether the cells past it held anything. */
interface FittedCells {
  readonly own: OwnCells;
  readonly spilt: boolean;
}

/**
 * Takes empty cells past the header for filler and drops them; where one holds text, nothing can be lost: the last cell then
 * holds all of it, delimiters included. The cells before keep their bytes.
 */
export function fitCells({ raw, cells }: OwnCells, width: number, delimiter: string): FittedCells {
  const spilt = cells.slice(width).some((cell) => cell.trim() !== '');
  const kept = spilt ? [...cells.slice(0, width - 1), cells.slice(width - 1).join(delimiter)] : cells.slice(0, width);
  const untouched = spilt ? width - 1 : width;
  const start = firstCells(raw, untouched, delimiter) ?? kept.slice(0, untouched).map(quoted);
  return { own: { raw: [...start, ...kept.slice(untouched).map(quoted)].join(delimiter), cells: kept }, spilt };
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** The first cells as they stand in the row; undefined where its quotes are too careless to tell. */
function firstCells(raw: string, count: number, delimiter: string): string[] | undefined {
  const found: string[] = [];
  let at = 0;
  while (found.length < count) {
    const end = endOfCell(raw, delimiter, at);
    if (end === undefined || !raw.startsWith(delimiter, end)) return undefined;
    found.push(raw.slice(at, end));
    at = end + delimiter.length;
  }
  return found;
}
