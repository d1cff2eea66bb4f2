/** Makes the calls of a command that is no job: one a page of a list, or a single one. */

import { resolve } from 'node:path';
import { type Bookmark, datedSignal } from '../book/bookmark.ts';
import type { Bought } from '../book/buyer.ts';
import {
  type DatedRecord,
  isOf,
  NumberedPages,
  type PageQuestion,
  type ReadOptions,
  type Walk,
} from '../book/day-pages.ts';
import type { FeedProgress } from '../book/feed-progress.ts';
import type { Endpoint, Question, RequestParts } from '../contract/endpoint.ts';
import { mayCost } from '../contract/price.ts';
import { defaultLimit } from '../contract/service.ts';
import { interruption, orFailure, PdiError, pluralize } from '../errors.ts';
import { ApiRecord, type ResultRow, type ResultRows, rowsOf } from '../rows/row.ts';
import { deliver, endOf, failureOfEmpty, refuseMissingProgram } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import { growsIn } from './growing-file.ts';
import type { Plan } from './plan.ts';
import { billedBy } from './report.ts';
import type { RunCount } from './run-count.ts';
import { formatting, membersAsRows, membersOf } from './shape.ts';
import { foundByOthers, knownBudgetUse, openSpending, type Spending } from './spending.ts';
import { reportSummary, tellOrigins } from './summary.ts';
import type { Tools } from './tools.ts';

export async function runPages(plan: Plan, tools: Tools, run: PagedRun): Promise<void> {
  const { endpoint, pages, bookmark, walk = walkOf(run) } = run;
  const { show } = plan;
  if (plan.isDry) {
    await formatting(show, tools, { endpoint, columns: endpoint.columns });
    await refuseMissingProgram(show, tools);
    const first = walk.questions().next();
    const calls = first.done === true ? [] : [{ endpoint, request: run.ask(first.value) }];
    return printPlan(plan, tools, calls, {
      omitted: pages.maxPages > 1 ? null : 0,
      lastRun: run.lastRun,
    });
  }
  const spending = await openSpending(plan, tools);
  const reading = new Reading(
    run,
    walk,
    spending,
    tools.stop,
    bookmark !== undefined && growsIn(show) ? undefined : show.out,
  );
  const many = pages.isMany;
  const delivery = {
    shape: { endpoint, columns: endpoint.columns },
    bar: many ? { total: undefined, spent: spending.runCost.spent } : undefined,
    costOfAnother: () => costOf(endpoint, pages.maxPages > 1 ? '1 call a page' : '1 call'),
    keep: bookmark?.bytes,
    mayReplace:
      bookmark &&
      ((count: RunCount, _failure: Error | undefined, file: unknown) =>
        file === undefined || count.tally.ok > 0),
  };
  const delivered = await deliver(show, tools, delivery, () => reading.rows());
  const { count, cut, fate } = delivered;
  // Pages that could not be written, and were not kept, must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (bookmark !== undefined) spending.runCost.foundBy = 'any run';
  const isSummedUp = many && !cut && fate !== 'unanswered';
  if (isSummedUp) {
    const budget = await knownBudgetUse(plan.rules.limits, tools);
    reportSummary(show, tools.say, count, spending.runCost, {
      job: false,
      isUnpriced: endpoint.billing === 'unstated',
      fate,
      resume,
      budget,
      feed: bookmark?.progress,
    });
  }
  for (const remark of reading.remarks()) tools.say.notice(remark);
  const file =
    fate === 'written' && show.out !== undefined
      ? { file: { path: resolve(show.out), signals: count.tally.ok } }
      : {};
  if (!cut && (fate === 'written' || fate === 'kept'))
    await bookmark?.save({ ...bookmark.progress.next(), ...file });
  const end = bookmark?.wentFirst === true ? delivered.failure : endOf(delivered, show, tools.say);
  if (end !== undefined)
    throw bookmark === undefined || !isSummedUp ? end : withOneAdvice(end, resume, show.quiet);
}

/** Where the summary says how to go on, a failure that only ended the run says nothing else of it. */
function withOneAdvice(failure: Error, resume: string | undefined, isQuiet: boolean): Error {
  if (!(failure instanceof PdiError) || resume === undefined || failure.details.rerun === undefined)
    return failure;
  return failure.with({ rerun: isQuiet ? resume : undefined });
}

export interface WantedPages {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  /** More than one page is asked for, though there may be one at most. */
  readonly isMany: boolean;
  readonly maxPages: number;
}

export interface PagedRun {
  readonly endpoint: Endpoint;
  readonly pages: WantedPages;
  readonly ask: (page: PageQuestion) => RequestParts;
  readonly read?: Pick<ReadOptions, 'days' | 'isByDay'>;
  /** Without one, pages are numbered. */
  readonly walk?: Walk | undefined;
  readonly bookmark?: MovingBookmark | undefined;
  /** What the last run of the bookmark cost. */
  readonly lastRun?: Bookmark['cost'];
}

/** A run with a bookmark delivers what no earlier run did. What it buys waits in the book until it is safely written, or taken. */
interface MovingBookmark {
  readonly progress: FeedProgress;
  /** So many bytes of FILE stay; undefined where it is not there. */
  readonly bytes: number | undefined;
  /** What earlier runs bought and could not deliver. */
  readonly waiting: readonly ApiRecord[];
  /** Some of that went out already, so that no page of its own makes the run empty. */
  readonly wentFirst: boolean;
  /** It is told of the rows of each page before they go out. */
  readonly keep: (next: Bookmark, records: readonly string[]) => Promise<void>;
  readonly save: (next: Bookmark) => Promise<void>;
}

/** A single page is asked for just as the user did, so that the defaults stay those of the service. */
function walkOf({
  endpoint: { maxLimit },
  pages: { page, limit, maxPages },
  read,
}: PagedRun): Walk {
  const single: Walk = {
    *questions() {
      yield { page, limit };
    },
  };
  const asked = limit ?? defaultLimit;
  // Without a documented maximum the service may give less than asked for, but no less than its default.
  const fullPage = (longest: number) =>
    Math.min(asked, maxLimit ?? Math.max(defaultLimit, longest));
  return maxPages > 1 ? new NumberedPages({ ...read, page, limit: asked, fullPage }) : single;
}

type NamedRecord = DatedRecord & { readonly record: ApiRecord };

class Reading {
  private read = 0;
  private ended = false;
  private failure: PdiError | undefined;
  private readonly unasked = new Set<string>();
  private ownLength = 0;
  private readonly seen = new Set<string>();

  constructor(
    private readonly run: PagedRun,
    private readonly walk: Walk,
    private readonly spending: Spending,
    private readonly stop: AbortSignal,
    private readonly out: string | undefined,
  ) {}

  /** Yields what waits, which takes no call, then the rows of each page together. An interruption comes last, with its own message. */
  async *rows(): ResultRows {
    const { waiting = [] } = this.run.bookmark ?? {};
    if (waiting.length > 0) yield rowsOf(waiting);
    for await (const rows of this.pages()) {
      if (rows instanceof PdiError) {
        this.failure = rows;
        return yield rows.code === 'interrupted' ? this.interrupted() : rows;
      }
      yield rows;
    }
    this.ended = true;
  }

  get resume(): string | undefined {
    const left = this.whatIsLeft;
    const isLost = this.failure?.details.billed === 'unknown';
    return left !== undefined && isLost
      ? `${left}, where 1 call may be billed a second time`
      : left;
  }

  *remarks(): Generator<string> {
    const { unasked, walk, run } = this;
    const { missing = 0 } = walk;
    if (unasked.size > 0)
      yield `the service answered with days that were not asked for: ${pluralize(unasked.size, 'signal')} dropped`;
    if (missing > 0)
      yield `${pluralize(missing, 'record')} came twice within a day: as many may be missing`;
    const length = run.bookmark?.progress.ownLength ?? this.ownLength;
    const isCounted =
      run.bookmark === undefined
        ? ''
        : ', so a day is counted again by reading it, and each page of that is billed';
    if (length > 0)
      yield `the service gives pages of ${length}, whatever limit is asked for${isCounted}`;
  }

  private async *pages(): ResultRows {
    const { bookmark, pages: wanted, endpoint } = this.run;
    const questions = this.walk.questions();
    let step = questions.next();
    while (step.done !== true) {
      const question = step.value;
      if (question.failure !== undefined) return yield question.failure;
      if (this.read === wanted.maxPages) return;
      const answer = await this.page(question);
      const { result: page } = answer;
      // Cap and budget refuse with no code of the service.
      if (
        page instanceof PdiError &&
        question.isExtra === true &&
        page.code === 'credits' &&
        page.details.errorCode === undefined
      )
        return;
      if (page instanceof PdiError) return yield page;
      const { record, records, trouble } = page;
      // What is no list is a page of one record.
      const found = Array.isArray(record.value) ? records : [record];
      const named = found.map(
        (record): NamedRecord => ({ record, ...datedSignal(record.value, endpoint.identity) }),
      );
      const rows = this.fresh(named, question, answer);
      step = questions.next(named);
      const bought = rows.flatMap(({ record }) => record?.asSent ?? []);
      const notKept =
        bookmark &&
        bought.length > 0 &&
        (await orFailure(() => bookmark.keep(bookmark.progress.next(), bought)));
      this.read += 1;
      yield rows;
      if (trouble !== undefined) return yield trouble;
      if (notKept instanceof PdiError) return yield notKept;
    }
  }

  private async page({ isExtra: _isExtra, ...asked }: PageQuestion): Promise<Bought> {
    const question = { endpoint: this.run.endpoint, request: this.run.ask(asked) };
    return this.spending.buyer.buy(question, { stopped: () => this.stop.aborted });
  }

  /** Leaves out what an earlier page or an earlier run had, and days that were not asked for. */
  private fresh(
    named: readonly NamedRecord[],
    { days, limit }: PageQuestion,
    answer: Bought,
  ): readonly ResultRow[] {
    const { bookmark, pages } = this.run;
    if (named.length > (limit ?? named.length)) this.ownLength = named.length;
    for (const signal of named) if (!isOf(days, signal)) this.unasked.add(signal.id);
    const isFresh = ({ id }: NamedRecord): boolean => {
      if (id === '' || (bookmark === undefined && pages.maxPages === 1)) return true;
      const isKnown = this.seen.has(id) || bookmark?.progress.has(id) === true;
      this.seen.add(id);
      return !isKnown;
    };
    return rowsOf(
      named.filter((signal) => isOf(days, signal) && isFresh(signal)).map(({ record }) => record),
      answer,
    );
  }

  private get whatIsLeft(): string | undefined {
    const { read, run } = this;
    if (run.bookmark !== undefined) return leftOf(run.bookmark.progress, this.out, read);
    if (read === 0 || this.ended || !run.pages.isMany) return undefined;
    const elsewhere = this.out === undefined ? '' : ' and another --out';
    const pagesRead = read === 1 ? '1 page was read' : `${read} pages were read`;
    return `${pagesRead}; go on with --page ${(run.pages.page ?? 0) + read}${elsewhere}`;
  }

  /** The message and `billed` of the client are about one request, so the run replaces them. */
  private interrupted(): PdiError {
    const message =
      this.read === 0 ? 'interrupted: no page was read' : 'interrupted: not every page was read';
    const goingOn = this.resume === undefined ? {} : { hint: this.resume, rerun: undefined };
    return interruption(message, { billed: billedBy(this.spending.runCost.spent), ...goingOn });
  }
}

function leftOf(progress: FeedProgress, out: string | undefined, read: number): string | undefined {
  if (!progress.hasGaps) return undefined;
  const changes = [
    ...(progress.isLeftLater ? ['without --before'] : []),
    ...(out === undefined ? [] : ['with another --out']),
  ];
  const again = `run the same command again${changes.length === 0 ? '' : ` ${changes.join(' and ')}`}`;
  if (progress.inOrder)
    return `older signals are left: ${again}, it asks for what is new and goes on below`;
  const cost = read === 0 ? '' : `: up to ${pluralize(read, 'call')} may be billed a second time`;
  return `signals are left: ${again}, with --max-billable and --max-pages for all; it begins anew where signals are not newest first${cost}`;
}

interface CallParts extends Question {
  /** Asks a person, once nothing else keeps the call from being made. */
  readonly confirm?: (() => Promise<void>) | undefined;
  readonly inputFiles?: readonly (string | undefined)[];
  readonly standIn?: unknown;
  /** Finds a fault in an answer that has the documented shape. The fault is thrown after the answer is written. */
  readonly complaint?: (body: unknown) => PdiError | undefined;
}

export async function call(plan: Plan, tools: Tools, parts: CallParts): Promise<void> {
  const { endpoint } = parts;
  const { show, rules } = plan;
  const members = membersAsRows(show, endpoint);
  const shape = {
    records: endpoint.records,
    ...(members === undefined
      ? { endpoint, columns: endpoint.columns }
      : { columns: members.columns }),
    isSingle: endpoint.result === 'one' && members === undefined && endpoint.isMade !== true,
  };
  const spending = await openSpending(plan, tools);
  const { runCost, inBook } = spending;
  if (plan.isDry) {
    await formatting(show, tools, shape);
    const known = await inBook(parts);
    return printPlan(plan, tools, known === undefined ? [parts] : [], { omitted: 0, fate: known });
  }
  runCost.foundBy = foundByOthers(rules, endpoint);
  const delivery = {
    shape,
    lists: members === undefined ? undefined : endpoint,
    inputFiles: parts.inputFiles,
    costOfAnother: () => costOf(endpoint, '1 call'),
  };
  // A list without members is nothing to any format, though json shows the list itself.
  const { field } = endpoint.members ?? {};
  const isNothing = (body: unknown) =>
    show.failIfEmpty &&
    field !== undefined &&
    membersOf({ status: 'ok', record: new ApiRecord(body) }, field).length === 0;
  const complaint = (body: unknown) =>
    parts.complaint?.(body) ?? (isNothing(body) ? failureOfEmpty(show, tools.say) : undefined);
  const delivered = await deliver(show, tools, delivery, (count) =>
    answerOf(spending, tools, { ...parts, complaint }, count),
  );
  if (!delivered.cut) tellOrigins(tools.say, delivered.count);
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

async function* answerOf(
  { buyer, refusalOf }: Spending,
  { stop }: Tools,
  parts: CallParts,
  count: RunCount,
): ResultRows {
  const { endpoint, standIn, complaint, confirm } = parts;
  const refusal = confirm === undefined || !mayCost(endpoint) ? undefined : await refusalOf(1);
  if (refusal !== undefined) return yield refusal;
  await confirm?.();
  const bought = await buyer.buy(parts, { stopped: () => stop.aborted });
  const { result } = bought;
  if (result instanceof PdiError) return yield result;
  const { record, records, trouble } = result;
  const body = record.value;
  if (endpoint.result === 'list' || (endpoint.isMade === true && Array.isArray(body))) {
    if (records.length === 0) count.addEmpty(bought);
    yield rowsOf(records, bought);
  } else
    yield [
      {
        record: (body ?? standIn) === standIn ? new ApiRecord(standIn ?? null) : record,
        shown: standIn,
        status: 'ok',
        isAlone: true,
      },
    ];
  const failure = trouble ?? complaint?.(body);
  if (failure !== undefined) yield failure;
}

const costOf = (endpoint: Endpoint, calls: string): string | undefined =>
  mayCost(endpoint) ? `${calls} that may be billed` : undefined;
