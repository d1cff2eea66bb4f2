/** Reads the pages of a list and writes them to the output. */
import { isManyPages, wantedPages } from '../cli/paging.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { askedPage } from '../jobs/pages.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import { printPlan } from './dry-run.ts';
import { columnsOfEndpoint, openOutput, refuseBadFormatting, withPriceOfAnother } from './open-output.ts';
import { type PagedRun, Reading, withOutbox } from './page-reader.ts';
import { type Progress, showsProgress, startProgress } from './progress.ts';
import { failureOfEmpty } from './run-call.ts';
import { openSpending } from './spending.ts';
import { reportSummary } from './summary.ts';

/** Reads one page or all pages. @throws PdiError the failure that ended them */
export async function runPages<E extends Endpoint>(context: Context, run: PagedRun<E>): Promise<void> {
  const { endpoint, ranges, flags } = run;
  const wanted = wantedPages(flags);
  if (context.flags.dryRun === true) {
    await refuseBadFormatting(context, { ...columnsOfEndpoint(endpoint), one: false, job: false });
    const calls = ranges.map(({ request }) => ({ endpoint, request: request(askedPage(wanted, 0)) }));
    return printPlan(context, calls, { omitted: wanted.maxPages > 1 ? null : 0 });
  }
  let progress: Progress | undefined;
  const output = await openOutput(context, {
    ...columnsOfEndpoint(endpoint),
    answers: endpoint,
    picture: endpoint.picture,
    one: false,
    job: false,
    makeWay: () => progress?.makeWay(),
    onRows: (count) => progress?.rows(count),
  }).catch((error: unknown) =>
    withPriceOfAnother(error, endpoint, () => `1 call${wanted.maxPages > 1 ? ' a page' : ''} that may be billed`),
  );
  const spending = await openSpending(context);
  const { spent } = spending;
  const reading = new Reading(context, run, spending);
  const many = isManyPages(flags);
  progress = await startProgress({ io: context.io, wanted: many && showsProgress(context), total: undefined, spent });
  const { failure, count, cut, fate } = await output.deliver(rowsOfRun(context, run, reading)).finally(() => progress?.end());
  // Pages that could not be written must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (many && !cut && fate !== 'unanswered') {
    const budget = await spending.budgetUse();
    reportSummary(context, count, spending.runCost, { job: false, resume, budget, onlyNew: run.deliveredBefore !== undefined });
  }
  if (!cut && (fate === 'written' || fate === 'kept')) await run.afterwards?.();
  const end = failure ?? (count.tally.ok === 0 && !cut ? failureOfEmpty(context) : undefined);
  if (end !== undefined) throw end;
}

/** Without a program nothing waits: what was written is there. What waits from before goes out all the same. */
function rowsOfRun<E extends Endpoint>({ program }: Context, { outbox }: PagedRun<E>, reading: Reading<E>): ResultRows {
  if (outbox === undefined) return reading.rows();
  return withOutbox(reading.rows(), program === undefined ? { ...outbox, keep: async () => undefined } : outbox);
}
