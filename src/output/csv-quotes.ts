/** Cells to lines of CSV (RFC 4180): quoted only where they must be. */
import { stringify } from 'csv-stringify/sync';

/** Joins the cells of lines that are written together, and may change the arrays on the way; a line comes without its line end. */
export type LinesWriter = (lines: readonly string[][]) => readonly string[];

const always = { quoted: true, quoted_empty: true, eof: false };
/** Stands between cells that are quoted as one; where a cell holds it, all of them are quoted one by one. */
const separator = '\u001e';

/** Quotes cells: as one text, since a call of the library costs more than a cell, and what it makes of a text it makes of its parts. */
function quoted(cells: readonly string[]): readonly string[] {
  if (cells.length === 0) return cells;
  const together = stringify([[cells.join(separator)]], always).slice(1, -1);
  const parts = together.split(separator).map((inside) => `"${inside}"`);
  return parts.length === cells.length ? parts : cells.map((cell) => stringify([[cell]], always));
}

/** A writer of lines with this delimiter. */
export function linesWriter(delimiter: string): LinesWriter {
  const special = new RegExp(`["\\r\\n${delimiter.replace(/[\]\\^-]/g, '\\$&')}]`);
  return (lines) => {
    const found: string[] = [];
    const places: { readonly cells: string[]; readonly column: number }[] = [];
    for (const cells of lines) {
      let column = 0;
      for (const cell of cells) {
        // Readers skip a line with nothing on it, so a lone empty cell is quoted as well.
        if (cell === '' ? cells.length === 1 : special.test(cell)) {
          found.push(cell);
          places.push({ cells, column });
        }
        column += 1;
      }
    }
    const ready = quoted(found);
    let index = 0;
    for (const { cells, column } of places) cells[column] = ready[index++] ?? '';
    return lines.map((cells) => cells.join(delimiter));
  };
}
