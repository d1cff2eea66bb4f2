/** Formats values for the terminal: one clean line each, by the kind of their column. */
import type { Column } from '../contract/columns.ts';
import type { FieldKind } from '../contract/fields.ts';
import { isNested, isNumber, isObject } from '../json/parse.ts';
import { cleanLine } from './clean.ts';

/** No terminal shows more characters of one value in a table, so measuring stops here. */
const maxCellLength = 4000;
/** A card shows only the beginning of a longer text, because wrapping it is slow. No identifier is that long. */
const maxTextLength = 20_000;

export const beginningOf = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length} characters, all with -o json)`;

/** Levels are written as `first › second`. Objects show texts and numbers; a bare `true` means nothing without its name. */
function itemText(item: unknown): string {
  if (Array.isArray(item)) return item.map(plainText).join(' › ');
  if (!isObject(item)) return plainText(item);
  const values = Object.values(item).filter((value) => typeof value !== 'boolean');
  return values
    .map(plainText)
    .filter((text) => text !== '')
    .join(' · ');
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(itemText).join(', ');
  return isObject(value) ? itemText(value) : String(value);
}

function textOf(value: unknown, { kind, name }: Column, detail: Detail): string {
  if (isNumber(value)) return figure(String(value), kind, name, detail);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // Nobody reads the fraction of a second.
  if (kind === 'date' && typeof value === 'string') return value.replace(/(?<=[T ]\d\d:\d\d:\d\d)\.\d+/, '');
  return plainText(value);
}

/** Formats a value for a table: on one line, with short amounts. Identifiers are never shortened. */
export function cellText(value: unknown, column: Column): string {
  const text = textOf(value, column, 'short');
  return cleanLine(column.kind === 'id' ? text : text.slice(0, maxCellLength));
}

/** Formats a value for a card: with exact amounts, and with one text for each nested item. Empty items are left out. */
export function cardTexts(value: unknown, column: Column): readonly string[] {
  const items = Array.isArray(value) && value.some(isNested) ? value.map(itemText) : [textOf(value, column, 'full')];
  return items.map((item) => cleanLine(column.kind === 'id' ? item : beginningOf(item))).filter((text) => text !== '');
}

type Detail = 'short' | 'full';

const shortAmount = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});

function grouped(source: string): string {
  const [, sign = '', whole = '', rest = ''] = /^([+-]?)(\d+)(\.\d+)?$/.exec(source) ?? [];
  return whole === '' ? source : sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + rest;
}

function dollars(source: string, detail: Detail): string {
  if (detail === 'short') return shortAmount.format(Number(source));
  return source.startsWith('-') ? `-$${grouped(source.slice(1))}` : `$${grouped(source)}`;
}

function percentage(source: string): string {
  const rounded = Number(source).toFixed(2).replace(/0$/, '');
  if (Number(rounded) === 0) return '0.0%';
  return `${rounded.startsWith('-') ? '' : '+'}${grouped(rounded)}%`;
}

/** A year is a count in the API, but must have no separators. */
export const isYear = (name: string): boolean => /(?:^|[._])year$/.test(name);

/** Formats a number. Digits are taken from its source text, so that long numbers stay exact. */
export function figure(source: string, kind: FieldKind, name: string, detail: Detail): string {
  if (kind === 'usd') return dollars(source, detail);
  if (kind === 'percent') return percentage(source);
  return kind === 'id' || isYear(name) ? source : grouped(source);
}
