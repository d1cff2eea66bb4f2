/** What a run has spent, told with a failure that ends it, and what running it again would cost. */
import { type Billed, type FailureDetails, PdiError, pluralize } from '../errors.ts';

export interface RunCost {
  /** Goes up as the run makes its calls. */
  readonly spent: Readonly<Record<'billed' | 'unknown', number>>;
  /** Whether a journal keeps what was bought for the next run. */
  kept: boolean;
}

/** What the calls of a run came to, as failures have it. */
export function billedBy({ billed, unknown }: RunCost['spent']): Billed {
  if (billed > 0) return 'yes';
  return unknown > 0 ? 'unknown' : 'no';
}

/** What it means for the bill that a run begins anew, of which so many calls are kept nowhere. */
export const costOfNewRun = ({ billed, unknown }: RunCost['spent']): string =>
  billed > 0
    ? `a new run may be billed again for what was bought: ${pluralize(billed + unknown, 'call')}`
    : `a new run may be billed for it a second time: ${pluralize(unknown, 'call')}`;

/** The failure as the run's: `billed` is the run's own, and the hint advises no second bill. */
export function withRunCost(failure: PdiError, runCost: RunCost | undefined): PdiError {
  const { code, message, details } = failure;
  const { billed, hint } =
    runCost === undefined ? { billed: details.billed, hint: joined(details.hint, details.rerun) } : told(details, runCost);
  return new PdiError(code, message, { ...details, billed, hint });
}

function told(details: FailureDetails, { spent, kept }: RunCost): Pick<FailureDetails, 'billed' | 'hint'> {
  const billed = billedBy(spent);
  if (billed === 'no') return { billed: details.billed ?? 'no', hint: joined(details.hint, details.rerun) };
  // What says for itself what was billed, and advises no new run, needs no word more.
  const isTold = details.billed !== undefined && details.rerun === undefined;
  return { billed, hint: joined(details.hint, kept ? details.rerun : isTold ? undefined : costOfNewRun(spent)) };
}

const joined = (hint: string | undefined, rest: string | undefined): string | undefined =>
  hint !== undefined && rest !== undefined ? `${hint.replace(/\.$/, '')}; ${rest}` : (hint ?? rest);
