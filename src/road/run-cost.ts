/** Adds to a failure what the run spent, and what a new run would cost. */
import { type Billed, joinedHints, type PdiError, pluralize } from '../errors.ts';

export interface RunCost {
  readonly spent: Readonly<Record<'billed' | 'unknown', number>>;
  foundBy: FoundBy;
}

/** Which later runs find what this one bought: in a journal or in the book, which `--fresh` passes over. */
export type FoundBy = 'any run' | 'runs without --fresh' | 'no run';

export function billedBy({ billed, unknown }: RunCost['spent']): Billed {
  if (billed > 0) return 'yes';
  return unknown > 0 ? 'unknown' : 'no';
}

export function costOfNewRun({ spent: { billed, unknown }, foundBy }: RunCost): string {
  if (billed === 0) return `a new run may be billed for it a second time: ${pluralize(unknown, 'call')}`;
  const cost = `a new run may be billed again for what was bought: ${pluralize(billed + unknown, 'call')}`;
  return foundBy === 'runs without --fresh' ? `${cost}; without --fresh it takes that from the book` : cost;
}

/** Gives the failure with the `billed` of the whole run. Its hint must not cause a second bill. */
export function withRunCost(failure: PdiError, runCost: RunCost | undefined): PdiError {
  const { hint, rerun, billed: told } = failure.details;
  const billed = runCost === undefined ? 'no' : billedBy(runCost.spent);
  if (runCost === undefined || billed === 'no') return failure.with({ billed: told ?? billed, hint: joinedHints(hint, rerun) });
  // A failure that says what was billed, and advises no new run, needs no other hint.
  const isTold = told !== undefined && rerun === undefined;
  return failure.with({
    billed,
    hint: joinedHints(hint, runCost.foundBy === 'any run' ? rerun : isTold ? undefined : costOfNewRun(runCost)),
  });
}
