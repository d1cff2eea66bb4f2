/** Chooses the colours of tables and cards. If colours are off, the functions of `Colors` return their text unchanged. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { RowStatus } from '../rows/result-row.ts';

interface ColorWish {
  readonly flag?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTTY: boolean;
}

/** The order is: flag, `NO_COLOR`, `FORCE_COLOR` (`0` and `false` mean off), `TERM=dumb`, terminal. Empty variables are ignored. */
export function wantsColor({ flag, env, isTTY }: ColorWish): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

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
