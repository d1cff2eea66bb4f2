/** Draws small horizontal bars for the figures on a card. */

const defaultSpan = 12;

/** The figures of one card share this range; `least` is 0 if none is negative. */
interface Scale {
  readonly least: number;
  readonly most: number;
}

const cells = (size: number, whole: number, span: number): number => (size === 0 ? 0 : Math.max(1, Math.round((size / whole) * span)));

/** Draws `value` to the right of an axis, or to the left if it is negative. Without negative figures there is no axis. */
export function bar(value: number, { least, most }: Scale, span = defaultSpan): string {
  const whole = most - least;
  if (!Number.isFinite(whole)) return '';
  const length = '█'.repeat(cells(Math.abs(value), whole, span));
  const left = cells(-least, whole, span);
  if (left === 0) return length;
  return value < 0 ? `${length.padStart(left)}│` : `${' '.repeat(left)}│${length}`;
}
