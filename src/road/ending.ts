/** Ends a job: it decides about the journal, prints the summary, and gives the failure. */

import type { Spent } from '../book/buyer.ts';
import type { JobFile } from '../book/job-file.ts';
import { PdiError, pluralize, withMoreHint } from '../errors.ts';
import type { RowStatus } from '../rows/result-row.ts';
import { type Delivered, failureOfEmpty } from './delivery.ts';
import type { InputSource } from './input-source.ts';
import type { Show } from './plan.ts';
import type { RunCount } from './run-count.ts';
import type { Spending } from './spending.ts';
import { reportSummary, tellOrigins } from './summary.ts';
import type { Say, Tools } from './tools.ts';

interface EndedJob {
  readonly source: InputSource;
  readonly emptyIsFine: boolean;
  readonly accept: readonly RowStatus[] | undefined;
  readonly delivered: Delivered;
  readonly spending: Spending;
  readonly journal: JobFile | undefined;
}

/** A stop closes input that is not a file, so some rows were not read. What was bought for them must stay in the journal. */
export const isReadToTheEnd = ({ stop }: Tools, { repeatable }: InputSource): boolean => repeatable || !stop.aborted;

/** Tells whether rows may replace a file that is not from this job. After a refused key or a dead service, no row has data. */
export function isWorthAFile({ tally, rows }: RunCount, emptyIsFine: boolean, { billed, unknown }: Spent, isRead: boolean): boolean {
  const good = tally.ok + (emptyIsFine ? tally.not_found : 0);
  return billed + unknown + good > 0 || (rows === 0 && isRead);
}

export async function conclude(show: Show, tools: Tools, ended: EndedJob): Promise<Error | undefined> {
  const { say } = tools;
  const { source, delivered, spending, journal } = ended;
  const { one, first } = source;
  const { count, failure, cut, fate } = delivered;
  const budget = await spending.budgetUse();
  if (fate === 'unanswered') return failure;
  const kept = fate === 'kept';
  // An input with fewer rows was read to its end, so that no other run has to go on.
  const isTrial = first !== undefined && failure === undefined && count.rows >= first;
  const finished = failure === undefined && !cut && !isTrial && isReadToTheEnd(tools, source) && !count.isUnfinished;
  if (finished && !kept) closeBooks(say, journal);
  // Without a journal the next run replaces FILE only with --force. A journal with paid answers or unknown calls stays.
  if (kept && journal?.unclaimed === 0 && count.tally.unknown === 0) journal.remove();
  if (!cut) tellOrigins(tools.say, count);
  if (!cut && count.aboutAnother > 0) say.notice(aboutAnotherWords(count.aboutAnother, one));
  if (!one && !cut) reportSummary(show, tools.say, count, spending.runCost, { job: true, lost: fate === 'lost', isTrial, budget });
  const end = failureOf(show, tools, ended);
  return kept && end instanceof PdiError ? withMoreHint(end, `${show.out} stays as it was: no row has data to put there`) : end;
}

/** The answers were paid for, so they are written; only a person can tell whether two ids mean the same. */
const aboutAnotherWords = (rows: number, one: boolean): string =>
  `${one ? 'the answer is' : `${pluralize(rows, 'answer')} ${rows === 1 ? 'is' : 'are'}`} about another id than the one asked for${one ? '' : ' (pdi_error names it)'}: ` +
  'compare them before you use them (an id may have been merged into another), and report it to the service';

function failureOf(show: Show, tools: Tools, { source, emptyIsFine, accept = [], delivered }: EndedJob): Error | undefined {
  const { count, failure, cut, fate } = delivered;
  if (failure !== undefined || cut) return failure;
  if (!isReadToTheEnd(tools, source)) return tools.interrupted();
  const isEmpty = count.tally.ok === 0 && (emptyIsFine || count.rows === 0);
  const empty = isEmpty ? failureOfEmpty(show, tools.say) : undefined;
  if (empty !== undefined || source.one) return empty;
  const fine: readonly RowStatus[] = emptyIsFine ? ['not_found'] : [];
  // If no row is written, no status makes that a success. The user cannot read the rows, so the hint gives the first error.
  return fate === 'kept' ? count.failure(fine, `the first error: ${count.firstError}`) : count.failure([...fine, ...accept]);
}

/** Answers that were bought for another input stay, because that input may come again. */
function closeBooks({ notice }: Say, journal: JobFile | undefined): void {
  if (journal === undefined) return;
  if (journal.unclaimed === 0) journal.remove();
  else notice(`${journal.path} stays: it holds ${pluralize(journal.unclaimed, 'answer')} that no row of this input asks for`);
}
