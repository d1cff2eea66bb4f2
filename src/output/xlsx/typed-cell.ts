/** Writes one value as a cell of a sheet, with the type that a spreadsheet expects. */
import type { Column } from '../../contract/columns.ts';
import { ExactNumber } from '../../json/parse.ts';
import { isSameValue } from '../../json/split.ts';
import { jsonText } from '../../json/write.ts';
import { isYear } from '../figures.ts';
import { style } from './book-parts.ts';

/** Spreadsheets take at most this many characters in one cell. */
export const maxTextLength = 32_767;

/** XML cannot hold these characters even as escapes: C0 controls except tab and line ends, and two non-characters. */
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Spreadsheets show `_x000D_` in a text as the character with that number, so the underscore must be escaped. */
const numbered = /_(?=x[\da-f]{4}_)/gi;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Spreadsheets count days from 1899-12-30; this is the number of 1970-01-01. */
const epochDay = 25_569;
const dayMs = 86_400_000;

const timeShape = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Date.parse reads February 30 as March 2, so the result is compared with the text. */
const isReal = (local: string, time: number): boolean => new Date(time).toISOString().startsWith(local.slice(0, 19));

/** Drops the zone, which cells lack, and the part of a second, which spreadsheets round up. Days before 1900-03-01 stay text. */
function dateCell(text: string): string | undefined {
  const local = text.replace(' ', 'T').replace(/(T[\d:]+).*$/, '$1Z');
  const time = timeShape.test(text) ? Date.parse(local) : Number.NaN;
  const serial = time / dayMs + epochDay;
  if (Number.isNaN(serial) || serial < 61 || !isReal(local, time)) return undefined;
  return `<c s="${text.length === 10 ? style.day : style.time}"><v>${serial}</v></c>`;
}

/** Counts and money have thousands separators; a year, which is a count in the API, has none. */
function numberCell(value: number, { kind, name }: Pick<Column, 'kind' | 'name'>): string {
  const isGrouped = kind === 'usd' || (kind === 'count' && Number.isInteger(value) && !isYear(name));
  if (!isGrouped) return `<c><v>${value}</v></c>`;
  return `<c s="${Number.isInteger(value) ? style.whole : style.cents}"><v>${value}</v></c>`;
}

export class Cells {
  cut = 0;

  /** A text cell is never a formula. */
  text(text: string, styleNumber = 0): string {
    if (text === '') return '<c/>';
    const fit = text.toWellFormed().replace(unfit, '');
    const escaped = this.shortened(fit)
      .replace(numbered, '_x005F_')
      .replace(/[&<>]/g, (character) => escapes[character] ?? '');
    return `<c t="inlineStr"${styleNumber === 0 ? '' : ` s="${styleNumber}"`}><is><t xml:space="preserve">${escaped}</t></is></c>`;
  }

  /** Identifiers are written as text, so that no digit is lost. */
  value(value: unknown, column: Pick<Column, 'kind' | 'name'>): string {
    const { kind } = column;
    if (value === undefined || value === null) return '<c/>';
    if (typeof value === 'number') return kind === 'id' ? this.text(String(value)) : numberCell(value, column);
    if (value instanceof ExactNumber && kind !== 'id' && isSameValue(value.source)) return numberCell(Number(value.source), column);
    if (value instanceof ExactNumber) return this.text(value.source);
    if (typeof value === 'boolean') return `<c t="b" s="${style.flag}"><v>${value ? 1 : 0}</v></c>`;
    if (typeof value === 'string') return (kind === 'date' ? dateCell(value) : undefined) ?? this.text(value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return this.text(value.join('; '));
    return this.text(jsonText(value));
  }

  private shortened(text: string): string {
    if (text.length <= maxTextLength) return text;
    this.cut += 1;
    return `${text.slice(0, maxTextLength - 1).toWellFormed()}…`;
  }
}
