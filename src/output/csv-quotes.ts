/** Cells to lines of CSV (RFC 4180): quoted only where they must be. */
import { stringify } from 'csv-stringify/sync';

/** Joins the cells of lines that are written together, and may change the arrays on the way; a line comes without its line end. */
export type LinesWriter = (lines: readonly string[][]) => readonly string[];

/** Stands between quoted cells until they are back in their lines. A cell that holds it sends all of them the long way. */
const separator = '\u001e';
const always = { quoted: true, quoted_empty: true };

/** Quotes cells: many at a time, since a call of the library costs more than a cell. */
function quoted(cells: readonly string[]): readonly string[] {
  if (cells.length === 0) return [];
  if (cells.some((cell) => cell.includes(separator))) return cells.map((cell) => stringify([[cell]], { ...always, record_delimiter: '' }));
  const text = stringify(
    cells.map((cell) => [cell]),
    { ...always, record_delimiter: separator },
  );
  return text.slice(0, -separator.length).split(separator);
}

/** A writer of lines with this delimiter. */
export function linesWriter(delimiter: string): LinesWriter {
  const special = new RegExp(`["\\r\\n${delimiter.replace(/[\]\\^-]/g, '\\$&')}]`);
  return (lines) => {
    const places: { readonly cells: string[]; readonly column: number }[] = [];
    const needy: string[] = [];
    for (const cells of lines) {
      for (const [column, cell] of cells.entries()) {
        // Readers skip a line with nothing on it, so a lone empty cell is quoted as well.
        if (!special.test(cell) && (cell !== '' || cells.length > 1)) continue;
        places.push({ cells, column });
        needy.push(cell);
      }
    }
    for (const [index, cell] of quoted(needy).entries()) {
      const place = places[index];
      if (place !== undefined) place.cells[place.column] = cell;
    }
    return lines.map((cells) => cells.join(delimiter));
  };
}
