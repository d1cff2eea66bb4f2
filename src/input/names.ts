/** Compares names of columns as a reader sees them, and finds the header of a table, which may stand below titles or notes. Pure. */

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Gives a name without invisible characters, with one ordinary blank for blanks of any kind, in NFC. */
export const plainName = (name: string): string => name.replace(invisible, '').replace(/\s+/g, ' ').trim().normalize('NFC');

/** Names with the same key look alike but for their case. */
export const nameKey = (name: string): string => plainName(name).toLowerCase();

export const isAlike = (one: string, other: string): boolean => nameKey(one) === nameKey(other);

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

export const filledIn = (cells: RowOfCells): number => cells.filter((cell) => cell.trim() !== '').length;
