/** Values of the API as the text of a CSV cell. */

import { isNested } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';

/** Makes harmless what a spreadsheet would run; or leaves it, where that is wanted. */
export type Guard = (text: string) => string;

/** Lists of scalars are joined by `; `, anything deeper is JSON text; null is an empty cell. */
export function cellOf(value: unknown, guard: Guard): string {
  if (typeof value === 'string') return guard(value);
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && !value.some(isNested)) return guard(joined(value));
  return jsonText(value);
}

const joined = (items: readonly unknown[]): string => items.map((item) => cellOf(item, unguarded)).join('; ');

/** `--text-ids`: digits as a formula that gives them as text, since spreadsheets keep 15 of a number's digits. */
export function idCell(value: unknown, guard: Guard): string {
  const plain = cellOf(value, guard);
  return /^\d+$/.test(plain) ? `="${plain}"` : plain;
}

/** Leaves a cell as it is. */
export const unguarded: Guard = (text) => text;
