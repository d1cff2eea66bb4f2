/** Reads the cells of one worksheet that hold something. Cells and rows that only carry a format are passed over before they are parsed. */

import { isWebAddress, linkOfFormula, type ShownCell, shownError, shownFlag, shownIsoTime, shownNumber, unescaped } from './sheet-cell.ts';
import type { CellFormat } from './sheet-formats.ts';
import type { Archive, Element, XmlReader } from './workbook-parts.ts';
import { readPart, relationshipsOf, tooLarge } from './workbook-parts.ts';

/** The columns of a spreadsheet, A to XFD. */
const maxColumns = 16_384;
/** A row of a spreadsheet as people fill them is a thousandth of this. */
const maxRowLength = 4 * 1024 * 1024;

interface FilledCell extends ShownCell {
  /** It counts from 0. */
  readonly column: number;
  /** The web address behind the cell. */
  readonly link?: string;
}

export interface SheetRow {
  readonly line: number;
  readonly cells: readonly FilledCell[];
}

export interface Sheet {
  readonly rows: readonly SheetRow[];
  readonly width: number;
  /** So many filled rows are hidden, by a filter or by hand. */
  readonly hidden: number;
}

interface Surroundings {
  readonly shared: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly since1904: boolean;
  readonly maxRows: number;
}

/** @throws Error for broken XML, UsageError for more rows, columns or text than are read */
export async function readSheet(archive: Archive, path: string, surroundings: Surroundings): Promise<Sheet> {
  const reader = new SheetReader(archive.name, surroundings);
  await readPart(archive, path, reader);
  return reader.sheet(reader.hasLinks ? await relationshipsOf(archive, path) : new Map());
}

/** An attribute is looked for in one tag alone, because a pattern over all of it takes a time that grows with the square of its length. */
const emptyCell = /<((?:\w+:)?)c(?=\s)[^<>]*(?:\/>|>\s*<\/\1c\s*>)/g;
const emptyRow = /<((?:\w+:)?)row(?=\s)[^<>]*(?:\/>|>\s*<\/\1row\s*>)/g;
const address = /\sr\s*=\s*["'][A-Za-z]*\d+["']/;

/** Only with its address may it be left out: a cell or row without one comes next to the one before. */
const withoutAddressed = (tag: string): string => (address.test(tag) ? '' : tag);

/** A row without an address counts all the same. */
const bareRows = /<((?:\w+:)?)row\s*\/>(?:\s*<\1row\s*\/>)+/g;

class SheetReader implements XmlReader {
  hasLinks = false;
  private readonly rows: (SheetRow & { readonly cells: FilledCell[] })[] = [];
  private readonly links = new Map<string, string>();
  private width = 0;
  private hidden = 0;
  private isHidden = false;
  private line = 0;
  private column = -1;
  private cells: FilledCell[] = [];
  private rowLength = 0;
  private type = '';
  private style = 0;
  private pieces: string[] = [];
  private value: string | undefined;
  private formula = '';
  private isInRuby = false;
  private reading: 'value' | 'formula' | undefined;

  constructor(
    private readonly name: string,
    private readonly around: Surroundings,
  ) {}

  shortened(xml: string): string {
    if (xml.includes('<!')) return xml;
    const filled = xml.replace(emptyCell, withoutAddressed).replace(emptyRow, withoutAddressed);
    return filled.replace(bareRows, (rows, prefix: string) => `<${prefix}row count="${rows.split('<').length - 1}"/>`);
  }

  opened({ name, attribute }: Element): void {
    if (name === 'row') this.beginRow(attribute('r'), attribute('hidden'), Number(attribute('count') ?? 1));
    else if (name === 'c') this.beginCell(attribute('r'), attribute('t'), attribute('s'));
    else if (name === 'rPh') this.isInRuby = true;
    else if (name === 'v' || name === 't') this.reading = this.isInRuby ? undefined : 'value';
    else if (name === 'f') this.reading = 'formula';
    else if (name === 'hyperlink') this.link(attribute('ref'), attribute('id'));
    if (this.reading !== undefined) this.pieces = [];
  }

  text(text: string): void {
    if (this.reading === undefined) return;
    this.pieces.push(text);
    this.grow(text.length);
  }

  /** A cell may stand for a long text that is written once, so what it shows counts as well. */
  private grow(length: number): void {
    this.rowLength += length;
    if (this.rowLength > maxRowLength) throw tooLarge(this.name, `has more than ${maxRowLength / 1024 / 1024} MiB in row ${this.line}`);
  }

  closed(name: string): void {
    if (name === 'v' || name === 't') {
      if (this.reading === 'value') this.value = (this.value ?? '') + this.pieces.join('');
    } else if (name === 'f') this.formula = this.pieces.join('');
    else if (name === 'rPh') this.isInRuby = false;
    else if (name === 'c') this.endCell();
    else if (name === 'row') this.endRow();
    this.reading = undefined;
  }

  sheet(relationships: Awaited<ReturnType<typeof relationshipsOf>>): Sheet {
    if (this.links.size > 0) for (const row of this.rows) this.addLinks(row, relationships);
    return { rows: this.rows, width: this.width, hidden: this.hidden };
  }

  private beginRow(number: string | undefined, hidden: string | undefined, count: number): void {
    this.line = number !== undefined && /^\d+$/.test(number) ? Number(number) : this.line + count;
    this.isHidden = hidden === '1' || hidden === 'true';
    this.column = -1;
    this.cells = [];
    this.rowLength = 0;
  }

  private beginCell(address: string | undefined, type = 'n', style = '0'): void {
    const [, letters] = /^([A-Za-z]+)\d+$/.exec(address ?? '') ?? [];
    this.column = letters === undefined ? this.column + 1 : columnNumber(letters);
    this.type = type;
    this.style = Number(style);
    this.value = undefined;
    this.formula = '';
  }

  private endCell(): void {
    if (this.value === undefined) return;
    const shown = this.shown(this.value);
    if (shown.text === '') return;
    if (this.type === 's') this.grow(shown.text.length);
    if (this.column >= maxColumns)
      throw tooLarge(this.name, `has a cell in row ${this.line} beyond the last column of a spreadsheet (XFD)`);
    const link = this.formula === '' ? undefined : linkOfFormula(this.formula);
    this.cells.push({ ...shown, column: this.column, ...(link !== undefined && { link }) });
  }

  private shown(value: string): ShownCell {
    const { shared, formats, since1904 } = this.around;
    if (this.type === 's') return { text: shared[Number(value)] ?? '' };
    if (this.type === 'str' || this.type === 'inlineStr') return { text: unescaped(value) };
    if (this.type === 'b') return shownFlag(value);
    if (this.type === 'e') return shownError(value);
    if (this.type === 'd') return shownIsoTime(value);
    return value.trim() === '' ? { text: '' } : shownNumber(value, formats[this.style] ?? 'number', since1904);
  }

  private endRow(): void {
    if (this.cells.every(({ text }) => text.trim() === '')) return;
    this.rows.push({ line: this.line, cells: this.cells });
    if (this.isHidden) this.hidden += 1;
    for (const { column } of this.cells) this.width = Math.max(this.width, column + 1);
    // The header is one more.
    if (this.rows.length > this.around.maxRows + 1) throw tooLarge(this.name, `has more than ${this.around.maxRows} rows`);
  }

  private link(ref: string | undefined, id: string | undefined): void {
    if (ref === undefined || id === undefined) return;
    this.links.set((ref.split(':')[0] ?? '').replaceAll('$', '').toUpperCase(), id);
    this.hasLinks = true;
  }

  private addLinks(
    { line, cells }: SheetRow & { readonly cells: FilledCell[] },
    relationships: Awaited<ReturnType<typeof relationshipsOf>>,
  ): void {
    for (const [at, cell] of cells.entries()) {
      const id = this.links.get(`${columnName(cell.column)}${line}`);
      const { target = '' } = (id === undefined ? undefined : relationships.get(id)) ?? {};
      if (isWebAddress(target)) cells[at] = { ...cell, link: target };
    }
  }
}

const letterCount = 26;
const codeOfA = 65;

/** Columns count from 0, as A to Z, then AA. */
const columnNumber = (letters: string): number =>
  [...letters.toUpperCase()].reduce((number, letter) => number * letterCount + letter.charCodeAt(0) - codeOfA + 1, 0) - 1;

const columnName = (column: number): string =>
  (column < letterCount ? '' : columnName(Math.floor(column / letterCount) - 1)) + String.fromCharCode(codeOfA + (column % letterCount));

/** Gives the texts that cells share, by their numbers. */
export async function readSharedTexts(archive: Archive, path: string | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  if (path === undefined) return texts;
  let parts: string[] = [];
  let [isText, isInRuby] = [false, false];
  await readPart(archive, path, {
    opened: ({ name }) => {
      if (name === 'si') parts = [];
      else if (name === 'rPh') isInRuby = true;
      isText = name === 't' && !isInRuby;
    },
    text: (text) => {
      if (isText) parts.push(text);
    },
    closed: (name) => {
      isText = false;
      if (name === 'rPh') isInRuby = false;
      else if (name === 'si') texts.push(unescaped(parts.join('')));
    },
  });
  return texts;
}
