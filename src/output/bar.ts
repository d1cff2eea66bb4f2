/** Small horizontal bars for figures on a card. */

/** Cells of the longest bar, or of the longest ones to both sides together, where nobody says otherwise. */
const defaultSpan = 12;

/** The figures that bars are drawn for. */
export interface Scale {
  /** 0 where none is negative. */
  readonly least: number;
  readonly most: number;
}

/** Cells of a figure, at least one where it is not zero. */
const cells = (size: number, whole: number, span: number): number => (size === 0 ? 0 : Math.max(1, Math.round((size / whole) * span)));

/** `value` as a bar to the right of an axis, or to the left where it is negative. No negative figures, no axis. */
export function bar(value: number, { least, most }: Scale, span = defaultSpan): string {
  const whole = most - least;
  if (!Number.isFinite(whole)) return '';
  const length = '█'.repeat(cells(Math.abs(value), whole, span));
  const left = cells(-least, whole, span);
  if (left === 0) return length;
  return value < 0 ? `${length.padStart(left)}│` : `${' '.repeat(left)}│${length}`;
}
