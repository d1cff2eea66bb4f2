/** Shows values on a terminal by the kind of their column, measured in cells. */
import type { Colors } from 'picocolors/types.js';
import stringWidth from 'string-width';
import type { Column, FieldKind } from '../contract/columns.ts';
import { beginningOf } from '../errors.ts';
import { isNested, isNumber, isObject } from '../json/exact.ts';
import { memoize } from '../rows/memoize.ts';
import type { RowStatus } from '../rows/row.ts';
import { cleanLine } from './clean.ts';
import { valueAt } from './read.ts';

/** No terminal shows more characters of one value in a table, so measuring stops here. */
const maxCellLength = 4000;
/** A card shows only the beginning of a longer text, because wrapping it is slow. No identifier is that long. */
const maxTextLength = 20_000;

const readable = (text: string): string =>
  text.length <= maxTextLength
    ? text
    : `${beginningOf(text, maxTextLength)}… (${text.length} characters, all with -o json)`;

/** Levels are written as `first › second`. Objects show texts and numbers; a bare `true` means nothing without its name. */
function itemText(item: unknown): string {
  if (Array.isArray(item)) return item.map(plainText).join(' › ');
  if (!isObject(item)) return plainText(item);
  const values = Object.values(item).filter((value) => typeof value !== 'boolean');
  const texts = values.map(plainText).filter((text) => text !== '');
  return texts.join(' · ');
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(itemText).join(', ');
  return isObject(value) ? itemText(value) : String(value);
}

/** An open end is `now` only if the service says that the position is current. */
export function period(
  element: unknown,
  between: string,
  shown = (day: string): string => day,
): string {
  const dayAt = (name: string): string =>
    shown(cleanLine(textOf(valueAt(element, name), { name, kind: 'date' })));
  const [start, end] = [dayAt('start_date'), dayAt('end_date')];
  const until = end === '' && valueAt(element, 'is_current') === true ? 'now' : end;
  if (start === '') return until === '' || until === 'now' ? until : `until ${until}`;
  if (until === start) return start;
  return until === '' ? `from ${start}` : start + between + until;
}

/** The fields by which people tell an element of a list; all texts and numbers of one that has none of them. */
export function elementText(element: unknown, labels: readonly string[] = []): string {
  const texts = labels
    .map((name) => plainText(valueAt(element, name)))
    .filter((text) => text !== '');
  return texts.length > 0 ? texts.join(', ') : itemText(element);
}

const yearOf = (day: string): string => /^\d{4}(?=-)/.exec(day)?.[0] ?? day;

/** A list or an object as a text that a person reads: `Founder, Acme (2021–now)`. */
export function nestedText(value: unknown, { labels }: Pick<Column, 'labels'>): string {
  if (!Array.isArray(value)) return itemText(value);
  // As in csv; `join` writes null as nothing.
  if (!value.some(isNested)) return value.join('; ');
  const texts = value.map((element) => {
    const years = labels === undefined ? '' : period(element, '–', yearOf);
    return elementText(element, labels) + (years === '' ? '' : ` (${years})`);
  });
  return texts.filter((text) => text !== '').join('; ');
}

function textOf(value: unknown, { kind, name }: Pick<Column, 'kind' | 'name'>): string {
  if (isNumber(value)) return figure(value, kind, name);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (kind === 'date' && typeof value === 'string')
    return value.replace(/(?<=[T ]\d\d:\d\d:\d\d)\.\d+/, '');
  return plainText(value);
}

const shortUsd = {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
} as const;

const shortAmounts = memoize(() => new Intl.NumberFormat('en-US', shortUsd));

/** For a table: on one line, with short amounts. Identifiers are never shortened. */
export function cellText(value: unknown, column: Column): string {
  const text =
    column.kind === 'usd' && isNumber(value)
      ? shortAmounts().format(Number(value))
      : textOf(value, column);
  return cleanLine(column.kind === 'id' ? text : text.slice(0, maxCellLength));
}

/** For a card: with exact amounts, and one text for each nested item. Empty items are left out. */
export function cardTexts(value: unknown, column: Column): readonly string[] {
  const items =
    Array.isArray(value) && value.some(isNested) ? value.map(itemText) : [textOf(value, column)];
  return items
    .map((item) => cleanLine(column.kind === 'id' ? item : readable(item)))
    .filter((text) => text !== '');
}

function grouped(source: string): string {
  const [, sign = '', whole = '', rest = ''] = /^([+-]?)(\d+)(\.\d+)?$/.exec(source) ?? [];
  // To look ahead from each digit takes a time that grows with the square of their number.
  const first = whole.length % 3 || 3;
  const groups = [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])];
  return whole === '' ? source : sign + groups.join(',') + rest;
}

function percentage(source: string): string {
  const rounded = Number(source).toFixed(2).replace(/0$/, '');
  if (Number(rounded) === 0) return '0.0%';
  return `${rounded.startsWith('-') ? '' : '+'}${grouped(rounded)}%`;
}

/** A year is a count in the API, but must have no separators. */
export const isYear = (name: string): boolean => /(?:^|[._])year$/.test(name);

/** Digits are taken from the source text, so that long numbers stay exact. */
export function figure(value: unknown, kind: FieldKind, name = ''): string {
  const source = String(value);
  if (kind === 'usd')
    return source.startsWith('-') ? `-$${grouped(source.slice(1))}` : `$${grouped(source)}`;
  if (kind === 'percent') return percentage(source);
  return kind === 'id' || isYear(name) ? source : grouped(source);
}

export function paintFigure(
  value: unknown,
  { kind }: Column,
  colors: Colors,
): (text: string) => string {
  const amount = kind === 'percent' && isNumber(value) ? Number(value) : 0;
  if (amount > 0) return colors.green;
  return amount < 0 ? colors.red : String;
}

export function paintStatus(status: RowStatus, colors: Colors): (text: string) => string {
  if (status === 'ok') return String;
  return status === 'not_found' || status === 'skipped' ? colors.dim : colors.red;
}

const cells = (size: number, whole: number, span: number): number =>
  size === 0 ? 0 : Math.max(1, Math.round((size / whole) * span));

/** Draws `value` to the right of an axis, or to the left if it is negative; with a `least` of 0 there is no axis. */
export function bar(
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
  span = 12,
): string {
  const whole = most - least;
  if (!Number.isFinite(whole)) return '';
  const length = '█'.repeat(cells(Math.abs(value), whole, span));
  const left = cells(-least, whole, span);
  if (left === 0) return length;
  return value < 0 ? `${length.padStart(left)}│` : `${' '.repeat(left)}│${length}`;
}

export const gap = 2;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[ -~]*$/;

const graphemesOf = (text: string): Iterable<string> =>
  ascii.test(text) ? text : segmentsOf(text);

/** Intl.Segmenter takes more than quadratic time, so a text is segmented in stretches of this length. */
const stretch = 1000;

function* segmentsOf(text: string): Iterable<string> {
  for (let start = 0, size = stretch; start < text.length; ) {
    const found = Array.from(
      graphemes.segment(text.slice(start, start + size)),
      ({ segment }) => segment,
    );
    // A stretch may end inside a character, and the grapheme before that go on with it. Where nothing is left, a grapheme is longer.
    if (start + size < text.length) found.splice(-2);
    size = found.length === 0 ? size * 2 : stretch;
    yield* found;
    start += found.join('').length;
  }
}

/** The cells that `text` takes. It must not hold control characters. */
export const cellWidth = (text: string): number =>
  ascii.test(text) ? text.length : stringWidth(text);

function fittingLength(text: string, width: number): number {
  let [length, used] = [0, 0];
  for (const grapheme of graphemesOf(text)) {
    used += cellWidth(grapheme);
    if (used > width) break;
    length += grapheme.length;
  }
  return length;
}

/** Cuts `text` to `width` cells and adds `…`. It cuts at the end of a word if one ends in the second half. */
export function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (width < 1) return '';
  const length = fittingLength(text, width - 1);
  const kept = text.slice(0, length);
  const wordEnd = text[length] === ' ' ? length : kept.lastIndexOf(' ');
  return `${(wordEnd >= length / 2 ? kept.slice(0, wordEnd) : kept).trimEnd()}…`;
}

/** Cuts between two words alone, so that an identifier stays whole. */
export function cutBetween(text: string, width: number): string {
  const words = text.split(' ');
  if (words.length === 1 || cellWidth(text) <= width) return text;
  return `${onLines(words, ' ', width - 1)[0] ?? ''}…`;
}

function pieces(word: string, width: number): readonly string[] {
  if (word === '') return [];
  if (cellWidth(word) <= width) return [word];
  const found: string[] = [];
  let [start, end, used] = [0, 0, 0];
  for (const grapheme of graphemesOf(word)) {
    const size = cellWidth(grapheme);
    if (used + size > width && end > start) {
      found.push(word.slice(start, end));
      [start, used] = [end, 0];
    }
    end += grapheme.length;
    used += size;
  }
  return [...found, word.slice(start)];
}

/** Wraps `text` to lines of at most `width` cells, between words if possible. An empty text is one empty line. */
export function wrap(text: string, width: number): readonly string[] {
  const parts = text.split(' ').flatMap((word) => pieces(word, width));
  return onLines(parts, ' ', width);
}

export function onLines(
  parts: readonly string[],
  between: string,
  width: number,
): readonly string[] {
  const lines: string[] = [];
  let [line, used] = ['', 0];
  for (const part of parts) {
    const size = cellWidth(part);
    const fits = line !== '' && used + between.length + size <= width;
    if (line !== '' && !fits) lines.push(line);
    [line, used] = fits ? [line + between + part, used + between.length + size] : [part, size];
  }
  return [...lines, line];
}
