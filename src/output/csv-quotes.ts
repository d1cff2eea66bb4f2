/** Cells to lines of CSV (RFC 4180): quoted only where they must be. */
import { stringify } from 'csv-stringify/sync';

/** Joins the cells of lines that are written together, and may change the arrays on the way; a line comes without its line end. */
export type LinesWriter = (lines: readonly string[][]) => readonly string[];

/** Stands between quoted cells until they are back in their lines; where a cell holds it, all of them are quoted one by one. */
const separator = '\u001e';
const always = { quoted: true, quoted_empty: true };

/** Quotes cells: many at a time, since a call of the library costs more than a cell. */
function quoted(cells: readonly string[]): readonly string[] {
  if (cells.length === 0) return [];
  const text = stringify(
    cells.map((cell) => [cell]),
    { ...always, record_delimiter: separator },
  );
  const parts = text.slice(0, -separator.length).split(separator);
  if (parts.length === cells.length) return parts;
  return cells.map((cell) => stringify([[cell]], { ...always, record_delimiter: '' }));
}

/** A writer of lines with this delimiter. */
export function linesWriter(delimiter: string): LinesWriter {
  const special = new RegExp(`["\\r\\n${delimiter.replace(/[\]\\^-]/g, '\\$&')}]`);
  return (lines) => {
    const places: { readonly cells: string[]; readonly column: number; readonly cell: string }[] = [];
    for (const cells of lines) {
      let column = -1;
      for (const cell of cells) {
        column += 1;
        // Readers skip a line with nothing on it, so a lone empty cell is quoted as well.
        if (special.test(cell) || (cell === '' && cells.length === 1)) places.push({ cells, column, cell });
      }
    }
    const ready = quoted(places.map(({ cell }) => cell));
    for (const [index, { cells, column, cell }] of places.entries()) cells[column] = ready[index] ?? cell;
    return lines.map((cells) => cells.join(delimiter));
  };
}
