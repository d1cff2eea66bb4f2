/** Reads the cells of one worksheet that hold something. Cells and rows that only carry a format are passed over before they are parsed. */
import { UsageError } from '../errors.ts';
import { CellLinks, columnName, columnNumber, type FilledCell, type SheetRow } from './cell-links.ts';
import { type Surroundings, shownCell, unescaped, zeroOfFormula } from './sheet-cell.ts';
import { type Archive, type Element, readPart, relationshipsOf, tooLarge, type XmlReader } from './workbook-parts.ts';

/** All rows are held in memory. */
const maxRows = 200_000;
/** The columns of a spreadsheet, A to XFD. */
const maxColumns = 16_384;
/** A row of a spreadsheet as people fill them is a thousandth of this. */
const maxRowLength = 4 * 1024 * 1024;
/** A text that is written once may stand in each row, and is written out in each. */
const maxShown = (packed: number): number => 128 * 1024 * 1024 + 100 * packed;
/** A row has all columns of its sheet, so one far cell gives each of them thousands of empty ones. */
const maxSpread = (filled: number): number => 40_000_000 + 4 * filled;

export interface Sheet {
  readonly rows: readonly SheetRow[];
  readonly width: number;
  /** So many filled rows are hidden, by a filter or by hand. */
  readonly hidden: number;
}

/** @throws Error for broken XML, UsageError for more rows, columns or text than are read */
export async function readSheet(archive: Archive, path: string, surroundings: Surroundings): Promise<Sheet> {
  const reader = new SheetReader(archive.name, archive.zip.fileSize, surroundings);
  await readPart(archive, path, reader);
  return reader.sheet(reader.links.needsRelationships ? await relationshipsOf(archive, path) : new Map());
}

/** An attribute is looked for in one tag alone, because a pattern over all of it takes a time that grows with the square of its length. */
const emptyCell = /<((?:\w+:)?)c(?=\s)[^<>]*(?:\/>|>\s*<\/\1c\s*>)/g;
const emptyRow = /<((?:\w+:)?)row(?=\s)[^<>]*(?:\/>|>\s*<\/\1row\s*>)/g;
const address = /\sr\s*=\s*["'][A-Za-z]*\d+["']/;

/** Only with its address may it be left out: a cell or row without one comes next to the one before. */
const withoutAddressed = (tag: string): string => (address.test(tag) ? '' : tag);

/** A row without an address counts all the same. */
const bareRows = /<((?:\w+:)?)row\s*\/>(?:\s*<\1row\s*\/>)+/g;

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string | undefined;
  formula: string;
  /** The number of a formula that several cells share. */
  shared: string | undefined;
}

const beforeFirst = (): OpenCell => ({ column: -1, type: '', style: 0, value: undefined, formula: '', shared: undefined });

class SheetReader implements XmlReader {
  readonly links: CellLinks;
  private readonly rows: SheetRow[] = [];
  private readonly farthest = { line: 0, column: -1 };
  private filled = 0;
  private shownLength = 0;
  private hidden = 0;
  private isHidden = false;
  private line = 0;
  private cells: FilledCell[] = [];
  private rowLength = 0;
  private cell: OpenCell = beforeFirst();
  private isInRuby = false;
  private reading: 'value' | 'formula' | undefined;

  constructor(
    private readonly name: string,
    private readonly packed: number,
    private readonly around: Surroundings,
  ) {
    this.links = new CellLinks(name);
  }

  shortened(xml: string): string {
    if (xml.includes('<!')) return xml;
    const filled = xml.replace(emptyCell, withoutAddressed).replace(emptyRow, withoutAddressed);
    return filled.replace(bareRows, (rows, prefix: string) => `<${prefix}row count="${rows.split('<').length - 1}"/>`);
  }

  opened({ name, attribute }: Element): void {
    if (name === 'row') this.beginRow(attribute('r'), attribute('hidden'), Number(attribute('count') ?? 1));
    else if (name === 'c') this.beginCell(attribute('r'), attribute('t'), attribute('s'));
    else if (name === 'rPh') this.isInRuby = true;
    else if ((name === 'v' || name === 't') && !this.isInRuby) {
      this.reading = 'value';
      this.cell.value ??= '';
    } else if (name === 'f') {
      this.reading = 'formula';
      this.cell.shared = attribute('t') === 'shared' ? attribute('si') : undefined;
    } else if (name === 'hyperlink') this.links.addHyperlink(attribute('ref'), attribute('id'));
  }

  text(text: string): void {
    if (this.reading === undefined) return;
    this.cell[this.reading] += text;
    this.grow(text.length);
  }

  /** A cell may stand for a long text that is written once, so what it shows counts as well. */
  private grow(length: number): void {
    this.rowLength += length;
    if (this.rowLength > maxRowLength) throw tooLarge(this.name, `has more than ${maxRowLength / 1024 / 1024} MiB in row ${this.line}`);
  }

  closed(name: string): void {
    if (name === 'rPh') this.isInRuby = false;
    else if (name === 'c') this.endCell();
    else if (name === 'row') this.endRow();
    this.reading = undefined;
  }

  sheet(relationships: Awaited<ReturnType<typeof relationshipsOf>>): Sheet {
    const width = this.farthest.column + 1;
    if (this.rows.length * width > maxSpread(this.filled)) throw this.spread();
    this.links.putBehind(this.rows, relationships);
    return { rows: this.rows, width, hidden: this.hidden };
  }

  private spread(): UsageError {
    const { line, column } = this.farthest;
    const place = `${columnName(column)}${line}`;
    return new UsageError(`${this.name}: the cell ${place} lies so far out that ${this.rows.length} rows would get ${column + 1} columns`, {
      item: this.name,
      hint: `Delete what stands in ${place} and its column, or bring it nearer to the others.`,
    });
  }

  private beginRow(number: string | undefined, hidden: string | undefined, count: number): void {
    this.line = number !== undefined && /^\d+$/.test(number) ? Number(number) : this.line + count;
    this.isHidden = hidden === '1' || hidden === 'true';
    this.cell = beforeFirst();
    this.cells = [];
    this.rowLength = 0;
  }

  private beginCell(address: string | undefined, type = 'n', style = '0'): void {
    const [, letters] = /^([A-Za-z]+)\d+$/.exec(address ?? '') ?? [];
    const column = letters === undefined ? this.cell.column + 1 : columnNumber(letters);
    this.cell = { column, type, style: Number(style), value: undefined, formula: '', shared: undefined };
  }

  private endCell(): void {
    const { column, type, value, formula, shared } = this.cell;
    if (value === undefined) return;
    const { text, spoilt } = shownCell(value, this.cell, this.around);
    if (text === '') return;
    if (type === 's') this.grow(text.length);
    if (column >= maxColumns) throw tooLarge(this.name, `has a cell in row ${this.line} beyond the last column of a spreadsheet (XFD)`);
    const isZero = text === '0' && (formula !== '' || shared !== undefined);
    const cell: FilledCell = { column, text, spoilt: isZero ? zeroOfFormula : spoilt, link: undefined };
    this.cells.push(cell);
    this.links.addFormula(cell, this.line, formula, shared);
  }

  private endRow(): void {
    if (this.cells.every(({ text }) => text.trim() === '')) return;
    const isOrdered = this.cells.every(({ column }, at) => column > (this.cells[at - 1]?.column ?? -1));
    if (!isOrdered) this.cells = inOrder(this.cells);
    this.rows.push({ line: this.line, cells: this.cells });
    if (this.isHidden) this.hidden += 1;
    const column = this.cells.at(-1)?.column ?? 0;
    if (column > this.farthest.column) Object.assign(this.farthest, { line: this.line, column });
    this.filled += this.cells.length;
    this.shownLength += this.rowLength;
    if (this.shownLength > maxShown(this.packed))
      throw tooLarge(
        this.name,
        `shows more than ${Math.floor(maxShown(this.packed) / 1024 / 1024)} MiB of text, far more than a workbook of its size holds`,
      );
    // The header is one more.
    if (this.rows.length > maxRows + 1) throw tooLarge(this.name, `has more than ${maxRows} rows`);
  }
}

/** Of two cells in one place, the later one is meant. */
const inOrder = (cells: readonly FilledCell[]): FilledCell[] =>
  [...new Map(cells.map((cell) => [cell.column, cell])).values()].sort((one, other) => one.column - other.column);

/** Gives the texts that cells share, by their numbers. */
export async function readSharedTexts(archive: Archive, path: string | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  if (path === undefined) return texts;
  let written = '';
  let [isText, isInRuby] = [false, false];
  await readPart(archive, path, {
    opened: ({ name }) => {
      if (name === 'si') written = '';
      else if (name === 'rPh') isInRuby = true;
      isText = name === 't' && !isInRuby;
    },
    text: (text) => {
      if (isText) written += text;
    },
    closed: (name) => {
      isText = false;
      if (name === 'rPh') isInRuby = false;
      else if (name === 'si') texts.push(unescaped(written));
    },
  });
  return texts;
}
