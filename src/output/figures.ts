/** Numbers as a person reads them. Digits are taken from the number's own text, so that long ones stay exact. */
import type { FieldKind } from '../contract/fields.ts';

/** `short` is for tables, `full` for cards: an amount to the dollar or to the digit. */
export type Detail = 'short' | 'full';

const shortAmount = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});

/** Thousands separators in the whole part; anything that is not plain digits (an exponent) as it is. */
function grouped(source: string): string {
  const [, sign = '', whole = '', rest = ''] = /^([+-]?)(\d+)(\.\d+)?$/.exec(source) ?? [];
  return whole === '' ? source : sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + rest;
}

function dollars(source: string, detail: Detail): string {
  if (detail === 'short') return shortAmount.format(Number(source));
  return source.startsWith('-') ? `-$${grouped(source.slice(1))}` : `$${grouped(source)}`;
}

/** Two decimals, the second only where it says something; zero has no sign. */
function percentage(source: string): string {
  const rounded = Number(source).toFixed(2).replace(/0$/, '');
  if (Number(rounded) === 0) return '0.0%';
  return `${rounded.startsWith('-') ? '' : '+'}${grouped(rounded)}%`;
}

/** A number of this kind; `name` is its column's, for a year is a count to the API but takes no separators. */
export function figure(source: string, kind: FieldKind, name: string, detail: Detail): string {
  if (kind === 'usd') return dollars(source, detail);
  if (kind === 'percent') return percentage(source);
  return kind === 'id' || /(?:^|[._])year$/.test(name) ? source : grouped(source);
}
