/** Writes a workbook (xlsx). Rows are streamed, so memory does not grow with the sheet. */
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { pluralize } from '../errors.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { headerOf, type Layout } from './layout.ts';
import { columnReader, columnsFrom } from './read.ts';
import { Cells, maxTextLength } from './xlsx-cell.ts';
import { bookParts, sheetEnd, sheetPath, sheetStart, style } from './xlsx-parts.ts';

/** A spreadsheet takes this many rows in one sheet; further rows go to a new sheet. */
const rowsInSheet = 1_048_576;

const chunkSize = 65_536;

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

class Book {
  private readonly written: Uint8Array[] = [];
  private readonly zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    this.written.push(chunk);
  });
  private sheet: ZipDeflate | undefined;
  private sheets = 0;
  private rows = 0;
  private gathered = '';

  constructor(private readonly header: string | undefined) {}

  row(xml: string): void {
    if (this.sheet === undefined || this.rows === rowsInSheet) this.nextSheet();
    this.gathered += `<row>${xml}</row>`;
    this.rows += 1;
    if (this.gathered.length >= chunkSize) this.flush();
  }

  end(): void {
    if (this.sheet === undefined) this.nextSheet();
    this.endSheet();
    for (const [path, text] of bookParts(this.sheets)) {
      const part = new ZipPassThrough(path);
      this.zip.add(part);
      part.push(bytes(text), true);
    }
    this.zip.end();
  }

  take(): Uint8Array {
    return Buffer.concat(this.written.splice(0));
  }

  private nextSheet(): void {
    this.endSheet();
    this.sheets += 1;
    this.sheet = new ZipDeflate(sheetPath(this.sheets));
    this.zip.add(this.sheet);
    this.gathered = sheetStart(this.header !== undefined) + (this.header === undefined ? '' : `<row>${this.header}</row>`);
    this.rows = this.header === undefined ? 0 : 1;
  }

  private endSheet(): void {
    this.sheet?.push(bytes(this.gathered + sheetEnd), true);
    this.gathered = '';
  }

  private flush(): void {
    this.sheet?.push(bytes(this.gathered));
    this.gathered = '';
  }
}

const headerCells = (layout: Layout, cells: Cells): string =>
  [...(layout.own?.header ?? []), ...headerOf(layout)].map((name) => cells.text(name, style.header)).join('');

function cellsReader({ columns, job, own }: Layout, cells: Cells): (row: ResultRow) => string {
  const readers = columns.map((column) => ({ read: columnReader(column), kind: column.kind }));
  return (row) => {
    const record = columnsFrom(row);
    const before = own === undefined ? (job ? [row.input ?? ''] : []) : own.header.map((_name, index) => row.own?.cells[index] ?? '');
    const values = readers.map(({ read, kind }) => cells.value(read(record), kind));
    const after = job ? [row.status, row.error ?? ''] : [];
    return [...before.map((text) => cells.text(text)), ...values, ...after.map((text) => cells.text(text))].join('');
  };
}

const cutRemark = (count: number): string =>
  `${pluralize(count, 'cell')} ${count === 1 ? 'is' : 'are'} cut to the ${maxTextLength} characters that a spreadsheet takes; json and csv have all of them`;

/** Writes rows as a workbook; `rows` returns the bytes that are already compressed. */
export function xlsxFormatter(layout: Layout, { header }: Pick<FormatOptions, 'header'>): Formatter {
  const cells = new Cells();
  const cellsOf = cellsReader(layout, cells);
  const book = new Book(header ? headerCells(layout, cells) : undefined);
  return {
    rows(rows) {
      for (const row of rows) book.row(cellsOf(row));
      return book.take();
    },
    end() {
      book.end();
      return book.take();
    },
    remark: () => (cells.cut === 0 ? undefined : cutRemark(cells.cut)),
  };
}
