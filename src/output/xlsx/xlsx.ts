/** Writes each value as a cell of the type that a spreadsheet expects, row by row, so that memory does not grow with the sheet. */
import { type Column, type FieldKind, isFigure } from '../../contract/columns.ts';
import { beginningOf, pluralize, UsageError } from '../../errors.ts';
import {
  type ExactNumber,
  isNested,
  isNumber,
  isSameValue,
  nearestDouble,
} from '../../json/exact.ts';
import { columnLetters } from '../../rows/column-letters.ts';
import { localSeconds, parseIsoTime } from '../../rows/iso-time.ts';
import type { ResultRow } from '../../rows/row.ts';
import { cellWidth, figure, isYear, nestedText } from '../display.ts';
import type { Formatter, Layout } from '../layout.ts';
import {
  columnsBeside,
  columnsFrom,
  elementRows,
  type FileColumn,
  fileColumns,
  tellsRow,
  typedReader,
} from '../read.ts';
import {
  escaped,
  pieceLength,
  sheetEnd,
  sheetName,
  sheetStart,
  style,
  Workbook,
  type WrittenSheet,
} from './book-parts.ts';

const maxTextLength = 32_767;

/** XML cannot hold these characters even as escapes: C0 controls except tab and line ends, and two non-characters. */
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Spreadsheets show `_x000D_` in a text as the character with that number, so the underscore must be escaped. */
const numbered = /_(?=x[\da-f]{4}_)/gi;

/** Without a word about it, readers may drop blanks at the ends of a text, and join its lines. */
const hasBlanks = /^\s|\s$|\n|\r|\t| {2}/;

/** Spreadsheets count days from 1899-12-30; this is the number of 1970-01-01. */
const epochDay = 25_569;
const daySeconds = 86_400;
/** Before March 1900 spreadsheets differ by a day, so such days stay text, and they end with the year 9999. */
const [firstSerial, lastSerial] = [61, 2_958_466];

type CellColumn = Pick<Column, 'kind' | 'name' | 'dateTime'>;

/** One format a column: a column of times shows a time, also where a value has none. */
function dateCell(address: string, text: string, { dateTime }: CellColumn): string | undefined {
  const time = parseIsoTime(text);
  if (time === undefined || time.seconds >= daySeconds) return undefined;
  // Cells have no zone, and spreadsheets would round up the part of a second.
  const serial = localSeconds(time) / daySeconds + epochDay;
  if (serial < firstSerial || serial >= lastSerial) return undefined;
  return `<c r="${address}" s="${dateTime === undefined && !time.hasTime ? style.day : style.time}"><v>${serial}</v></c>`;
}

/** Counts and money have thousands separators; a year, which is a count in the API, has none. */
function styleOfNumber(value: number, { kind, name }: CellColumn): number {
  if (kind === 'usd' || kind === 'percent') return style.cents;
  return kind === 'count' && Number.isInteger(value) && !isYear(name) ? style.whole : style.figure;
}

/** A decimal with more digits than a double holds is the nearest double; an integer with more is text, digit by digit, as is an id. */
function doubleOf(value: number | ExactNumber, { kind }: CellColumn): number | undefined {
  const isHeld = typeof value === 'number' || isSameValue(value.source);
  const mayRound = isFigure(kind) ? kind !== 'count' : !/^-?\d+$/.test(String(value));
  return kind !== 'id' && (isHeld || mayRound) ? nearestDouble(value) : undefined;
}

export class Cells {
  cut = 0;

  /** A text cell is never a formula. Without a text there is no cell. */
  text(address: string, text: string, styleNumber = 0): string {
    if (text === '') return '';
    const fit = this.shortened(text.toWellFormed().replace(unfit, ''));
    // XML readers take a carriage return for a line feed, so spreadsheets write its number.
    const shown = escaped(fit.replace(numbered, '_x005F_').replaceAll('\r', '_x000D_'));
    const space = hasBlanks.test(fit) ? ' xml:space="preserve"' : '';
    return `<c r="${address}"${styleNumber === 0 ? '' : ` s="${styleNumber}"`} t="inlineStr"><is><t${space}>${shown}</t></is></c>`;
  }

  value(address: string, value: unknown, column: CellColumn): string {
    const { kind } = column;
    if (value === undefined || value === null) return '';
    if (isNumber(value)) {
      const double = doubleOf(value, column);
      if (double === undefined) return this.text(address, String(value));
      return `<c r="${address}" s="${styleOfNumber(double, column)}"><v>${double}</v></c>`;
    }
    if (typeof value === 'boolean')
      return `<c r="${address}" s="${style.flag}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if (typeof value === 'string')
      return (
        (kind === 'date' ? dateCell(address, value, column) : undefined) ??
        this.text(address, value)
      );
    return '';
  }

  private shortened(text: string): string {
    if (text.length <= maxTextLength) return text;
    this.cut += 1;
    return `${beginningOf(text, maxTextLength - 1)}…`;
  }
}

const rowsMeasured = 1000;

/** Of what stands on every page, in characters: there must be room for the others. */
const widestRepeated = 80;

const widest = 60;
const narrowest = 6;
/** It is room for the margins of a cell, and for the arrow of a filter in a header. */
const margin = 2;
const indent = 2;
const arrow = 3;

const shownTime = '2026-01-01 00:00:00';

/** Any value of the kind fits, so that later rows show theirs too. */
const longest: Readonly<Partial<Record<FieldKind, string>>> = {
  date: '2026-01-01',
  usd: '999,999,999,999.00',
  count: '999,999,999',
  number: '-1234.56',
  percent: '-1234.56',
};

const leastWidth = ({ kind, dateTime }: CellColumn): number =>
  (dateTime === undefined ? longest[kind] : shownTime)?.length ?? narrowest;

function textWidth(text: string): number {
  const lines = text.slice(0, 4 * widest).split('\n');
  return Math.max(...lines.map(cellWidth));
}

function shownWidth(value: unknown, { kind, name }: CellColumn): number {
  if (kind === 'date' && typeof value === 'string')
    return Math.min(textWidth(value), shownTime.length);
  if (typeof value === 'string') return textWidth(value);
  if (isNumber(value)) return figure(value, kind === 'usd' ? 'count' : kind, name).length;
  return value === null || value === undefined ? 0 : 'FALSE'.length;
}

function columnElements(columns: readonly FileColumn[], widths: readonly number[]): string {
  const each = columns.map(({ kind }, index) => {
    const width = (widths[index] ?? 0) + (isFigure(kind) ? indent : 0);
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(width, widest) + margin}" customWidth="1"/>`;
  });
  return each.length === 0 ? '' : `<cols>${each.join('')}</cols>`;
}

/** What a spreadsheet takes in one sheet: further rows go to a new sheet, and the addresses after so many links are plain text. */
export const sheetRoom = { rows: 1_048_576, links: 65_530 } as const;

const columnsInSheet = 16_384;

class SheetTable {
  readonly ended: WrittenSheet[] = [];
  readonly cells = new Cells();
  hasUnlinked = false;
  /** They stand before the rows in the file, so the first rows, and the kinds of the columns, decide them. */
  private readonly widths: number[];
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
    this.widths = columns.map((column) =>
      Math.max(leastWidth(column), book.hasHeader ? cellWidth(column.title) + arrow : 0),
    );
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
    const values = this.columns.map((column) => {
      const value = column.read(record, row);
      return isNested(value) ? nestedText(value, column) : value;
    });
    const cells = this.columns.map((column, at) => this.cell(values[at], column, at));
    this.gathered += `<row r="${this.rows}">${cells.join('')}</row>`;
    if (this.measured < rowsMeasured) {
      for (const [at, column] of this.columns.entries())
        this.widths[at] = Math.max(this.widths[at] ?? 0, shownWidth(values[at], column));
      this.measured += 1;
    } else if (this.gathered.length >= pieceLength) this.flush();
  }

  end(): void {
    const { number, relations, links } = this.sheet;
    const written = {
      name: sheetName(this.name, this.ended.length + 1),
      number,
      rows: this.rows,
      columns: this.columns.length,
      repeated: this.repeated,
      width: this.widthOf(this.columns.length),
    };
    this.flush(sheetEnd(written, this.book.hasHeader, links.inSheet));
    relations?.pushText(links.part, true);
    this.hasUnlinked ||= links.isFull;
    this.ended.push(written);
  }

  private widthOf(count: number): number {
    return this.widths
      .slice(0, count)
      .reduce((sum, width) => sum + Math.min(width, widest) + margin, 0);
  }

  private get repeated(): number {
    const next = this.columns.findIndex(
      (column, at) => at > 0 && (!tellsRow(column) || this.widthOf(at + 1) > widestRepeated),
    );
    return next < 0 ? this.columns.length : next;
  }

  private cell(value: unknown, column: FileColumn, at: number): string {
    const address = `${this.letters[at]}${this.rows}`;
    const isLink =
      column.kind === 'url' &&
      typeof value === 'string' &&
      this.sheet.links.add(value, at, this.rows);
    return isLink
      ? this.cells.text(address, value, style.link)
      : this.cells.value(address, value, column);
  }

  private newSheet(): ReturnType<Workbook['sheet']> {
    const header = this.columns.map(({ title, kind }, at) =>
      this.cells.text(
        `${this.letters[at]}1`,
        title,
        isFigure(kind) ? style.headerRight : style.header,
      ),
    );
    this.gathered = this.book.hasHeader ? `<row r="1">${header.join('')}</row>` : '';
    this.rows = this.book.hasHeader ? 1 : 0;
    this.isBegun = false;
    return this.book.sheet(this.columns.some(({ kind }) => kind === 'url'));
  }

  private flush(end = ''): void {
    const start = this.isBegun
      ? ''
      : sheetStart(this.book.hasHeader, columnElements(this.columns, this.widths));
    this.isBegun = true;
    this.sheet.part.pushText(start + this.gathered + end, end !== '');
    this.gathered = '';
  }
}

/** A workbook that is written anew has the column already. */
function withBeside(column: Column, _at: number, columns: readonly Column[]): readonly Column[] {
  const titleOf = ({ name, header = name }: Column): string => header;
  const { beside } = column;
  return beside === undefined || columns.some((one) => titleOf(one) === titleOf(beside))
    ? [column]
    : [column, beside];
}

function columnsIn(layout: Layout): readonly FileColumn[] {
  const { chosen, columns } = layout;
  const { before, after } = columnsBeside(layout);
  const shown = chosen ? columns : columns.flatMap(withBeside);
  return [...before, ...fileColumns({ ...layout, columns: shown }), ...after];
}

/** A sheet of a list needs its name in no column, unless the record has one that is called alike. */
function titleOn(list: string, name: string, columns: readonly Column[]): string {
  const title = name.startsWith(`${list}.`) ? name.slice(list.length + 1) : name;
  return columns.some((column) => column.name === title) ? name : title;
}

const cutRemark = (count: number): string =>
  `${pluralize(count, 'cell')} ${count === 1 ? 'is' : 'are'} cut to the ${maxTextLength} characters that a spreadsheet takes; json and csv have all of them`;

function refuseTooMany(count: number): void {
  if (count <= columnsInSheet) return;
  const message = `a sheet takes ${columnsInSheet} columns, and there are ${count}`;
  throw new UsageError(message, {
    item: '--output',
    hint: 'write csv, or give an input with fewer columns',
  });
}

/** Writes a workbook; `rows` returns the bytes that are compressed already. @throws UsageError for more columns than a sheet takes */
export function xlsxFormatter(layout: Layout, room: Workbook['room'] = sheetRoom): Formatter {
  const { header, lists = [] } = layout;
  const book = new Workbook(header, room);
  const names = new Set(lists.map(({ name }) => name));
  const shown: Layout = {
    ...layout,
    columns: layout.columns.filter(({ name }) => !names.has(name)),
  };
  const main = new SheetTable(book, layout.records, columnsIn(shown));
  const beside = lists.map(({ name: list, element = [] }) => {
    const columns = element.map((column) => ({
      ...column,
      title: titleOn(list, column.name, element),
      read: typedReader(column),
    }));
    return { list, table: new SheetTable(book, list, columns) };
  });
  const tables = [main, ...beside.map(({ table }) => table)];
  return {
    rows(rows) {
      for (const row of rows) {
        main.row(row);
        for (const { list, table } of beside)
          for (const element of elementRows(row, list, false)) table.row(element);
      }
      return book.take();
    },
    end() {
      for (const table of tables) table.end();
      const sheets = tables.flatMap(({ ended }) => ended);
      return book.end(sheets);
    },
    remark() {
      const cut = tables.reduce((sum, { cells }) => sum + cells.cut, 0);
      const hasUnlinked = tables.some((table) => table.hasUnlinked);
      const unlinked =
        hasUnlinked &&
        `a sheet takes ${room.links} links; the web addresses after them are plain text`;
      const remarks = [cut > 0 && cutRemark(cut), unlinked].filter((remark) => remark !== false);
      return remarks.length === 0 ? undefined : remarks.join('; ');
    },
  };
}
