/** A job: many identifiers in, one row out for each, bought once, resumable with `--out`. */

import { type InputFlags, type InputSource, inputSource } from '../cli/input-options.ts';
import { settings } from '../config/settings.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { resolveLimit } from '../contract/service.ts';
import { counted, UsageError } from '../errors.ts';
import type { Invalid } from '../input/identifier.ts';
import { Answers } from '../jobs/answers.ts';
import { Course } from '../jobs/course.ts';
import { planJob } from '../jobs/plan.ts';
import { NoQuestion, questionOf } from '../jobs/question.ts';
import type { Journal } from '../money/journal.ts';
import type { Input, InputRow } from '../rows/input-row.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Context } from './context.ts';
import type { Delivered } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import { conclude, isReadToTheEnd, isWorthAFile } from './ending.ts';
import { openJobJournal, peekJobJournal } from './job-journal.ts';
import { openOutput } from './open-output.ts';
import { withPriceOfAnother } from './price-of-another.ts';
import { type Progress, showsProgress, startProgress } from './progress.ts';
import { matchesColumn, SeveralMatches } from './several-matches.ts';
import { openSpending, type Spending } from './spending.ts';

/** What is particular to one kind of job. */
export interface JobKind<E extends Endpoint, Q extends { readonly key: string }> {
  readonly endpoint: E;
  /** Columns or fields that hold identifiers, in the order they are looked for. */
  readonly candidates: readonly string[];
  /** What a row asks for, or why it can be seen to be malformed. */
  readonly ask: (text: string, row: InputRow) => Q | Invalid;
  /** The requests that ask these questions. */
  readonly requests: (questions: readonly Q[]) => readonly RequestOf<E>[];
  readonly batched: boolean;
  /** Whether a row without a match is a good answer. */
  readonly emptyIsFine: boolean;
  readonly rows: (parts: RunningJob) => ResultRows;
}

/** What a running job is given. */
export interface RunningJob {
  readonly input: Input;
  readonly spending: Spending;
  readonly answers: Answers;
  readonly course: Course;
  readonly concurrency: number;
  readonly buyAgain: number;
}

/** Items of a job that asks each once, where forgetting one costs nothing; see `AnswersOptions`. */
const remembered = 10_000;

/** Questions whose requests `--dry-run` shows, where each is a request; else those of the first. */
const questionsShown = 10;

/** Runs a job over `identifiers` or the input file. @throws PdiError what it ended with */
export async function runJob<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  identifiers: readonly string[],
  flags: InputFlags,
): Promise<void> {
  const source = await inputSource(context, identifiers, flags, kind.candidates);
  if (source.file === undefined) refuseMalformed(kind, identifiers);
  if (context.flags.dryRun === true) return dryRun(context, kind, source);
  const spending = await openSpending(context);
  const total = await rowsAhead(context, kind, source, spending);
  // Before the journal: --restart discards nothing for an input that cannot be read.
  const input = await source.open();
  let journal: Journal | undefined;
  let written = false;
  try {
    journal = source.one ? undefined : await openJobJournal(context, kind.endpoint);
    spending.outlay.kept = journal !== undefined;
    const delivered = await run(context, kind, { source, input, spending, journal, total });
    written = delivered.fate === 'written';
    conclude(context, { ...source, emptyIsFine: kind.emptyIsFine, delivered, spent: spending.spent, journal });
  } catch (error) {
    // Beside a file of skipped rows even an empty journal stays: it says that the file is ours to complete.
    if (!written && journal?.resumed === false && journal.isEmpty) journal.remove();
    throw await withPriceOfAnother(error, kind.endpoint, () => callsOf(context, kind, source));
  } finally {
    input.close();
    journal?.close();
  }
}

/** How many calls a job makes, in words; undefined where none may be billed. */
async function callsOf<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  source: InputSource,
): Promise<string | undefined> {
  if (!source.repeatable) return '1 call for each distinct row, which may be billed';
  const { billable } = (await countJob(context, kind, source)).plan;
  return billable === 0 ? undefined : `${counted(billable, 'call')} that may be billed`;
}

/** What was typed can be typed again; of a file, a malformed row is the row's own failure. @throws UsageError */
function refuseMalformed<E extends Endpoint, Q extends { readonly key: string }>(
  { ask }: JobKind<E, Q>,
  identifiers: readonly string[],
): void {
  for (const [index, written] of identifiers.entries()) {
    const question = questionOf({ line: index + 1, text: written.trim() || undefined }, ask);
    if (!(question instanceof NoQuestion)) continue;
    const { error, hint = 'correct it and run the command again' } = question;
    const subject = written.trim() === '' ? `argument ${index + 1}` : written;
    throw new UsageError(`${subject}: ${error}`, { item: written, hint: `nothing was sent; ${hint}` });
  }
}

interface JobParts {
  readonly source: InputSource;
  readonly input: Input;
  readonly spending: Spending;
  readonly journal: Journal | undefined;
  readonly total: number | undefined;
}

async function run<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  parts: JobParts,
): Promise<Delivered> {
  const { source, input, spending, journal } = parts;
  let progress: Progress | undefined;
  const output = await openOutput(context, {
    columns: findsSeveral(kind) ? [...kind.endpoint.columns, matchesColumn] : kind.endpoint.columns,
    card: kind.endpoint.card,
    one: source.one,
    job: true,
    own: input.own,
    journal,
    inputFile: source.file,
    worthReplacing: (tally) =>
      isWorthAFile(tally, { emptyIsFine: kind.emptyIsFine, spent: spending.spent, all: isReadToTheEnd(context, source) }),
    makeWay: () => progress?.makeWay(),
    onRows: (count) => progress?.rows(count),
  });
  // Before the first row: without a key that can be sent, there are no rows to speak of.
  await (await context.service()).key();
  progress = await startProgress({
    io: context.io,
    wanted: !source.one && showsProgress(context),
    total: parts.total,
    spent: spending.spent,
  });
  const rows = kind.rows({
    input,
    spending,
    answers: new Answers({ journal, capacity: kind.endpoint.billing === 'free' ? remembered : Number.POSITIVE_INFINITY }),
    course: new Course({ interrupt: context.stop, stopOnError: context.flags.onError === 'stop' }),
    concurrency: context.setting(settings.concurrency),
    buyAgain: spending.buyAgain,
  });
  const several = new SeveralMatches();
  const delivered = await output.deliver(several.counting(rows)).finally(() => progress?.end());
  if (delivered.fate === 'written' && !delivered.cut) several.tell(context);
  return delivered;
}

/** Whether a row is answered by a list of records; of a batch, the list is the rows' own. */
const findsSeveral = ({ endpoint, batched }: { readonly endpoint: Endpoint; readonly batched: boolean }): boolean =>
  endpoint.result === 'list' && !batched;

/**
 * How many rows there are, where that can be known and anybody asks: a job that exceeds the cap is refused here; a bar on a
 * terminal needs no more than the number, whatever the size of the file.
 */
async function rowsAhead<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  source: InputSource,
  { cap }: Spending,
): Promise<number | undefined> {
  if (!source.repeatable || source.one) return undefined;
  if (kind.endpoint.billing !== 'free' && Number.isFinite(cap.left)) {
    const { plan } = await countJob(context, kind, source);
    cap.refuseUpFront(plan.billable);
    return plan.rows;
  }
  return showsProgress(context) && context.io.stderr.isTTY === true ? countRows(source) : undefined;
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

async function countJob<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  source: InputSource,
) {
  const { ask, batched, endpoint } = kind;
  const journal = source.one ? undefined : await peekJobJournal(context, endpoint);
  const input = await source.open({ toTheEnd: true });
  try {
    const known = journal === undefined ? undefined : (item: string) => journal.known(item);
    const keep = batched ? resolveLimit : questionsShown;
    return await planJob({ batches: input.batches, ask, known, billing: endpoint.billing, batched, keep });
  } finally {
    input.close();
    journal?.close();
  }
}

async function dryRun<E extends Endpoint, Q extends { readonly key: string }>(
  context: Context,
  kind: JobKind<E, Q>,
  source: InputSource,
): Promise<void> {
  const { plan, open } = await countJob(context, kind, source);
  if (!isReadToTheEnd(context, source)) throw context.interrupted();
  const calls = kind.requests(open).map((request) => ({ endpoint: kind.endpoint, request }));
  await printPlan(context, calls, { job: plan, omitted: plan.requests - calls.length });
}
