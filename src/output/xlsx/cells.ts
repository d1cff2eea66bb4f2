/** Writes one value as a cell of a sheet, with the type that a spreadsheet expects, and tells how wide the columns must be. */
import type { Column, FieldKind } from '../../contract/columns.ts';
import { type ExactNumber, isNumber, isSameValue, nearestDouble } from '../../json/parse.ts';
import { jsonText } from '../../json/write.ts';
import { localSeconds, parseIsoTime } from '../../rows/iso-time.ts';
import { figure, isYear } from '../display.ts';
import { isFigure } from '../layout.ts';
import type { FileColumn } from '../read.ts';
import { cellWidth } from '../width.ts';

/** These numbers are the places of the cell styles in the book. */
export const style = { header: 1, headerRight: 2, day: 3, time: 4, whole: 5, cents: 6, figure: 7, link: 8, flag: 9 } as const;

/** Spreadsheets take at most this many characters in one cell. */
export const maxTextLength = 32_767;

/** XML cannot hold these characters even as escapes: C0 controls except tab and line ends, and two non-characters. */
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Spreadsheets show `_x000D_` in a text as the character with that number, so the underscore must be escaped. */
const numbered = /_(?=x[\da-f]{4}_)/gi;

/** XML readers take a carriage return for a line feed, so spreadsheets write its number. */
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '_x000D_' };

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
  const mayRound = kind !== 'id' && (typeof value === 'number' || kind !== 'count' || isSameValue(value.source));
  return mayRound ? nearestDouble(value) : undefined;
}

export class Cells {
  cut = 0;

  /** A text cell is never a formula. Without a text there is no cell. */
  text(address: string, text: string, styleNumber = 0): string {
    if (text === '') return '';
    const fit = this.shortened(text.toWellFormed().replace(unfit, ''));
    const escaped = fit.replace(numbered, '_x005F_').replace(/[&<>\r]/g, (character) => escapes[character] ?? '');
    const space = hasBlanks.test(fit) ? ' xml:space="preserve"' : '';
    return `<c r="${address}"${styleNumber === 0 ? '' : ` s="${styleNumber}"`} t="inlineStr"><is><t${space}>${escaped}</t></is></c>`;
  }

  /** Identifiers are written as text, so that no digit is lost. */
  value(address: string, value: unknown, column: CellColumn): string {
    const { kind } = column;
    if (value === undefined || value === null) return '';
    if (isNumber(value)) {
      const double = doubleOf(value, column);
      if (double === undefined) return this.text(address, String(value));
      return `<c r="${address}" s="${styleOfNumber(double, column)}"><v>${double}</v></c>`;
    }
    if (typeof value === 'boolean') return `<c r="${address}" s="${style.flag}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if (typeof value === 'string') return (kind === 'date' ? dateCell(address, value, column) : undefined) ?? this.text(address, value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return this.text(address, value.join('; '));
    return this.text(address, jsonText(value));
  }

  private shortened(text: string): string {
    if (text.length <= maxTextLength) return text;
    this.cut += 1;
    return `${text.slice(0, maxTextLength - 1).toWellFormed()}…`;
  }
}

export const rowsMeasured = 1000;

/** Wider columns push the others out of sight. */
const widest = 60;
const narrowest = 6;
/** It is room for the margins of a cell, and for the arrow of a filter in a header. */
const margin = 2;
/** A figure keeps a distance from the next column. */
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

const leastWidth = ({ kind, dateTime }: CellColumn): number => (dateTime === undefined ? longest[kind] : shownTime)?.length ?? narrowest;

const textWidth = (text: string): number =>
  Math.max(
    ...text
      .slice(0, 4 * widest)
      .split('\n')
      .map(cellWidth),
  );

function shownWidth(value: unknown, { kind, name }: CellColumn): number {
  // A zone and fractions of a second are not shown.
  if (kind === 'date' && typeof value === 'string') return Math.min(textWidth(value), shownTime.length);
  if (typeof value === 'string') return textWidth(value);
  if (isNumber(value)) return figure(value, kind === 'usd' ? 'count' : kind, name).length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + (typeof item === 'string' ? cellWidth(item) + 2 : widest), 0);
  return value === null || value === undefined ? 0 : 'FALSE'.length;
}

/** A sheet has its widths before its rows, so the first rows, and the kinds of the columns, decide them. */
export class ColumnWidths {
  private readonly widths: number[];

  constructor(
    private readonly columns: readonly FileColumn[],
    withHeader: boolean,
  ) {
    this.widths = columns.map((column) => Math.max(leastWidth(column), withHeader ? cellWidth(column.title) + arrow : 0));
  }

  measure(values: readonly unknown[]): void {
    for (const [index, column] of this.columns.entries())
      this.widths[index] = Math.max(this.widths[index] ?? 0, shownWidth(values[index], column));
  }

  /** It is empty for a book without columns. */
  get element(): string {
    const each = this.widths.map((found, index) => {
      const column = this.columns[index];
      const width = found + (column !== undefined && isFigure(column.kind) ? indent : 0);
      return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(width, widest) + margin}" customWidth="1"/>`;
    });
    return each.length === 0 ? '' : `<cols>${each.join('')}</cols>`;
  }
}
