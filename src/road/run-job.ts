/** A job gives one row for each identifier, buys each identifier once, and can resume with `--out`. */

import type { JobFile } from '../book/job-file.ts';
import { mayCost } from '../contract/price.ts';
import { joinedHints, PdiError, pluralize, UsageError, withMoreHint } from '../errors.ts';
import type { FileState } from '../files/private.ts';
import { cleanLine } from '../output/clean.ts';
import type { Input, OwnTable, ResultRows, RowStatus } from '../rows/row.ts';
import { Asking, adapting, type Job, type Keyed, NoQuestion, questionOf } from './ask.ts';
import { type Delivered, deliver, failureOfEmpty, throwWithCost } from './delivery.ts';
import { withSecondBill } from './dry-run.ts';
import { FinishedJob, momentWords } from './finished-job.ts';
import {
  countRows,
  type InputSource,
  inputSource,
  isRegularFile,
  namesSeveral,
  type Source,
} from './input-source.ts';
import { JobCount } from './job-count.ts';
import {
  type JournalPlace,
  journalPlace,
  lockFile,
  openJobJournal,
  openRunJournal,
} from './job-journal.ts';
import type { Plan } from './plan.ts';
import { type CountedJob, lookedInto, maxSampled, wholeRefusal } from './refusal.ts';
import type { RunCount } from './run-count.ts';
import { formatting, matchedByColumn, matchesColumn, type RecordShape } from './shape.ts';
import { foundByOthers, knownBudgetUse, openSpending, type Spending } from './spending.ts';
import { StopRule } from './stop-rule.ts';
import { reportSummary, tellOrigins, tellSeveral } from './summary.ts';
import type { Tools } from './tools.ts';

/** Resolves rows before a job asks about them. */
interface Resolver {
  /** What the rows ask as they are given. */
  readonly job: Job<Keyed>;
  readonly over: (
    source: InputSource,
    column: string | undefined,
    buyer: Spending['buyer'],
  ) => InputSource;
  readonly resolveAll: (
    source: InputSource,
    showsProgress: boolean,
    total: number,
  ) => Promise<void>;
  readonly failure: PdiError | undefined;
}

export async function runJob<Q extends Keyed>(
  plan: Plan,
  tools: Tools,
  job: Job<Q>,
  origin: Source,
  {
    refuse = () => {},
    first,
  }: { readonly refuse?: () => void; readonly first?: Resolver | undefined } = {},
): Promise<void> {
  refuseWhere(plan.show.where);
  const spending = await openSpending(plan, tools);
  const runner = (source: Source) => new JobRunner(plan, tools, job, source, spending, first);
  const ended = (async () => {
    refuse();
    if (origin.input === undefined) refuseMalformed(first?.job.ask ?? job.ask, origin.identifiers);
    await (plan.isDry ? runner(origin).dry() : runner(origin).run());
  })();
  await ended.catch(async (error: unknown): Promise<void> => {
    const { way } = error instanceof UsageError ? error.details : {};
    // Any other failure goes on as it is.
    if (!(error instanceof UsageError) || way === undefined) return ended;
    if (!isRegularFile(origin.input ?? way.input ?? '-'))
      throw new UsageError(error.message, {
        ...error.details,
        way: { ...(way.command !== undefined && { input: origin.input }), ...way },
      });
    const refusedFor = ({ plan: counts }: CountedJob) => {
      const over = spending.cap.refusalOfJob(counts.billable);
      return over && withSecondBill(over, counts, plan.rules);
    };
    throw await wholeRefusal(error, origin, refusedFor, (source) =>
      runner(source).asGiven.checked({ tellsBought: true }),
    );
  });
}

function refuseWhere(where: string | undefined): void {
  if (where === undefined) return;
  const hint =
    'nothing was sent; leave it out, then choose from what was written: `pdi convert FILE --where EXPRESSION`, free';
  throw new UsageError('--where is not for jobs: each row of the input gives one row', {
    item: '--where',
    hint,
  });
}

/** A malformed argument stops the command, but a malformed row of a file fails alone. @throws UsageError */
function refuseMalformed(ask: Job<Keyed>['ask'], identifiers: readonly string[]): void {
  for (const [index, written] of identifiers.entries()) {
    const question = questionOf({ line: index + 1, text: written.trim() || undefined }, ask);
    if (!(question instanceof NoQuestion)) continue;
    const { error, hint = 'correct it and run the command again' } = question;
    const subject = written.trim() === '' ? `argument ${index + 1}` : written;
    throw new UsageError(`${subject}: ${error}`, {
      item: written,
      hint: `nothing was sent; ${hint}`,
    });
  }
}

class JobRunner<Q extends Keyed> {
  private readonly source: InputSource;
  private readonly count: JobCount<Q>;
  /** Counts what the rows ask before anything is resolved. */
  readonly asGiven: JobCount<Q> | JobCount<Keyed>;
  private readonly isFree: boolean;
  private readonly mayMiss: boolean;
  private journal: JobFile | undefined;
  private isFileOurs = false;
  private finished: FinishedJob | undefined;

  constructor(
    private readonly plan: Plan,
    private readonly tools: Tools,
    private readonly job: Job<Q>,
    private readonly origin: Source,
    private readonly spending: Spending,
    private readonly first?: Resolver,
  ) {
    const source = inputSource(
      origin,
      (first?.job ?? job).identifierColumns,
      tools,
      plan.show.withInput,
    );
    this.source = first === undefined ? source : first.over(source, origin.column, spending.buyer);
    this.count = new JobCount(plan, tools, job, this.source, origin, spending);
    this.asGiven =
      first === undefined
        ? this.count
        : new JobCount(plan, tools, first.job, source, origin, spending);
    this.isFree = !mayCost(job.endpoint);
    this.mayMiss = job.mayMiss === true;
  }

  async run(): Promise<void> {
    const place = this.source.isSingle ? undefined : await journalPlace(this.plan.show.out);
    // The lock comes before the book is asked, because whoever has FILE may stand still while it has the book too.
    const lock = place && (await lockFile(place));
    try {
      await this.runLocked(place);
    } finally {
      lock?.release();
    }
  }

  private async runLocked(place: JournalPlace | undefined): Promise<void> {
    const { plan, tools, job, source } = this;
    await tools.service();
    if (await this.isComplete(place)) return;
    const total = await this.rowsAhead();
    // The input opens before the journal, so that --restart discards nothing if the input cannot be read.
    const opened = await source.open();
    const input =
      source.repeatable || tools.stop.aborted
        ? opened
        : await lookedInto(opened, job, (seen) =>
            tools.stop.aborted ? undefined : this.count.refusalOf(seen),
          );
    let written = false;
    try {
      const opened = place && openJobJournal(place, plan, tools, job.endpoint);
      this.journal = await opened?.catch((error: unknown) =>
        throwWithCost(error, this.costOfAnother),
      );
      // Nothing was asked, so there is nothing new to write; what an earlier run bought stays in the journal.
      if (tools.stop.aborted) throw tools.interrupted();
      this.sayWhatFindsIt();
      const delivered = await this.deliver(input, total);
      written = delivered.fate === 'written';
      await this.conclude(delivered);
    } finally {
      const { journal } = this;
      // If rows were written, even an empty journal stays, because it shows that the next run may complete the file.
      if (!written && journal?.resumed === false && journal.isEmpty) journal.remove();
      input.close();
      journal?.close();
    }
  }

  /** Whether this job has written its FILE before. @throws what it ended with */
  private async isComplete(place: JournalPlace | undefined): Promise<boolean> {
    if (place === undefined || !this.source.repeatable) return false;
    this.finished = new FinishedJob(
      place.file,
      this.plan,
      this.tools,
      this.job.endpoint,
      this.origin,
    );
    const found = await this.finished.find();
    if (found === undefined) return false;
    this.tools.say.notice(
      `${cleanLine(place.out)} is complete (${momentWords(found.at, Date.now())}): nothing to do; --force makes it anew`,
    );
    const end = this.endOf(found.count, false);
    if (end !== undefined) throw end;
    return true;
  }

  private sayWhatFindsIt(): void {
    const { journal, job, plan, spending } = this;
    const { maxAge, restart } = plan.rules;
    const foundBy = journal === undefined ? foundByOthers(plan.rules, job.endpoint) : 'any run';
    spending.runCost.foundBy = foundBy;
    if (journal === undefined && foundBy === 'any run')
      spending.runCost.caution = `the book keeps what was bought for ${maxAge}`;
    if (journal !== undefined && restart)
      spending.runCost.caution = 'leave --restart out, which discards the journal';
  }

  async dry(): Promise<void> {
    await formatting(this.plan.show, this.tools, await this.shapeOf());
    await this.asGiven.print(this.first !== undefined);
  }

  private readonly costOfAnother = async (): Promise<string | undefined> => {
    if (this.isFree) return undefined;
    if (!this.source.repeatable) return '1 call for each distinct row, which may be billed';
    const { billable } = (await this.count.counted()).plan;
    return billable === 0 ? undefined : `${pluralize(billable, 'call')} that may be billed`;
  };

  private async deliver(input: Input, total: number | undefined): Promise<Delivered> {
    const { plan, tools, job, source, origin, journal } = this;
    const { show, rules } = plan;
    const { spent } = this.spending.runCost;
    const delivery = {
      shape: await this.shapeOf(input.own),
      journal,
      inputFiles: [origin.input],
      mayReplace: this.mayReplace,
      bar: source.isSingle ? undefined : { total, spent },
      costOfAnother: this.costOfAnother,
    };
    const delivered = await deliver(show, tools, delivery, async (count) => {
      // The key is looked up before the first row, because a run without a key has no rows.
      this.spending.runCost.isOfKey = (await tools.owner()).account === undefined;
      return this.rows(input, count);
    });
    if (delivered.fate === 'written' && !delivered.cut)
      tellSeveral(show, tools.say, delivered.count, foundByOthers(rules, job.endpoint));
    return delivered;
  }

  /** FILE never gets poorer: a run with rows that are left to ask replaces only what another of this job left so, with no more that it knew. */
  private readonly mayReplace = (
    count: RunCount,
    failure: Error | undefined,
    file: FileState | undefined,
  ): boolean => {
    const isDone = failure === undefined && this.isReadToTheEnd && !count.isUnfinished;
    // Of an input with fewer rows a trial is the whole job.
    const finished = isDone && count.rows < (this.origin.first ?? Number.POSITIVE_INFINITY);
    const [has_data, { settled }] = [this.isWorthAFile(count), count];
    if (this.journal !== undefined) this.journal.rowsOfFile = { has_data, settled, finished };
    if (file === undefined) return true;
    const left = this.journal?.rowsIn(file);
    if (left === undefined) return finished && has_data;
    this.isFileOurs = true;
    return finished || (!left.finished && (isDone || settled >= left.settled));
  };

  /** After a refused key or a dead service, no row has data. */
  private isWorthAFile({ tally, rows }: RunCount): boolean {
    const { billed, unknown } = this.spending.runCost.spent;
    const good = tally.ok + (this.mayMiss ? tally.not_found : 0);
    return billed + unknown + good > 0 || (rows === 0 && this.isReadToTheEnd);
  }

  private async *rows(input: Input, count: RunCount): ResultRows {
    const { plan, tools, job, source, isFree } = this;
    const { buyer } = this.spending;
    const memory = isFree
      ? undefined
      : (this.journal ?? (source.isSingle ? undefined : await openRunJournal(tools)));
    const { stopOnError, goesOnError } = plan.rules;
    const missesAt = goesOnError || source.isSingle ? undefined : (await tools.service()).baseUrl;
    const stopRule = new StopRule({ interrupt: tools.stop, stopOnError, missesAt });
    const triesNext = this.mayMiss && this.namesSeveral(input.own);
    const client = await tools.client();
    const parts = { client, input: input.batches, buyer, journal: memory, stopRule, triesNext };
    const run = adapting(parts, () => (isFree ? 1 : buyer.timesAtOnce));
    yield* new Asking(job, run).rows();
    const trouble = await buyer.flush();
    const failure = trouble ?? stopRule.failureOf(count.tally.skipped) ?? this.first?.failure;
    if (failure !== undefined) yield failure;
  }

  /** A stop closes input that is not a file, so some rows were not read. What was bought for them must stay in the journal. */
  private get isReadToTheEnd(): boolean {
    return this.source.repeatable || !this.tools.stop.aborted;
  }

  /** Decides about the journal, and says how the job ended. @throws what it ended with */
  private async conclude({ count, failure, cut, fate }: Delivered): Promise<void> {
    const { tools, source, origin, spending, journal, isFree } = this;
    const { say } = tools;
    const { show } = this.plan;
    const { isSingle } = source;
    const budget = await knownBudgetUse(this.plan.rules.limits, tools);
    if (fate === 'unanswered' && failure !== undefined) throw failure;
    const kept = fate === 'kept';
    // Of an input with fewer rows a trial is the whole job, but a script goes on all the same, and buys nothing again.
    const isTrial =
      origin.first !== undefined &&
      failure === undefined &&
      (journal !== undefined || count.rows >= origin.first);
    const finished =
      failure === undefined && !cut && !isTrial && this.isReadToTheEnd && !count.isUnfinished;
    // Answers that were bought for another input stay, because that input may come again.
    const { unclaimed = 0 } = journal ?? {};
    if (finished && !kept && unclaimed > 0)
      say.notice(
        `${journal?.path} stays: it holds ${pluralize(unclaimed, 'answer')} that no row of this input asks for`,
      );
    // Without a journal the next run replaces FILE only with --force. A journal with paid answers or unknown calls stays.
    const hasData = this.isWorthAFile(count);
    const isIdle = !this.isFileOurs && (isFree || !hasData) && count.tally.unknown === 0;
    if (finished && !kept) await this.finished?.keep(count);
    if (unclaimed === 0 && (kept ? isIdle : finished)) journal?.remove();
    if (!cut) {
      if (isSingle) tellOrigins(say, count);
      if (count.aboutAnother > 0) say.notice(aboutAnotherWords(count.aboutAnother, isSingle));
      const { retryUnknown: retriesLost, stopOnError: stopsOnError } = this.plan.rules;
      const isUnpriced = this.job.endpoint.billing === 'unstated';
      const more = { fate, isTrial, isUnpriced, isFree, retriesLost, stopsOnError, budget };
      if (!isSingle) reportSummary(show, say, count, spending.runCost, { job: true, ...more });
    }
    const end = failure ?? (cut ? undefined : this.endOf(count, kept, !show.quiet));
    const later = isFree
      ? isReplacedOnce
      : `${isReplacedOnce}; the journal beside it has what was bought`;
    const stays = `${show.out} stays as it was: ${hasData ? later : noData}`;
    if (kept && end instanceof PdiError) throw withMoreHint(end, stays);
    if (end !== undefined) throw end;
    if (kept) say.notice(stays);
  }

  /** `isTold`: the summary has the counts. */
  private endOf(count: RunCount, kept: boolean, isTold = false): PdiError | undefined {
    const { plan, tools, source, mayMiss, origin } = this;
    if (!this.isReadToTheEnd) return tools.interrupted();
    const fine: readonly RowStatus[] = mayMiss ? ['not_found'] : [];
    // If no row is written, no status makes that a success. The user cannot read the rows, so the hint gives the first error.
    const partial = kept
      ? count.failure(fine, [], { isTold, hint: `the first error: ${count.firstError}` })
      : count.failure(fine, origin.accept, { isTold });
    // A table shows it in the place of a record.
    const where = kept || plan.show.format === 'table' ? undefined : whereToLook;
    if (partial !== undefined && !source.isSingle)
      return partial.with({ hint: joinedHints(where, partial.details.hint) });
    const isEmpty = count.tally.ok === 0 && (mayMiss || count.rows === 0);
    return isEmpty ? failureOfEmpty(plan.show, tools.say) : undefined;
  }

  private async shapeOf(own?: OwnTable): Promise<RecordShape> {
    const { endpoint, perRequest } = this.job;
    // In a batch the list holds the answers of many rows, so a row does not find several.
    const findsSeveral = endpoint.result === 'list' && perRequest === 1;
    const more = [
      ...(findsSeveral ? [matchesColumn] : []),
      ...(this.namesSeveral(own) ? [matchedByColumn] : []),
    ];
    // It loads the columns of all operations.
    const earlier = own && (await import('./named-columns.ts')).earlierColumns(own, endpoint);
    return {
      endpoint,
      columns: [...endpoint.columns, ...more],
      isSingle: this.source.isSingle,
      job: true,
      own,
      earlier,
    };
  }

  private namesSeveral(own: OwnTable | undefined): boolean {
    return namesSeveral(this.origin.column, own?.header);
  }

  /** Reads the input ahead only if it can be read twice: to refuse a job above the cap, or to give the bar a total. */
  private async rowsAhead(): Promise<number | undefined> {
    const { plan, tools, source, isFree, origin } = this;
    const { cap } = this.spending;
    if (!source.repeatable || (source.isSingle && cap.left > 0)) return undefined;
    if (this.first !== undefined) {
      // Nothing is sent before the whole input was looked at, and nothing bought before all is resolved.
      const { rows } = (await this.asGiven.checked()).plan;
      await this.first.resolveAll(source, plan.show.showsProgress, rows);
    }
    if (!isFree && Number.isFinite(cap.left)) {
      const upToCap = { allowed: cap.left };
      const counted = await this.count.checked(upToCap);
      const refusal = cap.refusalOfJob(counted.plan.billable, counted.isCut);
      if (refusal !== undefined) {
        const { plan: told } = await this.count.counted({ ...upToCap, tellsBought: true });
        throw withMoreHint(withSecondBill(refusal, told, plan.rules), '--dry-run shows the plan');
      }
      return counted.plan.rows;
    }
    // The beginning tells what the rest is like, and only where it is bad are all rows counted.
    const most = Math.min(maxSampled, origin.first ?? maxSampled);
    if (
      this.first === undefined &&
      this.count.refusalOf(await this.count.counted({ most })) !== undefined
    )
      await this.count.checked();
    return plan.show.showsProgress && tools.io.stderr.isTTY === true
      ? source.readAhead(countRows)
      : undefined;
  }
}

const whereToLook = 'pdi_status and pdi_error say what became of each row';
const noData = 'no row has data to put there';
const isReplacedOnce = 'a run that leaves no row skipped, unknown or failed replaces it';

/** The answers were paid for, so they are written; only a person can tell whether two ids mean the same. */
const aboutAnotherWords = (rows: number, isSingle: boolean): string =>
  `${isSingle ? 'the answer is' : `${pluralize(rows, 'answer')} ${rows === 1 ? 'is' : 'are'}`} about another id than the one asked for${isSingle ? '' : ' (pdi_error names it)'}: ` +
  'compare them before you use them (an id may have been merged into another), and report it to the service';
