/** Whether to colour: asked once, before anything is written. */

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
