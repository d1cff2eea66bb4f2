/** Items that were asked for together, in one request, and what became of them. */
import { readRecord } from '../rows/record.ts';
import type { Outcome } from '../rows/result-row.ts';

/** One request, under way or answered. Remembered for each of its items, so that a million of them cost little memory. */
export class Asked {
  /** The keys of its items. */
  readonly items: string[] = [];
  private outcomes: readonly (Outcome | string)[] | undefined;
  private announce: (how?: Promise<never>) => void = () => {};
  private readonly answered = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  /** Takes the outcomes of all items, in order. */
  settle(outcomes: readonly Outcome[]): void {
    this.outcomes = outcomes.map(remembered);
    this.announce();
  }

  /** Passes on why there will be no outcomes: a bug must not leave the rows that ask the same waiting for ever. */
  fail(reason: unknown): void {
    this.announce(Promise.reject(reason));
    // Perhaps nobody waits.
    this.answered.catch(() => {});
  }

  /** The outcome of one of its items, once it is there. Rejects with what `fail` was told. */
  async outcomeOf(item: string): Promise<Outcome> {
    if (this.outcomes === undefined) await this.answered;
    const outcome = this.outcomes?.[this.items.indexOf(item)];
    if (outcome === undefined) throw new Error('an item without an outcome');
    return typeof outcome === 'string' ? { status: 'ok', record: readRecord(outcome) } : outcome;
  }
}

/** A record's text takes less memory than its value, and few items come again. A failure is ten times as large as its words. */
function remembered({ failure: _, ...outcome }: Outcome): Outcome | string {
  return outcome.status === 'ok' && outcome.record !== undefined ? outcome.record.text : outcome;
}
