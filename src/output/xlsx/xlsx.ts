/** Writes a workbook (xlsx). Rows are streamed, so memory does not grow with the sheet. */
import type { Column } from '../../contract/columns.ts';
import { pluralize, UsageError } from '../../errors.ts';
import type { ResultRow } from '../../rows/row.ts';
import { elementRows, itemColumn } from '../explode.ts';
import { type Formatter, isFigure, type Layout } from '../layout.ts';
import { columnReader, columnsFrom, type FileColumn, fileColumns } from '../read.ts';
import { chunkSize, columnLetters, sheetEnd, sheetName, sheetStart, Workbook, type WrittenSheet } from './book-parts.ts';
import { ColumnWidths, maxTextLength, rowsMeasured, style } from './cells.ts';

/** What a spreadsheet takes in one sheet: further rows go to a new sheet, and the addresses after so many links are plain text. */
export const sheetRoom = { rows: 1_048_576, links: 65_530 } as const;

const columnsInSheet = 16_384;

/** One table of a book, in as many sheets as its rows need. */
class SheetTable {
  readonly ended: WrittenSheet[] = [];
  hasUnlinked = false;
  private readonly widths: ColumnWidths;
  private readonly letters: readonly string[];
  private sheet: ReturnType<Workbook['sheet']>;
  private rows = 0;
  private gathered = '';
  private isBegun = false;
  private measured = 0;

  constructor(
    private readonly book: Workbook,
    private readonly name: string,
    private readonly columns: readonly FileColumn[],
  ) {
    refuseTooMany(columns.length);
    this.widths = new ColumnWidths(columns, book.hasHeader);
    this.letters = columns.map((_column, at) => columnLetters(at));
    this.sheet = this.newSheet();
  }

  row(row: ResultRow): void {
    if (this.rows === this.book.room.rows) {
      this.end();
      this.sheet = this.newSheet();
    }
    this.rows += 1;
    const record = columnsFrom(row);
    const values = this.columns.map(({ read }) => read(record, row));
    const cells = this.columns.map((column, at) => this.cell(values[at], column, at));
    this.gathered += `<row r="${this.rows}">${cells.join('')}</row>`;
    if (this.measured < rowsMeasured) {
      this.widths.measure(values);
      this.measured += 1;
    } else if (this.gathered.length >= chunkSize) this.flush();
  }

  end(): void {
    this.flush();
    const { number, part, links } = this.sheet;
    const written = { name: sheetName(this.name, this.ended.length + 1), number, rows: this.rows, columns: this.columns.length };
    part.pushText(sheetEnd(written, this.book.hasHeader, links.end()), true);
    this.hasUnlinked ||= links.isFull;
    this.ended.push(written);
  }

  private cell(value: unknown, column: FileColumn, at: number): string {
    const address = `${this.letters[at]}${this.rows}`;
    const isLink = column.kind === 'url' && typeof value === 'string' && this.sheet.links.add(value, at, this.rows);
    return isLink ? this.book.cells.text(address, value, style.link) : this.book.cells.value(address, value, column);
  }

  private newSheet(): ReturnType<Workbook['sheet']> {
    const header = this.columns.map(({ title, kind }, at) =>
      this.book.cells.text(`${this.letters[at]}1`, title, isFigure(kind) ? style.headerRight : style.header),
    );
    this.gathered = this.book.hasHeader ? `<row r="1">${header.join('')}</row>` : '';
    this.rows = this.book.hasHeader ? 1 : 0;
    this.isBegun = false;
    return this.book.sheet(this.columns.some(({ kind }) => kind === 'url'));
  }

  /** The widths stand before the first row, so nothing is written until they are known. */
  private flush(): void {
    const start = this.isBegun ? '' : sheetStart(this.book.hasHeader, this.widths.element);
    this.isBegun = true;
    this.sheet.part.pushText(start + this.gathered);
    this.gathered = '';
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

/** Of one table a list (`--explode A,B`): what tells the record, the number of the element, and its fields. */
function elementColumns({ element = [] }: Column, { columns }: Layout): readonly FileColumn[] {
  const id = columns.find(({ kind }) => kind === 'id');
  const shown = [...columns.filter((column) => isIdentity(column, id)), itemColumn, ...element];
  return shown.map((column) => ({ ...column, title: column.name, read: columnReader(column) }));
}

const cutRemark = (count: number): string =>
  `${pluralize(count, 'cell')} ${count === 1 ? 'is' : 'are'} cut to the ${maxTextLength} characters that a spreadsheet takes; json and csv have all of them`;

function refuseTooMany(count: number): void {
  if (count <= columnsInSheet) return;
  const message = `a sheet takes ${columnsInSheet} columns, and there are ${count}`;
  throw new UsageError(message, { item: '--output', hint: 'write csv, or give an input with fewer columns' });
}

/** Writes a workbook; `rows` returns the bytes that are compressed already. @throws UsageError for more columns than a sheet takes */
export function xlsxFormatter(layout: Layout, room: Workbook['room'] = sheetRoom): Formatter {
  const { header, lists = [] } = layout;
  const book = new Workbook(header, room);
  const names = new Set(lists.map(({ name }) => name));
  const shown: Layout = { ...layout, columns: layout.columns.filter(({ name }) => !names.has(name)) };
  const main = new SheetTable(book, layout.command ?? 'pdi', columnsIn(shown));
  const beside = lists.map((list) => ({ list: list.name, table: new SheetTable(book, list.name, elementColumns(list, layout)) }));
  const tables = [main, ...beside.map(({ table }) => table)];
  return {
    rows(rows) {
      for (const row of rows) {
        main.row(row);
        for (const { list, table } of beside) for (const element of elementRows(row, list, false)) table.row(element);
      }
      return book.take();
    },
    end() {
      for (const table of tables) table.end();
      const sheets = tables.flatMap(({ ended }) => ended);
      return book.end(sheets);
    },
    remark() {
      const { cut } = book.cells;
      const hasUnlinked = tables.some((table) => table.hasUnlinked);
      const remarks = [
        ...(cut === 0 ? [] : [cutRemark(cut)]),
        ...(hasUnlinked ? [`a sheet takes ${room.links} links; the web addresses after them are plain text`] : []),
      ];
      return remarks.length === 0 ? undefined : remarks.join('; ');
    },
  };
}
