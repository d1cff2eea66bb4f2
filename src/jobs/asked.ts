/** Items that were asked for together, in one request, and what became of them. */
import type { PdiError } from '../errors.ts';
import { readJson } from '../json.ts';
import type { RowStatus } from '../row.ts';

/** What became of one item. */
export interface Outcome {
  readonly status: RowStatus;
  readonly record?: unknown;
  /** The record as it was sent, where that is JSON on one line. */
  readonly json?: string | undefined;
  readonly error?: string | undefined;
  readonly failure?: PdiError | undefined;
}

/** Reads the outcomes of all items of a request from the text of its answer, which takes less memory than what it says. */
export type ReadAgain = () => readonly Outcome[];

/** One request, under way or answered. Remembered for each of its items, so that a million of them cost little memory. */
export class Asked {
  /** The keys of its items. */
  readonly items: string[] = [];
  private outcomes: readonly (Outcome | string)[] | ReadAgain | undefined;
  private announce: (how?: Promise<never>) => void = () => {};
  private readonly answered = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  /** Takes the outcomes of all items, in order; or, better, how to read them once more: few items come again. */
  settle(outcomes: readonly Outcome[], again?: ReadAgain): void {
    this.outcomes = again ?? outcomes.map(textOrOutcome);
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
    // Each has its own text from then on.
    if (typeof this.outcomes === 'function') this.outcomes = this.outcomes().map(textOrOutcome);
    const outcome = this.outcomes?.[this.items.indexOf(item)];
    if (outcome === undefined) throw new Error('an item without an outcome');
    return typeof outcome === 'string' ? { status: 'ok', record: readJson(outcome).value, json: outcome } : outcome;
  }
}

/** A record's own text says all there is to say of it. A failure is ten times as large as its words, and those are all a row needs. */
function textOrOutcome({ failure: _, ...outcome }: Outcome): Outcome | string {
  return (outcome.status === 'ok' && outcome.json) || outcome;
}
