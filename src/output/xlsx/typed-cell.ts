/** Writes one value as a cell of a sheet, with the type that a spreadsheet expects. */
import type { Column } from '../../contract/columns.ts';
import { ExactNumber, nearestDouble } from '../../json/parse.ts';
import { isSameValue } from '../../json/split.ts';
import { jsonText } from '../../json/write.ts';
import { localSeconds, parseIsoTime } from '../../rows/iso-time.ts';
import { isYear } from '../display.ts';
import { style } from './book-parts.ts';

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

/** A decimal with more digits than a double holds is the nearest double; an integer with more is text, digit by digit. */
function doubleOf(value: ExactNumber, { kind }: CellColumn): number | undefined {
  const mayRound = kind !== 'id' && (kind !== 'count' || isSameValue(value.source));
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
    if (typeof value === 'number') return kind === 'id' ? this.text(address, String(value)) : numberCell(address, value + 0, column);
    if (value instanceof ExactNumber) {
      const double = doubleOf(value, column);
      return double === undefined ? this.text(address, value.source) : numberCell(address, double, column);
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

const numberCell = (address: string, value: number, column: CellColumn): string =>
  `<c r="${address}" s="${styleOfNumber(value, column)}"><v>${value}</v></c>`;
