/** The few colours of tables and cards. With colours off, the functions of `Colors` give their text back. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { RowStatus } from '../rows/result-row.ts';

const asIs = (text: string): string => text;

/** Growth is green, decline red; everything else plain. */
export function paintFigure(value: unknown, { kind }: Column, colors: Colors): (text: string) => string {
  if (kind !== 'percent') return asIs;
  const amount = Number(value);
  if (amount > 0) return colors.green;
  return amount < 0 ? colors.red : asIs;
}

/** What went wrong is red; what is merely not there, dim. */
export function paintStatus(status: RowStatus, colors: Colors): (text: string) => string {
  if (status === 'ok') return asIs;
  return status === 'not_found' || status === 'skipped' ? colors.dim : colors.red;
}
