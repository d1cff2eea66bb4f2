/** Counts why rows are not ok, in short classes that hold nothing of the row itself. A job of any size has few of them. */
import type { ResultRow } from '../rows/result-row.ts';

/** These texts name a value of the row before any end of a class, or say more than a count needs. */
const classes: readonly (readonly [RegExp, string])[] = [
  [/^(?:empty$|the row has no identifier)/, 'blank'],
  [/^"[^"]*" is not an id/, 'not an id'],
  [/^\d+ cells? where the header has \d+/, 'more cells than the header'],
  [/^the (?:body|field) /, 'an answer that is not as documented'],
  [/^sent earlier, and the answer was lost/, 'the answer was lost earlier'],
];

/** What follows explains, or names a value. The status of an answer, as in `not found (404)`, belongs to the class. */
const endOfClass = /[:;,]\s| \((?!\d{3}\))/;

/** `not found (404): Person per_1 does not exist` is of the class `not found (404)`. */
export function classOf(error: string): string {
  const known = classes.find(([pattern]) => pattern.test(error));
  if (known !== undefined) return known[1];
  const end = error.search(endOfClass);
  return end < 0 ? error : error.slice(0, end);
}

/** There are far fewer classes. A text that varies with each row, which nobody foresaw, must not fill the memory. */
const maxClasses = 100;

/** It says no more than the status of its rows. */
const plainMiss = 'no match';

export class Reasons {
  private readonly counts = new Map<string, number>();

  /** Rows that were not sent have the reason that ended the run, which is told as its failure. */
  add({ status, error }: Pick<ResultRow, 'status' | 'error'>): void {
    if (error === undefined || status === 'skipped' || error === plainMiss) return;
    const name = classOf(error);
    const count = this.counts.get(name) ?? 0;
    if (count > 0 || this.counts.size < maxClasses) this.counts.set(name, count + 1);
  }

  /** The commonest come first; of equally common ones, the one that came first. */
  commonest(most: number): readonly (readonly [reason: string, rows: number])[] {
    return [...this.counts].toSorted(([, one], [, other]) => other - one).slice(0, most);
  }
}
