/** Values as a person reads them on a terminal: one line each, cleaned, in the sense of their column's kind. */
import type { Column } from '../contract/columns.ts';
import { isNested, isNumber, isObject } from '../json/parse.ts';
import { cleanLine } from './clean.ts';
import { type Detail, figure } from './figures.ts';

/** No terminal shows more of one value in a table; measuring stops here. */
const maxCellLength = 4000;
/** Of a longer text a card shows the beginning: nobody reads on, and wrapping it takes its time. No identifier comes near it. */
const maxTextLength = 20_000;

/** What a card shows of a text. */
export const beginningOf = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length} characters, all with -o json)`;

/** Pairs of levels as `first › second`; an object as its texts and numbers (a bare `true` would say nothing). */
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
  return plainText(value);
}

/** A value for a table: short amounts, one line. Identifiers are never shortened. */
export function cellText(value: unknown, column: Column): string {
  const text = textOf(value, column, 'short');
  return cleanLine(column.kind === 'id' ? text : text.slice(0, maxCellLength));
}

/** A value for a card: exact amounts, and each of several nested items as its own text. Empty items are left out. */
export function cardTexts(value: unknown, column: Column): readonly string[] {
  const items = Array.isArray(value) && value.some(isNested) ? value.map(itemText) : [textOf(value, column, 'full')];
  return items.map((item) => cleanLine(column.kind === 'id' ? item : beginningOf(item))).filter((text) => text !== '');
}

/** A column as its own field alone, whatever tables make of it. */
export const withoutPlace = ({ place: _, ...column }: Column): Column => column;

/** Column heads: what tables call it, else the name after the last array index (`matches.0.person_id` is `person_id`), where that is no other's. */
export function headsOf(columns: readonly Column[]): readonly string[] {
  const short = columns.map(({ name }) => name.replace(/^.*\.\d+\./, ''));
  return columns.map(({ name, place }, index) => {
    const head = short[index] ?? name;
    if (place?.head !== undefined) return place.head;
    return short.indexOf(head) === short.lastIndexOf(head) ? head : name;
  });
}
