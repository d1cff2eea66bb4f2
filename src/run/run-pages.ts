/** Reads the pages of a list and writes them to the output. */
import { isManyPages, wantedPages } from '../cli/paging.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import { askedPage } from '../jobs/pages.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import { printPlan } from './dry-run.ts';
import { columnsOfEndpoint, openOutput, refuseBadFormatting, refuseMissingProgram, withPriceOfAnother } from './open-output.ts';
import { type PagedRun, Reading, rowsOfTexts } from './page-reader.ts';
import { type Progress, showsProgress, startProgress } from './progress.ts';
import { failureOfEmpty } from './run-call.ts';
import { openSpending } from './spending.ts';
import { reportSummary } from './summary.ts';

/** Reads one page or all pages. @throws PdiError the failure that ended them */
export async function runPages<E extends Endpoint>(context: Context, run: PagedRun<E>): Promise<void> {
  const { endpoint, flags } = run;
  const wanted = wantedPages(flags);
  if (context.flags.dryRun === true) {
    await refuseBadFormatting(context, { ...columnsOfEndpoint(endpoint), one: false, job: false });
    await refuseMissingProgram(context);
    const calls = [...run.ranges].map(({ request, walk }) => ({ endpoint, request: request(walk?.question() ?? askedPage(wanted, 0)) }));
    return printPlan(context, calls, { omitted: wanted.maxPages > 1 ? null : 0 });
  }
  let progress: Progress | undefined;
  const output = await openOutput(context, {
    ...deliveryOf(endpoint),
    makeWay: () => progress?.makeWay(),
    onRows: (count) => progress?.rows(count),
  }).catch((error: unknown) =>
    withPriceOfAnother(error, endpoint, () => `1 call${wanted.maxPages > 1 ? ' a page' : ''} that may be billed`),
  );
  const spending = await openSpending(context);
  const reading = new Reading(context, run, spending);
  const many = isManyPages(flags);
  progress = await startProgress({ io: context.io, wanted: many && showsProgress(context), total: undefined, spent: spending.spent });
  const delivered = await output.deliver(reading.rows()).finally(() => progress?.end());
  const { failure, tally, records, cut, fate } = delivered;
  // Pages that could not be written, and were not kept, must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (run.outbox !== undefined) spending.runCost.foundBy = 'any run';
  if (many && !cut && fate !== 'unanswered') {
    const budget = await spending.budgetUse();
    reportSummary(context, tally, spending.runCost, { resume, budget, onlyNew: run.deliveredBefore !== undefined, lookBack: run.lookBack });
  }
  const remark = run.remark?.();
  if (remark !== undefined) context.notice(remark);
  if (!cut && (fate === 'written' || fate === 'kept')) await run.outbox?.empty();
  const end = failure ?? (records === 0 && !cut ? failureOfEmpty(context) : undefined);
  if (end !== undefined) throw run.outbox === undefined ? end : withOneAdvice(end, resume, context.flags.quiet === true);
}

const deliveryOf = <E extends Endpoint>(endpoint: E) => ({
  ...columnsOfEndpoint(endpoint),
  answers: endpoint,
  picture: endpoint.picture,
  one: false,
  job: false,
});

/** Where the summary says how to go on, a failure that only ended the run says nothing else of it. */
function withOneAdvice(failure: Error, resume: string | undefined, isQuiet: boolean): Error {
  if (!(failure instanceof PdiError) || resume === undefined || failure.details.rerun === undefined) return failure;
  const { code, message, details } = failure;
  return new PdiError(code, message, { ...details, rerun: isQuiet ? resume : undefined });
}

/** Writes records that were bought before, without a call. @throws PdiError where they could not be written */
export async function deliverRecords(context: Context, endpoint: Endpoint, records: readonly string[]): Promise<void> {
  const output = await openOutput(context, deliveryOf(endpoint));
  const { failure } = await output.deliver(rowsTogether(records));
  if (failure !== undefined) throw failure;
}

async function* rowsTogether(records: readonly string[]): ResultRows {
  yield rowsOfTexts(records);
}
