/** Ends a job: it decides about the journal, prints the summary, and gives the failure. */

import type { BudgetUse } from '../book/budget.ts';
import type { JobFile } from '../book/job-file.ts';
import { PdiError, pluralize, withMoreHint } from '../errors.ts';
import type { RowStatus } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import type { Delivered } from './delivery.ts';
import type { InputSource } from './input-source.ts';
import { failureOfEmpty } from './run-call.ts';
import type { RunCount } from './run-count.ts';
import type { Spending } from './spending.ts';
import { reportSummary, tellOrigins } from './summary.ts';

export interface DeliveredJob extends Delivered {
  readonly budget: readonly BudgetUse[];
}

interface EndedJob extends Pick<InputSource, 'one' | 'repeatable' | 'first'> {
  readonly emptyIsFine: boolean;
  readonly accept: readonly RowStatus[] | undefined;
  readonly delivered: DeliveredJob;
  readonly spending: Pick<Spending, 'spent' | 'runCost'>;
  readonly journal: JobFile | undefined;
}

/** A stop closes input that is not a file, so some rows were not read. What was bought for them must stay in the journal. */
export const isReadToTheEnd = ({ stop }: Context, { repeatable }: Pick<InputSource, 'repeatable'>): boolean => repeatable || !stop.aborted;

interface Worth extends Pick<EndedJob, 'emptyIsFine'>, Pick<Spending, 'spent'> {
  readonly all: boolean;
}

/** Tells whether rows may replace a file that is not from this job. After a refused key or a dead service, no row has data. */
export function isWorthAFile({ tally, rows }: RunCount, { emptyIsFine, spent: { billed, unknown }, all }: Worth): boolean {
  const good = tally.ok + (emptyIsFine ? tally.not_found : 0);
  return billed + unknown + good > 0 || (rows === 0 && all);
}

export function conclude(context: Context, ended: EndedJob): Error | undefined {
  const { one, first, delivered, spending, journal } = ended;
  const { count, failure, cut, fate, budget } = delivered;
  if (fate === 'unanswered') return failure;
  const kept = fate === 'kept';
  // An input with fewer rows was read to its end, so that no other run has to go on.
  const isTrial = first !== undefined && failure === undefined && count.rows >= first;
  const finished = failure === undefined && !cut && !isTrial && isReadToTheEnd(context, ended) && !count.isUnfinished;
  if (finished && !kept) closeBooks(context, journal);
  // Without a journal the next run replaces FILE only with --force. A journal with paid answers or unknown calls stays.
  if (kept && journal?.unclaimed === 0 && count.tally.unknown === 0) journal.remove();
  if (!cut) tellOrigins(context, count);
  if (!cut && count.aboutAnother > 0) context.notice(aboutAnotherWords(count.aboutAnother, one));
  if (!one && !cut) reportSummary(context, count, spending.runCost, { job: true, lost: fate === 'lost', isTrial, budget });
  const end = failureOf(context, ended);
  return kept && end instanceof PdiError ? withMoreHint(end, `${context.flags.out} stays as it was: no row has data to put there`) : end;
}

/** The answers were paid for, so they are written; only a person can tell whether two ids mean the same. */
const aboutAnotherWords = (rows: number, one: boolean): string =>
  `${one ? 'the answer is' : `${pluralize(rows, 'answer')} ${rows === 1 ? 'is' : 'are'}`} about another id than the one asked for${one ? '' : ' (pdi_error names it)'}: ` +
  'compare them before you use them (an id may have been merged into another), and report it to the service';

function failureOf(context: Context, { one, repeatable, emptyIsFine, accept = [], delivered }: EndedJob): Error | undefined {
  const { count, failure, cut, fate } = delivered;
  if (failure !== undefined || cut) return failure;
  if (!isReadToTheEnd(context, { repeatable })) return context.interrupted();
  const isEmpty = count.tally.ok === 0 && (emptyIsFine || count.rows === 0);
  const empty = isEmpty ? failureOfEmpty(context) : undefined;
  if (empty !== undefined || one) return empty;
  const fine: readonly RowStatus[] = emptyIsFine ? ['not_found'] : [];
  // If no row is written, no status makes that a success. The user cannot read the rows, so the hint gives the first error.
  return fate === 'kept' ? count.failure(fine, `the first error: ${count.firstError}`) : count.failure([...fine, ...accept]);
}

/** Answers that were bought for another input stay, because that input may come again. */
function closeBooks(context: Context, journal: JobFile | undefined): void {
  if (journal === undefined) return;
  if (journal.unclaimed === 0) journal.remove();
  else context.notice(`${journal.path} stays: it holds ${pluralize(journal.unclaimed, 'answer')} that no row of this input asks for`);
}
