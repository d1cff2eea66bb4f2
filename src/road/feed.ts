/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */

import {
  asksForForgotten,
  type Bookmark,
  begun,
  datedSignal,
  defaultLookBack,
  emptyBookmark,
  FeedProgress,
  type FeedQuestion,
  hasDelivered,
} from '../book/bookmark.ts';
import { Bookmarks, bookmarkDidNotMove, bookmarkOf, defaultBookmark } from '../book/bookmarks.ts';
import { DayPages, unreadDays } from '../book/day-pages.ts';
import { checkFeed, readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import { orFailure, PdiError, pluralize, UsageError } from '../errors.ts';
import { type DayRange, dayOf, firstDay, lastDay } from '../rows/days.ts';
import { deliverRecords, type PagedRange, runPages, type WantedPages } from './pages.ts';
import type { Plan } from './plan.ts';
import { knownBudgetUse } from './spending.ts';
import type { Tools } from './tools.ts';

export interface FeedAsked {
  readonly wanted: WantedPages;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
  readonly list?: string | undefined;
  readonly sort?: string | undefined;
  readonly sinceLast?: string | true | undefined;
  readonly lookBack?: number | undefined;
  readonly deliver?: readonly [string, ...string[]] | undefined;
}

type FeedRange = PagedRange<typeof readInvestorInterest>;

type AskFor = (days: DayRange) => FeedRange;

const options: Readonly<Record<string, string>> = {
  search_id: '--search',
  list_id: '--list',
  signal_date_after: '--after',
  signal_date_before: '--before',
};

export async function runFeed(plan: Plan, tools: Tools, given: FeedAsked): Promise<void> {
  const { sort, sinceLast } = given;
  const { search_id: search, list_id: list } = checkFeed(
    { search_id: given.search, list_id: given.list, signal_date_after: given.after, signal_date_before: given.before },
    (parameter) => options[parameter] ?? parameter,
  );
  if (sinceLast === undefined) refuseWithoutBookmark(given);
  else refuseWithBookmark(given, plan.show.out);
  const asked = { ...given, search, list };
  const scope = {
    ...(search !== undefined && { search_id: search }),
    ...(list !== undefined && { list_id: list }),
    ...(sort !== undefined && { sort }),
  };
  const askFor: AskFor = (range) => ({
    name: (days = range) => nameOf(daysAsked(days)),
    request: ({ days = range, ...page }) => ({ path: {}, query: { ...scope, ...daysAsked(days), ...page } }),
  });
  if (sinceLast === undefined) return readAnew(plan, tools, asked, askFor);
  await runSinceLast(plan, tools, asked, sinceLast, askFor);
}

async function readAnew(plan: Plan, tools: Tools, asked: FeedAsked, askFor: AskFor): Promise<void> {
  const { after = firstDay, before = lastDay, wanted } = asked;
  const days = { from: after, to: before };
  const endpoint = readInvestorInterest;
  if (!readsByDay(asked)) return runPages(plan, tools, { endpoint, ranges: [askFor(days)], wanted });
  const reading = new DayPages(unreadDays(days), wanted.limit ?? defaultLimit);
  await runPages(plan, tools, {
    endpoint,
    wanted,
    ranges: [walked(askFor, days, reading)],
    position: () => reading.position,
    remark: () => unaskedRemark(reading.unasked),
  });
}

const nameOf = (asked: ReturnType<typeof daysAsked>): string | undefined =>
  Object.keys(asked).length === 0 ? undefined : `${asked.signal_date_after ?? ''}..${asked.signal_date_before ?? ''}`;

const daysAsked = ({ from, to }: DayRange): { signal_date_after?: string; signal_date_before?: string } => ({
  ...(from !== firstDay && { signal_date_after: from }),
  ...(to !== lastDay && { signal_date_before: to }),
});

function refuseWithoutBookmark({ lookBack, deliver }: FeedAsked): void {
  const hint = 'add --since-last';
  if (lookBack !== undefined) throw new UsageError('--look-back goes with --since-last', { hint });
  if (deliver !== undefined) throw new UsageError('--deliver goes with --since-last', { hint: `${hint}, or use a pipe` });
}

function refuseWithBookmark({ wanted: { page = 0 }, deliver }: FeedAsked, out: string | undefined): void {
  if (page > 0) {
    throw new UsageError('--since-last reads from the first page on', { hint: 'leave --page out: the bookmark knows where to go on' });
  }
  if (deliver !== undefined && out !== undefined) {
    throw new UsageError('--deliver and --out exclude each other', { hint: 'the program gets the rows: let it write the file' });
  }
}

/** Many pages go on by day where the service gives the newest first, unless they are asked for by number. */
const readsByDay = ({ sort, wanted }: FeedAsked): boolean =>
  wanted.isMany && wanted.maxPages !== 1 && sort === undefined && wanted.page === undefined;

async function runSinceLast(plan: Plan, tools: Tools, asked: FeedAsked, named: string | true, askFor: AskFor): Promise<void> {
  const { search, list, sort } = asked;
  const name = named === true ? defaultBookmark : named;
  const { identity: baseUrl } = await tools.service();
  const scope = { baseUrl, search, list, sort };
  const file = await (plan.isDry ? tools.book.ifThere() : tools.book.open());
  const bookmarks = file && new Bookmarks(file, tools.isSandbox);
  if (bookmarks === undefined || plan.isDry) {
    const stored = await bookmarks?.read(name);
    return readOn(plan, tools, asked, { bookmark: bookmarkOf(stored, scope, name), name, askFor });
  }
  const lock = await bookmarks.take(name);
  try {
    const stored = await bookmarks.read(name);
    const bookmark = bookmarkOf(stored, scope, name);
    const at = (moved: Bookmark) => ({ name, scope, savedAt: new Date().toISOString(), bookmark: moved });
    const save = async (next: Bookmark) => {
      const failure = await orFailure(() => bookmarks.save(at(next)));
      if (failure instanceof PdiError) throw bookmarkDidNotMove(failure);
    };
    const before = at(stored?.bookmark ?? emptyBookmark);
    const keep = (next: Bookmark, records: readonly string[]) => bookmarks.keepWaiting(before, next, records);
    const waiting = await bookmarks.waiting(name);
    if (waiting.length === 0 || plan.show.program === undefined) {
      return await readOn(plan, tools, asked, { bookmark, name, askFor, kept: { save, waiting, keep } });
    }
    await deliverRecords(plan.show, tools, readInvestorInterest, waiting);
    await save(bookmark);
    tools.say.notice(`${pluralize(waiting.length, 'signal')} that waited for the program went out first, without a call`);
    await readOn(plan, tools, asked, { bookmark, name, askFor, hasDelivered: true, kept: { save, waiting: [], keep } });
  } finally {
    lock.release();
  }
}

interface Continued {
  readonly bookmark: Bookmark;
  readonly name: string;
  readonly askFor: AskFor;
  readonly hasDelivered?: boolean;
  /** What a run keeps in the book; a plan keeps nothing. */
  readonly kept?: {
    readonly save: (next: Bookmark) => Promise<void>;
    readonly waiting: readonly string[];
    readonly keep: (next: Bookmark, records: readonly string[]) => Promise<void>;
  };
}

async function readOn(
  plan: Plan,
  tools: Tools,
  asked: FeedAsked,
  { bookmark, name, askFor, hasDelivered = false, kept }: Continued,
): Promise<void> {
  const question = await questionOf(plan, tools, asked);
  for (const remark of beginning(bookmark, question, name, asked.lookBack !== undefined)) tools.say.notice(remark);
  const progress = new FeedProgress(bookmark, question);
  await runPages(plan, tools, {
    endpoint: readInvestorInterest,
    wanted: asked.wanted,
    ranges: rangesOf(progress, askFor),
    hasDelivered,
    deliveredBefore: (id) => progress.has(id),
    whatIsLeft: () => whatIsLeft(progress, plan.show.out),
    remark: () => unaskedRemark(progress.unasked),
    lookBack: { days: question.lookBack, calls: () => progress.idlePages },
    ...(kept !== undefined && {
      outbox: {
        waiting: kept.waiting,
        keep: (records: readonly string[]) => kept.keep(progress.next(), records),
        empty: () => kept.save(progress.next()),
      },
    }),
  });
}

async function questionOf({ rules }: Plan, tools: Tools, asked: FeedAsked): Promise<FeedQuestion> {
  const { after, before, sort, lookBack = defaultLookBack, wanted } = asked;
  const { cap } = rules;
  const uses = (await knownBudgetUse(rules, tools)) ?? [];
  const limit = wanted.limit ?? defaultLimit;
  const callsLeft = Math.min(
    wanted.maxPages,
    cap === 'unlimited' ? Number.POSITIVE_INFINITY : cap,
    ...uses.map((use) => use.limit - use.used),
  );
  return { today: dayOf(new Date().toISOString()), lookBack, after, before, newestFirst: sort === undefined, limit, callsLeft };
}

/** What the user may not expect of the days that are read. */
function beginning(bookmark: Bookmark, question: FeedQuestion, name: string, asksLookBack: boolean): readonly string[] {
  if (hasDelivered(bookmark)) {
    if (!asksLookBack || !asksForForgotten(bookmark, question)) return [];
    const reset = `pdi bookmarks reset ${name} --to DAY`;
    return [`what is dated before ${bookmark.knownSince} is not read again; \`${reset}\` goes back`];
  }
  if (question.after !== undefined || bookmark.knownSince !== undefined) return [];
  const { knownSince } = begun(bookmark, question);
  return [
    `the bookmark ${name} is new: it begins a week ago, on ${knownSince}; --after DAY begins it earlier, --after 0001-01-01 with all`,
  ];
}

function* rangesOf(progress: FeedProgress, askFor: AskFor): Iterable<ReturnType<AskFor>> {
  for (const part of progress.parts()) yield walked(askFor, part.days, part);
}

function whatIsLeft(progress: FeedProgress, out: string | undefined): string | undefined {
  if (progress.isComplete) return undefined;
  const again = `run the same command again${out === undefined ? '' : ' with another --out'}`;
  if (!progress.inOrder)
    return `signals are left: ${again}, with a larger --max-billable: it begins anew where signals are not newest first`;
  return progress.hasGaps
    ? `older signals are left: ${again}, it asks for what is new and goes on below`
    : `the look-back has not ended: ${again}, it goes on there`;
}

const walked = (askFor: AskFor, days: DayRange, part: Pick<DayPages, 'question' | 'isAsked' | 'note'>): FeedRange => ({
  ...askFor(days),
  walk: {
    question: () => part.question(),
    isAsked: (record) => part.isAsked(datedSignal(record)),
    note: (records) => part.note(records.map(datedSignal)),
  },
});

const unaskedRemark = (count: number): string | undefined =>
  count === 0 ? undefined : `the service answered with days that were not asked for: ${pluralize(count, 'signal')} dropped`;
