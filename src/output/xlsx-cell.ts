/** One value as a cell of a sheet: text stays text, numbers are numbers, days are days. Pure. */
import type { FieldKind } from '../contract/fields.ts';
import { ExactNumber } from '../json/parse.ts';
import { isSameValue } from '../json/split.ts';
import { jsonText } from '../json/write.ts';
import { style } from './xlsx-parts.ts';

/** The most characters that spreadsheets take in one cell. */
export const maxTextLength = 32_767;

/** Characters that XML cannot hold, whatever the escape: the first control set but tab and line ends, and two that are none. */
const unfit = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Where text looks as spreadsheets write a character by its number, such as `_x000D_`: they would show that character. */
const numbered = /_(?=x[\da-f]{4}_)/gi;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Days since the epoch of spreadsheets, 1899-12-30, as they count them. */
const epochDay = 25_569;
const dayMs = 86_400_000;

const timeShape = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Whether there is such a time: of February 30 the engine makes March 2. */
const isReal = (local: string, time: number): boolean => new Date(time).toISOString().startsWith(local.slice(0, 19));

/**
 * A day or a time, as it was written: cells know no time zone, and another one's midnight would be another day. Undefined
 * where it is neither, where there is no such day, or before the first day that spreadsheets know.
 */
function dateCell(text: string): string | undefined {
  const local = text.replace(' ', 'T').replace(/(T.*?)(?:Z|[+-]\d{2}:\d{2})?$/, '$1Z');
  const time = timeShape.test(text) ? Date.parse(local) : Number.NaN;
  const serial = time / dayMs + epochDay;
  if (Number.isNaN(serial) || serial < 61 || !isReal(local, time)) return undefined;
  return `<c s="${text.length === 10 ? style.day : style.time}"><v>${serial}</v></c>`;
}

/** Writes cells, and counts what did not fit. */
export class Cells {
  /** Cells whose text is longer than spreadsheets take. */
  cut = 0;

  /** A text cell: never a formula, whatever it starts with. */
  text(text: string, styleNumber = 0): string {
    if (text === '') return '<c/>';
    const fit = text.toWellFormed().replace(unfit, '');
    const escaped = this.shortened(fit)
      .replace(numbered, '_x005F_')
      .replace(/[&<>]/g, (character) => escapes[character] ?? '');
    return `<c t="inlineStr"${styleNumber === 0 ? '' : ` s="${styleNumber}"`}><is><t xml:space="preserve">${escaped}</t></is></c>`;
  }

  /** A value of a column of this kind. Identifiers are text, so that none of their digits is lost. */
  value(value: unknown, kind: FieldKind): string {
    if (value === undefined || value === null) return '<c/>';
    if (typeof value === 'number') return kind === 'id' ? this.text(String(value)) : `<c><v>${value}</v></c>`;
    if (value instanceof ExactNumber && kind !== 'id' && isSameValue(value.source)) return `<c><v>${Number(value.source)}</v></c>`;
    if (value instanceof ExactNumber) return this.text(value.source);
    if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
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
