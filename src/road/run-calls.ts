/** Makes the calls of a command that is no job: one a page of a list, or a single one. */

import { type Bookmark, datedSignal, type FeedProgress } from '../book/bookmark.ts';
import type { Purchased } from '../book/buyer.ts';
import type { DayPages } from '../book/day-pages.ts';
import type { Endpoint, Question, RequestParts } from '../contract/endpoint.ts';
import { defaultLimit } from '../contract/service.ts';
import { interruption, orFailure, PdiError, pluralize } from '../errors.ts';
import type { DayRange } from '../rows/days.ts';
import { ApiRecord, identityIn, type ResultRow, type ResultRows, rowsOf } from '../rows/row.ts';
import { deliver, endOf, failureOfEmpty, refuseMissingProgram } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import type { Plan } from './plan.ts';
import { billedBy } from './report.ts';
import type { RunCount } from './run-count.ts';
import { formatting, membersAsRows, membersOf } from './shape.ts';
import { foundByOthers, knownBudgetUse, openSpending, type Spending } from './spending.ts';
import { reportSummary, tellOrigins } from './summary.ts';
import type { Tools } from './tools.ts';

export async function runPages(plan: Plan, tools: Tools, run: PagedRun): Promise<void> {
  const { endpoint, wanted, bookmark } = run;
  const { show } = plan;
  if (plan.isDry) {
    await formatting(show, tools, { endpoint, columns: endpoint.columns });
    await refuseMissingProgram(show, tools);
    const first = [...(run.walks ?? [undefined])].slice(0, wanted.maxPages).map((walk) => walk?.question() ?? numberedPage(wanted, 0));
    const calls = first.map((page) => ({ endpoint, request: run.ask(page) }));
    return printPlan(plan, tools, calls, { omitted: wanted.maxPages > 1 ? null : 0 });
  }
  const spending = await openSpending(plan, tools);
  const reading = new Reading(run, spending, tools.stop, show.out);
  const many = wanted.isMany;
  const delivery = {
    shape: { endpoint, columns: endpoint.columns },
    bar: many ? { total: undefined, spent: spending.runCost.spent } : undefined,
    costOfAnother: () => costOf(endpoint, wanted.maxPages > 1 ? '1 call a page' : '1 call'),
  };
  const delivered = await deliver(show, tools, delivery, () => reading.rows());
  const { count, cut, fate } = delivered;
  // Pages that could not be written, and were not kept, must be read again.
  const resume = fate === 'lost' ? undefined : reading.resume;
  if (bookmark !== undefined) spending.runCost.foundBy = 'any run';
  const isSummedUp = many && !cut && fate !== 'unanswered';
  if (isSummedUp) {
    const budget = await knownBudgetUse(plan.rules.limits, tools);
    const lookBack = bookmark && { days: bookmark.lookBack, calls: bookmark.progress.idlePages };
    reportSummary(show, tools.say, count, spending.runCost, { job: false, fate, resume, budget, lookBack });
  }
  if (reading.unasked > 0)
    tools.say.notice(`the service answered with days that were not asked for: ${pluralize(reading.unasked, 'signal')} dropped`);
  if (!cut && (fate === 'written' || fate === 'kept')) await bookmark?.save(bookmark.progress.next());
  const end = bookmark?.wentFirst === true ? delivered.failure : endOf(delivered, show, tools.say);
  if (end !== undefined) throw bookmark === undefined || !isSummedUp ? end : withOneAdvice(end, resume, show.quiet);
}

/** Where the summary says how to go on, a failure that only ended the run says nothing else of it. */
function withOneAdvice(failure: Error, resume: string | undefined, isQuiet: boolean): Error {
  if (!(failure instanceof PdiError) || resume === undefined || failure.details.rerun === undefined) return failure;
  return failure.with({ rerun: isQuiet ? resume : undefined });
}

/** One page of a list, as it is asked for. Without `days` they are those of the run. */
interface AskedPage {
  readonly days?: DayRange;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
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
  readonly wanted: WantedPages;
  readonly ask: (page: AskedPage) => RequestParts;
  /** They are read one after the other, `maxPages` in all. Without them, pages are numbered. */
  readonly walks?: Iterable<DayPages> | undefined;
  readonly bookmark?: MovingBookmark | undefined;
}

/** A run with a bookmark delivers what no earlier run did. What it buys waits in the book until it is safely written, or taken. */
interface MovingBookmark {
  readonly progress: FeedProgress;
  /** In days. */
  readonly lookBack: number;
  /** What earlier runs bought and could not deliver. */
  readonly waiting: readonly ApiRecord[];
  /** Some of that went out already, so that no page of its own makes the run empty. */
  readonly wentFirst: boolean;
  /** It is told of the rows of each page before they go out. */
  readonly keep: (next: Bookmark, records: readonly string[]) => Promise<void>;
  readonly save: (next: Bookmark) => Promise<void>;
}

/** A single page is asked for just as the user did, so that the defaults stay those of the service. */
const numberedPage = ({ page, limit, maxPages }: WantedPages, turned: number): AskedPage =>
  maxPages > 1 ? { page: (page ?? 0) + turned, limit: limit ?? defaultLimit } : { page, limit };

class Reading {
  private read = 0;
  private ended = false;
  private failure: PdiError | undefined;
  private position: number | undefined;
  unasked = 0;

  constructor(
    private readonly run: PagedRun,
    private readonly spending: Spending,
    private readonly stop: AbortSignal,
    private readonly out: string | undefined,
  ) {}

  /** Yields what waits, which takes no call, then the rows of each page together. An interruption comes last, with its own message. */
  async *rows(): ResultRows {
    const { walks = [undefined], bookmark: { waiting = [] } = {} } = this.run;
    if (waiting.length > 0) yield rowsOf(waiting);
    for (const walk of walks) {
      for await (const rows of this.pages(walk)) {
        if (rows instanceof PdiError) {
          this.failure = rows;
          return yield rows.code === 'interrupted' ? this.interrupted() : rows;
        }
        yield rows;
      }
    }
    this.ended = true;
  }

  get resume(): string | undefined {
    const left = this.whatIsLeft;
    const isLost = this.failure?.details.billed === 'unknown';
    return left !== undefined && isLost ? `${left}, where 1 call may be billed a second time` : left;
  }

  /** Yields records in the service's order until a page is short. The list may shift, so a record of an earlier page is dropped. */
  private async *pages(walk: DayPages | undefined): ResultRows {
    const { wanted, bookmark } = this.run;
    const most = wanted.maxPages - this.read;
    const seen = most === 1 && walk === undefined ? undefined : new Set<string>();
    let [longest, stale] = [0, 0];
    for (let turned = 0; turned < most; turned += 1) {
      const page = await this.page(walk?.question() ?? numberedPage(wanted, turned));
      if (page instanceof PdiError) return yield page;
      const { records, trouble } = page;
      const before = seen?.size;
      const rows = this.fresh(records, walk, seen);
      longest = Math.max(longest, records.length);
      const isLast = walk === undefined ? records.length < this.fullPage(longest) : this.noted(walk, records);
      const bought = rows.flatMap(({ record }) => record?.asSent ?? []);
      const notKept = bookmark && (await orFailure(() => bookmark.keep(bookmark.progress.next(), bought)));
      this.read += 1;
      yield rows;
      if (trouble !== undefined) return yield trouble;
      if (notKept instanceof PdiError) return yield notKept;
      if (isLast) return;
      stale = seen !== undefined && seen.size > 0 && seen.size === before ? stale + 1 : 0;
      if (stale >= maxStale) return yield goesInCircles();
    }
  }

  private async page(asked: AskedPage): Promise<Purchased | PdiError> {
    const question = { endpoint: this.run.endpoint, request: this.run.ask(asked) };
    return (await this.spending.buyer.buy(question, { stopped: () => this.stop.aborted })).result;
  }

  private noted(walk: DayPages, records: readonly ApiRecord[]): boolean {
    const signals = records.map(({ value }) => datedSignal(value));
    const isLast = walk.note(signals);
    this.unasked += signals.filter((signal) => !walk.isAsked(signal)).length;
    this.position = walk.position;
    return isLast;
  }

  private fresh(records: readonly ApiRecord[], walk: DayPages | undefined, seen: Set<string> | undefined): readonly ResultRow[] {
    const { endpoint, bookmark } = this.run;
    const isNew = ({ value }: ApiRecord): boolean => {
      const identity = endpoint.identity === undefined ? undefined : identityIn(value, endpoint.identity);
      if (identity !== undefined) {
        const isKnown = seen?.has(identity) === true;
        seen?.add(identity);
        if (isKnown || bookmark?.progress.has(identity) === true) return false;
      }
      return walk?.isAsked(datedSignal(value)) !== false;
    };
    return rowsOf(records.filter(isNew));
  }

  /** A shorter page is the last. Without a documented maximum the service may give less than asked for, but no less than its default. */
  private fullPage(longest: number): number {
    const { endpoint, wanted } = this.run;
    return Math.min(wanted.limit ?? defaultLimit, endpoint.maxLimit ?? Math.max(defaultLimit, longest));
  }

  private get whatIsLeft(): string | undefined {
    const { read, run } = this;
    if (run.bookmark !== undefined) return leftOf(run.bookmark.progress, this.out, read);
    if (read === 0 || this.ended || !run.wanted.isMany) return undefined;
    const elsewhere = this.out === undefined ? '' : ' and another --out';
    const pagesRead = read === 1 ? '1 page was read' : `${read} pages were read`;
    return `${pagesRead}; go on with ${this.nextPage}${elsewhere}`;
  }

  private get nextPage(): string {
    const { page = 0, limit = defaultLimit } = this.run.wanted;
    if (this.position === undefined) return `--page ${page + this.read}`;
    const next = pageAt(this.position, limit);
    return `--page ${next.page}${next.limit === limit ? '' : ` --limit ${next.limit}`}`;
  }

  /** The message and `billed` of the client are about one request, so the run replaces them. */
  private interrupted(): PdiError {
    const message = this.read === 0 ? 'interrupted: no page was read' : 'interrupted: not every page was read';
    const goingOn = this.resume === undefined ? {} : { hint: this.resume, rerun: undefined };
    return interruption(message, { billed: billedBy(this.spending.runCost.spent), ...goingOn });
  }
}

function leftOf(progress: FeedProgress, out: string | undefined, read: number): string | undefined {
  if (progress.isComplete) return undefined;
  const changes = [...(progress.isLeftLater ? ['without --before'] : []), ...(out === undefined ? [] : ['with another --out'])];
  const again = `run the same command again${changes.length === 0 ? '' : ` ${changes.join(' and ')}`}`;
  if (!progress.inOrder) {
    const cost = read === 0 ? '' : `: up to ${pluralize(read, 'call')} may be billed a second time`;
    return `signals are left: ${again}, with --max-billable and --max-pages for all; it begins anew where signals are not newest first${cost}`;
  }
  return progress.hasGaps
    ? `older signals are left: ${again}, it asks for what is new and goes on below`
    : `the look-back has not ended: ${again}, it goes on there`;
}

/** The page of at most `most` records that passes over none from `position` on, and has the fewest before it. */
function pageAt(position: number, most: number): { readonly page: number; readonly limit: number } {
  const choices = Array.from({ length: most }, (_, at) => ({ limit: most - at, page: Math.floor(position / (most - at)) }));
  return choices.reduce((one, other) => ((other.page + 1) * other.limit > (one.page + 1) * one.limit ? other : one));
}

/** After so many full pages in a row without a new record the run ends: no list shifts so far, and each page may be billed. */
const maxStale = 10;

const goesInCircles = (): PdiError =>
  new PdiError('unavailable', `${maxStale} full pages in a row held only records of earlier pages`, {
    retryable: false,
    hint: 'the service seems to give the same page again and again; report it to the service',
  });

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
    ...(members === undefined ? { endpoint, columns: endpoint.columns } : { columns: members.columns }),
    one: endpoint.result === 'one' && members === undefined,
  };
  const spending = await openSpending(plan, tools);
  const { runCost, inBook } = spending;
  if (plan.isDry) {
    await formatting(show, tools, shape);
    const known = await inBook(parts);
    return printPlan(plan, tools, known === undefined ? [parts] : [], { omitted: 0, known });
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
    show.failIfEmpty && field !== undefined && membersOf({ status: 'ok', record: new ApiRecord(body) }, field).length === 0;
  const complaint = (body: unknown) => parts.complaint?.(body) ?? (isNothing(body) ? failureOfEmpty(show, tools.say) : undefined);
  const delivered = await deliver(show, tools, delivery, (count) => answerOf(spending, tools, { ...parts, complaint }, count));
  if (!delivered.cut) tellOrigins(tools.say, delivered.count);
  const end = endOf(delivered, show, tools.say);
  if (end !== undefined) throw end;
}

async function* answerOf({ buyer, refusalOf }: Spending, { stop }: Tools, parts: CallParts, count: RunCount): ResultRows {
  const { endpoint, standIn, complaint, confirm } = parts;
  const refusal = confirm === undefined || endpoint.billing === 'free' ? undefined : await refusalOf(1);
  if (refusal !== undefined) return yield refusal;
  await confirm?.();
  const bought = await buyer.buy(parts, { stopped: () => stop.aborted });
  const { result } = bought;
  if (result instanceof PdiError) return yield result;
  const { record, records, trouble } = result;
  const body = record.value;
  if (endpoint.result === 'list') {
    if (records.length === 0) count.addEmpty(bought);
    yield rowsOf(records, bought);
  } else yield [{ record: body === undefined || body === null ? new ApiRecord(standIn) : record, shown: standIn, status: 'ok' }];
  const failure = trouble ?? complaint?.(body);
  if (failure !== undefined) yield failure;
}

const costOf = ({ billing }: Endpoint, calls: string): string | undefined =>
  billing === 'free' ? undefined : `${calls} that may be billed`;
