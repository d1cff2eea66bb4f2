/** Writes a workbook (xlsx). Rows are streamed, so memory does not grow with the sheet. */
import { Zip, ZipDeflate } from 'fflate';
import { pluralize, UsageError } from '../../errors.ts';
import type { ResultRow } from '../../rows/result-row.ts';
import type { FormatOptions, Formatter } from '../formatter.ts';
import { headerOf, type Layout, showsInput } from '../layout.ts';
import { columnReader, columnsFrom } from '../read.ts';
import { bookParts, relationsPath, sheetEnd, sheetPath, sheetStart, style, type WrittenSheet } from './book-parts.ts';
import { ColumnWidths, type MeasuredColumn, rowsMeasured } from './column-widths.ts';
import { maxLinks, SheetLinks, utf8 } from './sheet-links.ts';
import { Cells, maxTextLength } from './typed-cell.ts';

/** A spreadsheet takes this many rows in one sheet; further rows go to a new sheet. */
const rowsInSheet = 1_048_576;

const columnsInSheet = 16_384;

const chunkSize = 65_536;

interface BookOptions {
  readonly name: string;
  readonly columns: readonly MeasuredColumn[];
  readonly hasHeader: boolean;
}

class Book {
  readonly cells = new Cells();
  private readonly written: Uint8Array[] = [];
  private readonly zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    this.written.push(chunk);
  });
  private readonly widths: ColumnWidths;
  private readonly ended: WrittenSheet[] = [];
  private sheet: ZipDeflate | undefined;
  private links = new SheetLinks();
  private rows = 0;
  private gathered = '';
  private measured = 0;

  constructor(private readonly options: BookOptions) {
    this.widths = new ColumnWidths(options.columns, options.hasHeader);
    this.beginRows();
  }

  row(values: readonly unknown[], write: (row: number) => string): void {
    if (this.rows === rowsInSheet) this.nextSheet();
    this.rows += 1;
    this.gathered += `<row>${write(this.rows)}</row>`;
    if (this.measured < rowsMeasured) {
      this.widths.measure(values);
      this.measured += 1;
    } else if (this.gathered.length >= chunkSize) this.flush();
  }

  end(): void {
    this.endSheet();
    for (const [path, text] of bookParts({ ...this.options, sheets: this.ended })) this.part(path).push(utf8(text), true);
    this.zip.end();
  }

  take(): Uint8Array {
    return Buffer.concat(this.written.splice(0));
  }

  link(text: string, column: number, row: number): boolean {
    return this.links.add(text, column, row);
  }

  get hasUnlinked(): boolean {
    return this.ended.some(({ links }) => links.isFull);
  }

  /** fflate keeps what is pushed into a later part until the earlier ones have ended, compressed. */
  private part(path: string): ZipDeflate {
    const part = new ZipDeflate(path);
    this.zip.add(part);
    return part;
  }

  private beginRows(): void {
    const { columns, hasHeader } = this.options;
    const header = columns.map(({ title }) => this.cells.text(title, style.header)).join('');
    this.gathered = hasHeader ? `<row>${header}</row>` : '';
    this.rows = hasHeader ? 1 : 0;
  }

  private nextSheet(): void {
    this.endSheet();
    this.sheet = undefined;
    this.links = new SheetLinks();
    this.beginRows();
  }

  private endSheet(): void {
    const sheet = { rows: this.rows, columns: this.options.columns.length, links: this.links };
    this.flush();
    const end = sheetEnd(sheet, this.options.hasHeader);
    for (const [at, chunk] of end.entries()) this.sheet?.push(chunk, at === end.length - 1);
    this.ended.push(sheet);
  }

  /** The widths stand before the first row, so nothing is written until they are known. */
  private flush(): void {
    this.sheet ??= this.newSheet(this.ended.length + 1);
    this.sheet.push(utf8(this.gathered));
    this.gathered = '';
  }

  private newSheet(number: number): ZipDeflate {
    const sheet = this.part(sheetPath(number));
    sheet.push(utf8(sheetStart(this.options.hasHeader, this.widths.element)));
    if (this.options.columns.some(({ kind }) => kind === 'url')) {
      const relations = this.part(relationsPath(number));
      this.links.open((chunk, isLast) => relations.push(chunk, isLast));
    }
    return sheet;
  }
}

const text = (title: string): MeasuredColumn => ({ name: title, title, kind: 'text' });

function columnsIn(layout: Layout): readonly MeasuredColumn[] {
  const titles = [...headerOf(layout)];
  const input = showsInput(layout) ? titles.splice(0, 1) : [];
  const results = layout.columns.map((column, at) => ({ ...column, title: titles[at] ?? column.name }));
  return [...(layout.own?.header ?? []).map(text), ...input.map(text), ...results, ...titles.slice(results.length).map(text)];
}

function valuesReader({ columns, job, own }: Layout): (row: ResultRow) => readonly unknown[] {
  const readers = columns.map(columnReader);
  return (row) => {
    const record = columnsFrom(row);
    const before = own === undefined ? (job ? [row.input ?? ''] : []) : own.header.map((_name, index) => row.own?.cells[index] ?? '');
    const { unfit } = row;
    const cells = readers.map((read, at) => (unfit?.has(columns[at]?.name ?? '') === true ? undefined : read(record)));
    return [...before, ...cells, ...(job ? [row.status, row.error ?? ''] : [])];
  };
}

const cutRemark = (count: number): string =>
  `${pluralize(count, 'cell')} ${count === 1 ? 'is' : 'are'} cut to the ${maxTextLength} characters that a spreadsheet takes; json and csv have all of them`;

const linksRemark = `a sheet takes ${maxLinks} links; the web addresses after them are plain text`;

function refuseTooMany(count: number): void {
  if (count <= columnsInSheet) return;
  const message = `a sheet takes ${columnsInSheet} columns, and there are ${count}`;
  throw new UsageError(message, { item: '--output', hint: 'write csv, or give an input with fewer columns' });
}

/** Writes a workbook; `rows` returns the bytes that are compressed already. @throws UsageError for more columns than a sheet takes */
export function xlsxFormatter(layout: Layout, { header }: Pick<FormatOptions, 'header'>): Formatter {
  const columns = columnsIn(layout);
  refuseTooMany(columns.length);
  const book = new Book({ name: layout.command ?? 'pdi', columns, hasHeader: header });
  const valuesOf = valuesReader(layout);
  const cell = (value: unknown, column: MeasuredColumn, at: number, row: number): string => {
    const isLink = column.kind === 'url' && typeof value === 'string' && book.link(value, at, row);
    return isLink ? book.cells.text(value, style.link) : book.cells.value(value, column);
  };
  return {
    rows(rows) {
      for (const row of rows) {
        const values = valuesOf(row);
        book.row(values, (number) => columns.map((column, at) => cell(values[at], column, at, number)).join(''));
      }
      return book.take();
    },
    end() {
      book.end();
      return book.take();
    },
    remark() {
      const { cut } = book.cells;
      const remarks = [...(cut === 0 ? [] : [cutRemark(cut)]), ...(book.hasUnlinked ? [linksRemark] : [])];
      return remarks.length === 0 ? undefined : remarks.join('; ');
    },
  };
}
