/** Finds the header where it comes again among the rows, as in `cat a.csv b.csv`. Pure. */

import type { InputColumn } from './column.ts';
import { nameKey, plainName } from './names.ts';
import type { SeparatedRow } from './separated.ts';
import { cellsOf } from './separated.ts';

/** `other` is a header in another order or with other names, below which the cells mean something else. */
type Sight = 'row' | 'tail' | 'again' | 'other';

const plain = /^[!-~]*$/;
/** It tells Excel the separator of the next file. */
const separatorLine = /^"?sep=[^\w\s"]?[,;\t|"]*$/i;

export class HeaderWatch {
  private readonly keys: readonly string[];
  private readonly names: ReadonlySet<string>;
  private readonly wanted: string;
  /** A file may lack its last line end, and then the next header goes on in the line. One plain word may also end a name. */
  private readonly tail: string | undefined;
  private readonly longest: number;
  private readonly above: ReadonlySet<string>;

  /** `above` are titles and notes above the header. Where files were put together, they come again before the next one. */
  constructor(
    { cells, raw }: SeparatedRow,
    above: readonly string[],
    private readonly column: InputColumn,
    private readonly delimiter: string,
  ) {
    this.above = new Set(above.filter((line) => /[\p{L}\d]/u.test(line)).map(plainName));
    this.keys = withoutEmptyEnd(cells.map(nameKey));
    this.names = new Set(this.keys.filter((key) => key !== ''));
    this.wanted = nameKey(column.field);
    this.tail = raw.includes(delimiter) || /[_.]/.test(raw) ? raw : undefined;
    this.longest = Math.max(...cells.map((cell) => cell.length));
  }

  sees({ cells, raw }: SeparatedRow): Sight {
    if ((this.above.size > 0 && this.above.has(plainName(raw))) || (cells[0]?.startsWith('sep') === true && separatorLine.test(raw)))
      return 'again';
    if (!this.mayBeName(cells[this.column.index]) && !raw.includes(this.column.field)) return 'row';
    const keys = withoutEmptyEnd(cells.map(nameKey));
    if (keys.length === this.keys.length && keys.every((key, at) => key === this.keys[at])) return 'again';
    if (this.beforeTail(raw) !== undefined) return 'tail';
    if (!keys.includes(this.wanted)) return 'row';
    const known = keys.filter((key) => this.names.has(key)).length;
    const filled = keys.filter((key) => key !== '').length;
    return (known > 1 && known * 2 >= filled) || (keys[this.column.index] === this.wanted && /[_.]/.test(this.wanted)) ? 'other' : 'row';
  }

  /** Gives the row alone where a header follows it in the same line. */
  withoutTail(row: SeparatedRow): SeparatedRow {
    return { ...row, ...this.beforeTail(row.raw) };
  }

  private beforeTail(written: string): Pick<SeparatedRow, 'raw' | 'cells'> | undefined {
    const { tail, delimiter } = this;
    if (tail === undefined || !written.endsWith(tail)) return undefined;
    const raw = written.slice(0, -tail.length).replace(/\ufeff$/, '');
    const cells = raw.trim() === '' ? undefined : cellsOf(raw, delimiter);
    return cells === undefined ? undefined : { raw, cells };
  }

  /** Nearly all cells are told apart here, without looking at them as names. */
  private mayBeName(cell = ''): boolean {
    if (!plain.test(cell)) return this.names.has(nameKey(cell));
    return cell.length <= this.longest && this.names.has(cell.toLowerCase());
  }
}

function withoutEmptyEnd(keys: readonly string[]): readonly string[] {
  const last = keys.findLastIndex((key) => key !== '');
  return keys.slice(0, last + 1);
}
