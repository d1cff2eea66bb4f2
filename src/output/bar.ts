/** Draws horizontal bars for figures on cards and for counts below tables. */

/** A count of a picture. Its label is clean and fits on one line. */
export interface Bar {
  readonly label: string;
  readonly count: number;
}

const defaultSpan = 12;

const cells = (size: number, whole: number, span: number): number => (size === 0 ? 0 : Math.max(1, Math.round((size / whole) * span)));

/** Draws `value` to the right of an axis, or to the left if it is negative. Figures side by side share a range; with a `least` of 0 there is no axis. */
export function bar(value: number, { least, most }: { readonly least: number; readonly most: number }, span = defaultSpan): string {
  const whole = most - least;
  if (!Number.isFinite(whole)) return '';
  const length = '█'.repeat(cells(Math.abs(value), whole, span));
  const left = cells(-least, whole, span);
  if (left === 0) return length;
  return value < 0 ? `${length.padStart(left)}│` : `${' '.repeat(left)}│${length}`;
}
