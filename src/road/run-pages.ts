/** Reads the pages of a list and writes them to the output. */
import type { Endpoint } from '../contract/endpoint.ts';
import type { ResultRows } from '../rows/result-row.ts';
import { printPlan } from './dry-run.ts';
import { columnsOfEndpoint, openOutput, refuseBadFormatting, withPriceOfAnother } from './open-output.ts';
import { type PagedRun, Reading, withOutbox } from './page-reader.ts';
import { askedPage } from './pages.ts';
import type { Plan, Show } from './plan.ts';
import { type Progress, startProgress } from './progress.ts';
import { failureOfEmpty } from './run-call.ts';
import { openSpending } from './spending.ts';
import { reportSummary } from './summary.ts';
import type { Tools } from './tools.ts';

/** Reads one page or all pages. @throws PdiError the failure that ended them */
export async function runPages<E extends Endpoint>(plan: Plan, tools: Tools, run: PagedRun<E>): Promise<void> {
  const { endpoint, ranges, wanted } = run;
  const { show } = plan;
  if (plan.isDry) {
    await refuseBadFormatting(show, tools, { ...columnsOfEndpoint(endpoint), one: false, job: false });
    const calls = ranges.map(({ request }) => ({ endpoint, request: request(askedPage(wanted, 0)) }));
    return printPlan(plan, tools, calls, { omitted: wanted.maxPages > 1 ? null : 0 });
  }
  let progress: Progress | undefined;
  const output = await openOutput(show, tools, {
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
  const spending = await openSpending(plan, tools);
  const { spent } = spending;
  const reading = new Reading(run, spending, { stop: tools.stop, out: show.out });
  const many = wanted.isMany;
  progress = await startProgress({ io: tools.io, wanted: many && show.showsProgress, total: undefined, spent });
  const { failure, count, cut, fate } = await output.deliver(rowsOfRun(show, run, reading)).finally(() => progress?.end());
  // Pages that could not be written must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (many && !cut && fate !== 'unanswered') {
    const budget = await spending.budgetUse();
    reportSummary(show, tools.say, count, spending.runCost, { job: false, resume, budget, onlyNew: run.deliveredBefore !== undefined });
  }
  if (!cut && (fate === 'written' || fate === 'kept')) await run.afterwards?.();
  const end = failure ?? (count.tally.ok === 0 && !cut ? failureOfEmpty(show, tools.say) : undefined);
  if (end !== undefined) throw end;
}

/** Without a program nothing waits: what was written is there. What waits from before goes out all the same. */
function rowsOfRun<E extends Endpoint>({ program }: Show, { outbox }: PagedRun<E>, reading: Reading<E>): ResultRows {
  if (outbox === undefined) return reading.rows();
  return withOutbox(reading.rows(), program === undefined ? { ...outbox, keep: async () => undefined } : outbox);
}
