/** The few colours of tables and cards. With colours off, the functions of `Colors` give their text back. */
import type { Colors } from 'picocolors/types.js';
import type { Column } from '../contract/columns.ts';
import type { RowStatus } from '../rows/result-row.ts';

export interface ColorWish {
  /** `--color` is true, `--no-color` false. */
  readonly flag?: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether what would be coloured is shown on a terminal. */
  readonly isTTY: boolean;
}

/**
 * The flag, then `NO_COLOR`, then `FORCE_COLOR` (`0` and `false` force it off), then `TERM=dumb`, then where it is shown.
 * A variable that is set to nothing counts as not set.
 */
export function wantsColor({ flag, env, isTTY }: ColorWish): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}

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
