/** Formats numbers. Digits are taken from the source text of a number, so that long numbers stay exact. */
import type { FieldKind } from '../contract/fields.ts';

export type Detail = 'short' | 'full';

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

export function figure(source: string, kind: FieldKind, name: string, detail: Detail): string {
  if (kind === 'usd') return dollars(source, detail);
  if (kind === 'percent') return percentage(source);
  return kind === 'id' || isYear(name) ? source : grouped(source);
}
