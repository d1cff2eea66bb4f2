/** What a run has spent, told with a failure of the run as a whole: one about a call says for itself whether that was billed. */
import { type Billed, PdiError, withMoreHint } from './errors.ts';

export interface Outlay {
  /** Goes up as the run makes its calls. */
  readonly spent: Readonly<Record<'billed' | 'unknown', number>>;
  /** Whether a journal keeps what was bought for the next run. */
  kept: boolean;
}

/** What the calls of a run came to, as failures have it. */
export function billedBy({ billed, unknown }: Outlay['spent']): Billed {
  if (billed > 0) return 'yes';
  return unknown > 0 ? 'unknown' : 'no';
}

/** A failure that says nothing of money, with what the run spent, and what running it again would cost. */
export function withOutlay(failure: PdiError, outlay: Outlay | undefined): PdiError {
  if (outlay === undefined || failure.details.billed !== undefined) return failure;
  const billed = billedBy(outlay.spent);
  const accounted = new PdiError(failure.code, failure.message, { ...failure.details, billed });
  if (billed === 'no' || outlay.kept) return accounted;
  return withMoreHint(accounted, billed === 'yes' ? 'running it again buys again what was bought' : 'running it again may be billed again');
}
