/** A job gives one row for each identifier, buys each identifier once, and can resume with `--out`. */
import type { JobFile } from '../book/job-file.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { pluralize, UsageError, withMoreHint } from '../errors.ts';
import { columnsNamed } from '../input/column.ts';
import { hasOwnColumns } from '../output/formats.ts';
import type { Input } from '../rows/input-row.ts';
import { deliver, withCostOfAnother } from './delivery.ts';
import { planJob, printPlan } from './dry-run.ts';
import { conclude, type DeliveredJob, isReadToTheEnd, isWorthAFile } from './ending.ts';
import { FreeProgress, layoutOf } from './free-progress.ts';
import { type InputSource, inputSource, type Source } from './input-source.ts';
import { type Job, type Keyed, NoQuestion, questionOf } from './job.ts';
import { openJobJournal, openRunJournal, peekJobJournal, refuseInUse } from './job-journal.ts';
import { matchedByColumn, matchesColumn, originsShown, withMatchedBy, withOrigins } from './pdi-columns.ts';
import type { JobPlan } from './plan.ts';
import { ResultCache } from './result-cache.ts';
import type { RunCount } from './run-count.ts';
import { columnsOfEndpoint, formatting } from './shape.ts';
import { foundByOthers, openSpending, type Spending } from './spending.ts';
import { StopRule } from './stop-rule.ts';
import { tellSeveral } from './summary.ts';
import type { Tools } from './tools.ts';

/** A free job remembers this many items. To ask again for a forgotten item costs nothing; see `ResultCacheOptions`. */
const maxRemembered = 10_000;

/** `--dry-run` shows the requests for this many questions, or the first request if it carries more. */
const maxShown = 10;

/** Runs a job over the identifiers or the file of `source`. @throws PdiError the failure that it ended with */
export async function runJob<E extends Endpoint, Q extends Keyed>(
  plan: JobPlan,
  tools: Tools,
  job: Job<E, Q>,
  { column, accept, ...given }: Source,
): Promise<void> {
  const { show } = plan;
  refuseWhere(show.where);
  const source = inputSource({ column, ...given }, job.identifierColumns, tools, show.withInput);
  if (source.file === undefined) refuseMalformed(job, given.identifiers);
  const asked: AskedJob<E, Q> = { plan, tools, job, source };
  if (plan.isDry) {
    const named = column === undefined ? 1 : columnsNamed(column).length;
    await formatting(show, tools, { ...columnsOfJob(job, named), one: source.one, job: true });
    return dryRun(asked);
  }
  if (!source.one) await refuseInUse(show.out);
  await tools.service();
  const spending = await openSpending(plan, tools);
  const total = await rowsAhead(asked, spending);
  // The input opens before the journal, so that --restart discards nothing if the input cannot be read.
  let input = await source.open();
  let journal: JobFile | undefined;
  let written = false;
  try {
    const costOfAnother = () => (job.endpoint.billing === 'free' ? undefined : callsOf(asked, spending));
    journal = source.one
      ? undefined
      : await openJobJournal(plan, tools, job.endpoint).catch((error: unknown) => withCostOfAnother(error, costOfAnother));
    const isFree = job.endpoint.billing === 'free' && source.repeatable;
    const opened =
      isFree && journal
        ? await FreeProgress.open(
            { journal, layout: layoutOf(show, { column, ...given }, tools.version), format: show.format },
            input,
            source.open,
          )
        : undefined;
    input = opened?.input ?? input;
    spending.runCost.foundBy = journal === undefined ? foundByOthers(plan.rules, job.endpoint) : 'any run';
    const named = column === undefined ? 1 : columnsNamed(column, input.own?.header).length;
    const delivered = await deliverRows(asked, {
      input,
      named,
      column,
      spending,
      journal,
      progress: opened?.progress,
      total,
      costOfAnother,
    });
    written = delivered.fate === 'written';
    const end = conclude(show, tools, { ...source, emptyIsFine: job.emptyIsFine, accept, delivered, spending, journal });
    if (end !== undefined) throw end;
  } finally {
    // If rows were written, even an empty journal stays, because it shows that the next run may complete the file.
    if (!written && journal?.resumed === false && journal.isEmpty) journal.remove();
    input.close();
    journal?.close();
  }
}

function refuseWhere(where: string | undefined): void {
  if (where === undefined) return;
  const hint = 'nothing was sent; leave it out, then choose from what was written: `pdi convert FILE --where EXPRESSION`, free';
  throw new UsageError('--where is not for jobs, where each row in is a row out', { item: '--where', hint });
}

/** A job with what it was asked with, and the rows that it is asked about. */
interface AskedJob<E extends Endpoint, Q extends Keyed> {
  readonly plan: JobPlan;
  readonly tools: Tools;
  readonly job: Job<E, Q>;
  readonly source: InputSource;
}

async function callsOf<E extends Endpoint, Q extends Keyed>(asked: AskedJob<E, Q>, spending: Spending): Promise<string | undefined> {
  if (!asked.source.repeatable) return '1 call for each distinct row, which may be billed';
  const { billable } = (await countJob(asked, spending)).plan;
  return billable === 0 ? undefined : `${pluralize(billable, 'call')} that may be billed`;
}

/** A malformed argument stops the command, but a malformed row of a file fails alone. @throws UsageError */
function refuseMalformed<E extends Endpoint, Q extends Keyed>({ ask }: Job<E, Q>, identifiers: readonly string[]): void {
  for (const [index, written] of identifiers.entries()) {
    const question = questionOf({ line: index + 1, text: written.trim() || undefined }, ask);
    if (!(question instanceof NoQuestion)) continue;
    const { error, hint = 'correct it and run the command again' } = question;
    const subject = written.trim() === '' ? `argument ${index + 1}` : written;
    throw new UsageError(`${subject}: ${error}`, { item: written, hint: `nothing was sent; ${hint}` });
  }
}

interface OpenJob {
  readonly input: Input;
  readonly named: number;
  /** As `--column` has it. */
  readonly column: string | undefined;
  readonly spending: Spending;
  readonly journal: JobFile | undefined;
  readonly progress: FreeProgress | undefined;
  readonly total: number | undefined;
  readonly costOfAnother: () => Promise<string | undefined> | undefined;
}

function columnsOfJob<E extends Endpoint, Q extends Keyed>(
  { endpoint, perRequest }: Job<E, Q>,
  named: number,
): ReturnType<typeof columnsOfEndpoint> {
  // In a batch the list holds the answers of many rows, so a row does not find several.
  const findsSeveral = endpoint.result === 'list' && perRequest === 1;
  const columns = [...endpoint.columns, ...(findsSeveral ? [matchesColumn] : []), ...(named > 1 ? [matchedByColumn] : [])];
  return { ...columnsOfEndpoint(endpoint), columns };
}

/** A chain of jobs has the identifier from the job before, and the answer would say it again. A table of the user's own is joined whole. */
async function repeatedColumn<E extends Endpoint, Q extends Keyed>(
  { endpoint, identifierColumns }: Job<E, Q>,
  column: string | undefined,
  header: readonly string[] = [],
): Promise<string | undefined> {
  const [id] = endpoint.askedBy ?? [];
  const read = column ?? identifierColumns.find((name) => header.includes(name));
  if (id === undefined || id !== read || !header.includes(id)) return undefined;
  // It loads the columns of all operations.
  const { isWrittenByPdi } = await import('./named-columns.ts');
  return isWrittenByPdi(header) ? id : undefined;
}

async function deliverRows<E extends Endpoint, Q extends Keyed>(
  { plan, tools, job, source }: AskedJob<E, Q>,
  open: OpenJob,
): Promise<DeliveredJob> {
  const { show, rules } = plan;
  const { input, named, column, spending, journal, total, costOfAnother } = open;
  const { endpoint, emptyIsFine } = job;
  const { spent, buyer } = spending;
  const shape = {
    ...columnsOfJob(job, named),
    answers: endpoint,
    card: endpoint.card,
    one: source.one,
    job: true,
    own: input.own,
    repeated: await repeatedColumn(job, column, input.own?.header),
  };
  const delivery = {
    shape,
    costOfAnother,
    journal,
    progress: open.progress,
    inputFile: source.file,
    worthReplacing: (count: RunCount) => isWorthAFile(count, { emptyIsFine, spent, all: isReadToTheEnd(tools, source) }),
    bar: source.one ? undefined : { total, spent },
  };
  const delivered = await deliver(show, tools, delivery, async () => {
    // The key is looked up before the first row, because a run without a key has no rows.
    await (await tools.service()).key();
    const memory = endpoint.billing === 'free' ? undefined : (journal ?? (source.one ? undefined : await openRunJournal(rules, tools)));
    const rows = job.rows({
      client: await tools.client(),
      input: input.batches,
      buyer,
      results: new ResultCache({ journal: memory, capacity: endpoint.billing === 'free' ? maxRemembered : Number.POSITIVE_INFINITY }),
      stopRule: new StopRule({ interrupt: tools.stop, stopOnError: plan.stopOnError }),
      concurrency: plan.calls.concurrency,
      columns: named,
    });
    const shown = withOrigins(rows, originsShown(endpoint.stored === true, show.fields, hasOwnColumns(show.format)));
    return named > 1 ? withMatchedBy(shown) : shown;
  });
  if (delivered.fate === 'written' && !delivered.cut) tellSeveral(show, tools.say, delivered.count, foundByOthers(rules, endpoint));
  return { ...delivered, budget: await spending.budgetUse() };
}

/** Reads the input ahead only if it can be read twice: to refuse a job above the cap, or to give the bar a total. */
async function rowsAhead<E extends Endpoint, Q extends Keyed>(asked: AskedJob<E, Q>, spending: Spending): Promise<number | undefined> {
  const { plan, tools, job, source } = asked;
  const { cap } = spending;
  if (!source.repeatable || source.one) return undefined;
  if (job.endpoint.billing !== 'free' && Number.isFinite(cap.left)) {
    const counted = await countJob(asked, spending, cap.left);
    const refusal = cap.refusalOfJob(counted.plan.billable, counted.isCut);
    if (refusal !== undefined) throw withMoreHint(refusal, '--dry-run shows the plan');
    return counted.plan.rows;
  }
  return plan.show.showsProgress && tools.io.stderr.isTTY === true ? countRows(source) : undefined;
}

async function countRows(source: InputSource): Promise<number> {
  const input = await source.open({ toTheEnd: true });
  try {
    let rows = 0;
    for await (const batch of input.batches) rows += batch.length;
    return rows;
  } finally {
    input.close();
  }
}

async function countJob<E extends Endpoint, Q extends Keyed>(
  { plan, tools, job, source }: AskedJob<E, Q>,
  spending: Spending,
  allowed?: number,
) {
  const { endpoint, perRequest } = job;
  const journal = source.one ? undefined : await peekJobJournal(plan, tools, endpoint);
  const input = await source.open({ toTheEnd: true });
  try {
    const inBook = (question: Q) => knownTo(spending, job, question);
    return await planJob(job, { input: input.batches, journal, inBook, allowed, keep: Math.max(maxShown, perRequest) });
  } finally {
    input.close();
    journal?.close();
  }
}

async function knownTo<E extends Endpoint, Q extends Keyed>({ inBook }: Spending, { endpoint, requests }: Job<E, Q>, question: Q) {
  const [request] = endpoint.stored === true ? requests([question]) : [];
  return request === undefined ? undefined : await inBook({ endpoint, request });
}

async function dryRun<E extends Endpoint, Q extends Keyed>(asked: AskedJob<E, Q>): Promise<void> {
  const { plan, tools, job, source } = asked;
  const { plan: counts, open } = await countJob(asked, await openSpending(plan, tools));
  if (!isReadToTheEnd(tools, source)) throw tools.interrupted();
  const calls = job.requests(open).map((request) => ({ endpoint: job.endpoint, request }));
  await printPlan(plan, tools, calls, { job: counts, omitted: counts.requests - calls.length });
}
