/** Reads the pages of a list and writes them to the output. */
import type { Endpoint } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import type { ResultRows } from '../rows/result-row.ts';
import { deliver, refuseMissingProgram } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import { type PagedRun, Reading, rowsOfTexts } from './page-reader.ts';
import { askedPage } from './pages.ts';
import type { Plan, Show } from './plan.ts';
import { failureOfEmpty } from './run-call.ts';
import { columnsOfEndpoint, formatting } from './shape.ts';
import { openSpending } from './spending.ts';
import { reportSummary } from './summary.ts';
import type { Tools } from './tools.ts';

/** Reads one page or all pages. @throws PdiError the failure that ended them */
export async function runPages<E extends Endpoint>(plan: Plan, tools: Tools, run: PagedRun<E>): Promise<void> {
  const { endpoint, wanted } = run;
  const { show } = plan;
  if (plan.isDry) {
    await formatting(show, tools, shapeOf(endpoint));
    await refuseMissingProgram(show, tools);
    const calls = [...run.ranges].map(({ request, walk }) => ({ endpoint, request: request(walk?.question() ?? askedPage(wanted, 0)) }));
    return printPlan(plan, tools, calls, { omitted: wanted.maxPages > 1 ? null : 0 });
  }
  const spending = await openSpending(plan, tools);
  const reading = new Reading(run, spending, { stop: tools.stop, out: show.out });
  const many = wanted.isMany;
  const delivery = {
    shape: shapeOf(endpoint),
    costOfAnother: () => (endpoint.billing === 'free' ? undefined : `1 call${wanted.maxPages > 1 ? ' a page' : ''} that may be billed`),
    bar: many ? { total: undefined, spent: spending.spent } : undefined,
  };
  const { failure, count, cut, fate } = await deliver(show, tools, delivery, () => reading.rows());
  // Pages that could not be written, and were not kept, must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (run.outbox !== undefined) spending.runCost.foundBy = 'any run';
  if (many && !cut && fate !== 'unanswered') {
    const budget = await spending.budgetUse();
    reportSummary(show, tools.say, count, spending.runCost, {
      job: false,
      resume,
      budget,
      onlyNew: run.deliveredBefore !== undefined,
      lookBack: run.lookBack,
    });
  }
  const remark = run.remark?.();
  if (remark !== undefined) tools.say.notice(remark);
  if (!cut && (fate === 'written' || fate === 'kept')) await run.outbox?.empty();
  const end = failure ?? (count.tally.ok === 0 && !cut && run.hasDelivered !== true ? failureOfEmpty(show, tools.say) : undefined);
  if (end !== undefined) throw run.outbox === undefined ? end : withOneAdvice(end, resume, show.quiet);
}

const shapeOf = <E extends Endpoint>(endpoint: E) => ({
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
export async function deliverRecords(show: Show, tools: Tools, endpoint: Endpoint, records: readonly string[]): Promise<void> {
  const { failure } = await deliver(show, tools, { shape: shapeOf(endpoint) }, () => rowsTogether(records));
  if (failure !== undefined) throw failure;
}

async function* rowsTogether(records: readonly string[]): ResultRows {
  yield rowsOfTexts(records);
}
