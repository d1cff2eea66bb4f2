/** Writes a workbook (xlsx). Rows are streamed, so memory does not grow with the sheet. */
import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import type { Column } from '../../contract/columns.ts';
import { pluralize, UsageError } from '../../errors.ts';
import type { ResultRow } from '../../rows/result-row.ts';
import { elementRows, itemColumn } from '../explode.ts';
import { type FileColumn, type FormatOptions, type Formatter, fileColumns, type Layout } from '../layout.ts';
import { columnReader, columnsFrom } from '../read.ts';
import { bookParts, relationsPath, sheetEnd, sheetName, sheetPath, sheetStart, style, type WrittenSheet } from './book-parts.ts';
import { ColumnWidths, isFigure, type MeasuredColumn, rowsMeasured } from './column-widths.ts';
import { columnLetters, SheetLinks, utf8 } from './sheet-links.ts';
import { Cells, maxTextLength } from './typed-cell.ts';

/** What a spreadsheet takes in one sheet: further rows go to a new sheet, and the addresses after so many links are plain text. */
export const sheetRoom = { rows: 1_048_576, links: 65_530 } as const;

interface SheetRoom {
  readonly rows: number;
  readonly links: number;
}

const columnsInSheet = 16_384;

const chunkSize = 65_536;

/** Larger pieces shrink better, because each is compressed by itself. */
const pieceLength = 4 * chunkSize;

/** A part of a book, compressed by Node's zlib, which takes a third of the time of fflate's own. */
class DeflatedPart extends ZipPassThrough {
  override compression = 8;
  private gathered: Uint8Array[] = [];
  private gatheredLength = 0;

  protected override process(chunk: Uint8Array, isLast: boolean): void {
    this.gathered.push(chunk);
    this.gatheredLength += chunk.length;
    if (!isLast && this.gatheredLength < pieceLength) return;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, new Uint8Array(deflateRawSync(Buffer.concat(this.gathered), { finishFlush })), isLast);
    this.gathered = [];
    this.gatheredLength = 0;
  }
}

/** The zip of a book. fflate keeps what is pushed into a later part until the earlier ones have ended, compressed. */
class BookArchive {
  private readonly written: Uint8Array[] = [];
  private sheets = 0;
  private readonly zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    this.written.push(chunk);
  });

  nextSheet(): number {
    this.sheets += 1;
    return this.sheets;
  }

  part(path: string): DeflatedPart {
    const part = new DeflatedPart(path);
    this.zip.add(part);
    return part;
  }

  take(): Uint8Array {
    return Buffer.concat(this.written.splice(0));
  }

  end(): Uint8Array {
    this.zip.end();
    return this.take();
  }
}

interface TableOptions {
  readonly name: string;
  readonly columns: readonly MeasuredColumn[];
  readonly hasHeader: boolean;
  readonly room: SheetRoom;
}

/** One table of a book, in as many sheets as its rows need. */
class SheetTable {
  readonly ended: WrittenSheet[] = [];
  private readonly widths: ColumnWidths;
  private readonly letters: readonly string[];
  private sheet: DeflatedPart | undefined;
  private number = 0;
  private links: SheetLinks;
  private rows = 0;
  private gathered = '';
  private measured = 0;

  constructor(
    private readonly archive: BookArchive,
    private readonly cells: Cells,
    private readonly options: TableOptions,
  ) {
    refuseTooMany(options.columns.length);
    this.links = new SheetLinks(options.room.links);
    this.widths = new ColumnWidths(options.columns, options.hasHeader);
    this.letters = options.columns.map((_column, at) => columnLetters(at));
    this.beginRows();
  }

  row(values: readonly unknown[]): void {
    if (this.rows === this.options.room.rows) this.nextSheet();
    this.rows += 1;
    let cells = '';
    for (const [at, column] of this.options.columns.entries()) cells += this.cell(values[at], column, at);
    this.gathered += `<row r="${this.rows}">${cells}</row>`;
    if (this.measured < rowsMeasured) {
      this.widths.measure(values);
      this.measured += 1;
    } else if (this.gathered.length >= chunkSize) this.flush();
  }

  end(): void {
    const sheet = { rows: this.rows, columns: this.options.columns.length, links: this.links };
    this.flush();
    const name = sheetName(this.options.name, this.ended.length + 1);
    const written = { ...sheet, name, number: this.number };
    const end = sheetEnd(written, this.options.hasHeader);
    for (const [at, chunk] of end.entries()) this.sheet?.push(chunk, at === end.length - 1);
    this.ended.push(written);
  }

  private cell(value: unknown, column: MeasuredColumn, at: number): string {
    const address = `${this.letters[at]}${this.rows}`;
    const isLink = column.kind === 'url' && typeof value === 'string' && this.links.add(value, at, this.rows);
    return isLink ? this.cells.text(address, value, style.link) : this.cells.value(address, value, column);
  }

  private beginRows(): void {
    const { columns, hasHeader } = this.options;
    const header = columns.map(({ title, kind }, at) =>
      this.cells.text(`${this.letters[at]}1`, title, isFigure(kind) ? style.headerRight : style.header),
    );
    this.gathered = hasHeader ? `<row r="1">${header.join('')}</row>` : '';
    this.rows = hasHeader ? 1 : 0;
  }

  private nextSheet(): void {
    this.end();
    this.sheet = undefined;
    this.links = new SheetLinks(this.options.room.links);
    this.beginRows();
  }

  /** The widths stand before the first row, so nothing is written until they are known. */
  private flush(): void {
    this.sheet ??= this.newSheet();
    this.sheet.push(utf8(this.gathered));
    this.gathered = '';
  }

  private newSheet(): DeflatedPart {
    this.number = this.archive.nextSheet();
    const sheet = this.archive.part(sheetPath(this.number));
    sheet.push(utf8(sheetStart(this.options.hasHeader, this.widths.element)));
    if (this.options.columns.some(({ kind }) => kind === 'url')) {
      const relations = this.archive.part(relationsPath(this.number));
      this.links.open((chunk, isLast) => relations.push(chunk, isLast));
    }
    return sheet;
  }
}

/** The columns of a joined input come first. */
function columnsIn(layout: Layout): readonly FileColumn[] {
  const own = (layout.own?.header ?? []).map((title, at): FileColumn => {
    return { name: title, title, kind: 'text', inTable: true, read: (_record, row) => row.own?.cells[at] ?? '' };
  });
  return [...own, ...fileColumns(layout)];
}

/** What tells the records of a list apart: the first id, and names of the record itself or of what it is about. */
const isIdentity = (column: Column, first: Column | undefined): boolean =>
  column === first || /^(?:\w+\.)?(?:full_name|investor_name|company_name|name)$/.test(column.name);

/** One table a list (`--explode A,B`): what tells the record, the number of the element, and its fields. */
function listTable(
  list: Column,
  layout: Layout,
  book: { readonly archive: BookArchive; readonly cells: Cells; readonly hasHeader: boolean; readonly room: SheetRoom },
) {
  const { archive, cells, ...shape } = book;
  const id = layout.columns.find(({ kind }) => kind === 'id');
  const identity = layout.columns.filter((column) => isIdentity(column, id));
  const columns = [...identity, itemColumn, ...(list.element ?? [])];
  const readers = columns.map(columnReader);
  const titled = columns.map((column) => ({ ...column, title: column.name }));
  return {
    list: list.name,
    table: new SheetTable(archive, cells, { name: list.name, columns: titled, ...shape }),
    valuesOf: (row: ResultRow) => readers.map((read) => read(columnsFrom(row))),
  };
}

const cutRemark = (count: number): string =>
  `${pluralize(count, 'cell')} ${count === 1 ? 'is' : 'are'} cut to the ${maxTextLength} characters that a spreadsheet takes; json and csv have all of them`;

const linksRemark = ({ links }: SheetRoom): string => `a sheet takes ${links} links; the web addresses after them are plain text`;

function refuseTooMany(count: number): void {
  if (count <= columnsInSheet) return;
  const message = `a sheet takes ${columnsInSheet} columns, and there are ${count}`;
  throw new UsageError(message, { item: '--output', hint: 'write csv, or give an input with fewer columns' });
}

/** Writes a workbook; `rows` returns the bytes that are compressed already. @throws UsageError for more columns than a sheet takes */
export function xlsxFormatter(
  layout: Layout,
  { header, lists = [] }: Pick<FormatOptions, 'header' | 'lists'>,
  room: SheetRoom = sheetRoom,
): Formatter {
  const archive = new BookArchive();
  const cells = new Cells();
  const names = new Set(lists.map(({ name }) => name));
  const shown: Layout = { ...layout, columns: layout.columns.filter(({ name }) => !names.has(name)) };
  const columns = columnsIn(shown);
  const main = new SheetTable(archive, cells, { name: layout.command ?? 'pdi', columns, hasHeader: header, room });
  const beside = lists.map((list) => listTable(list, layout, { archive, cells, hasHeader: header, room }));
  const tables = [main, ...beside.map(({ table }) => table)];
  return {
    rows(rows) {
      for (const row of rows) {
        const record = columnsFrom(row);
        main.row(columns.map(({ read }) => read(record, row)));
        for (const { list, table, valuesOf } of beside) for (const element of elementRows(row, list, false)) table.row(valuesOf(element));
      }
      return archive.take();
    },
    end() {
      for (const table of tables) table.end();
      const sheets = tables.flatMap(({ ended }) => ended);
      for (const [path, part] of bookParts({ sheets, hasHeader: header })) archive.part(path).push(utf8(part), true);
      return archive.end();
    },
    remark() {
      const hasUnlinked = tables.some(({ ended }) => ended.some(({ links }) => links.isFull));
      const remarks = [...(cells.cut === 0 ? [] : [cutRemark(cells.cut)]), ...(hasUnlinked ? [linksRemark(room)] : [])];
      return remarks.length === 0 ? undefined : remarks.join('; ');
    },
  };
}
