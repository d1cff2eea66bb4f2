/** The end of a job: what becomes of its journal, the summary, and the failure it ends with. */

import { PdiError, withMoreHint } from '../errors.ts';
import type { Spent } from '../jobs/purchase.ts';
import { failureOfRows, isUnfinished, rowsIn, type Tally } from '../jobs/tally.ts';
import type { Journal } from '../money/journal.ts';
import { failureOfEmpty } from './call.ts';
import type { Context } from './context.ts';
import type { Delivered } from './delivery.ts';
import type { InputSource } from './input-source.ts';
import { reportSummary } from './summary.ts';

/** A job that has delivered its rows. */
export interface EndedJob extends Pick<InputSource, 'one' | 'repeatable'> {
  /** Whether a row without a match is a good answer. */
  readonly emptyIsFine: boolean;
  readonly delivered: Delivered;
  readonly spent: Spent;
  readonly journal: Journal | undefined;
}

/** A stop closes input that is no file. Rows not read then are not counted: what was bought must be there for the run that reads them. */
export const isReadToTheEnd = ({ stop }: Context, { repeatable }: Pick<InputSource, 'repeatable'>): boolean => repeatable || !stop.aborted;

interface Worth extends Pick<EndedJob, 'emptyIsFine' | 'spent'> {
  readonly all: boolean;
}

/** Whether rows may take the place of a file that no journal calls ours: a refused key or a dead service leaves none with data in it. */
export function isWorthAFile(tally: Tally, { emptyIsFine, spent: { billed, unknown }, all }: Worth): boolean {
  const good = tally.ok + (emptyIsFine ? tally.not_found : 0);
  return billed + unknown + good > 0 || (rowsIn(tally) === 0 && all);
}

/** Ends a job whose rows are delivered; gives the failure that it ends with. */
export function conclude(context: Context, ended: EndedJob): Error | undefined {
  const { one, delivered, spent, journal } = ended;
  const { tally, failure, cut, fate } = delivered;
  if (fate === 'unanswered') return failure;
  const kept = fate === 'kept';
  const finished = failure === undefined && !cut && isReadToTheEnd(context, ended) && !isUnfinished(tally);
  if (finished && !kept) closeBooks(context, journal);
  // Without it the next run asks before it replaces the file; what was bought for other rows, or may have been billed, stays.
  if (kept && journal?.unclaimed === 0 && tally.unknown === 0) journal.remove();
  if (!one && !cut) reportSummary(context, tally, spent, { resumable: journal !== undefined, lost: fate === 'lost' });
  const end = failureOf(context, ended);
  return kept && end instanceof PdiError ? withMoreHint(end, `${context.flags.out} stays as it was: no row has data to put there`) : end;
}

function failureOf(context: Context, { one, repeatable, emptyIsFine, delivered }: EndedJob): Error | undefined {
  const { tally, records, failure, cut, fate, firstError } = delivered;
  if (failure !== undefined || cut) return failure;
  if (!isReadToTheEnd(context, { repeatable })) return context.interrupted();
  const empty = emptyIsFine && records === 0 ? failureOfEmpty(context) : undefined;
  // Where no row is written, none can be looked at.
  return empty ?? (one ? undefined : failureOfRows(tally, emptyIsFine, fate === 'kept' ? `the first error: ${firstError}` : undefined));
}

/** Nothing is left to ask for. What was bought for rows of another input stays: that input may come again. */
function closeBooks(context: Context, journal: Journal | undefined): void {
  if (journal === undefined) return;
  if (journal.unclaimed === 0) journal.remove();
  else context.notice(`${journal.path} stays: it holds ${journal.unclaimed} answers that no row of this input asks for`);
}
