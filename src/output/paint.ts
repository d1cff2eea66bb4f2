/** Chooses the colours of tables and cards. If colours are off, the functions of `Colors` return their text unchanged. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { RowStatus } from '../rows/result-row.ts';

const asIs = (text: string): string => text;

export function paintFigure(value: unknown, { kind }: Column, colors: Colors): (text: string) => string {
  if (kind !== 'percent') return asIs;
  const amount = Number(value);
  if (amount > 0) return colors.green;
  return amount < 0 ? colors.red : asIs;
}

export function paintStatus(status: RowStatus, colors: Colors): (text: string) => string {
  if (status === 'ok') return asIs;
  return status === 'not_found' || status === 'skipped' ? colors.dim : colors.red;
}
