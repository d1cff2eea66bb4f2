/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */

import {
  type Bookmark,
  begun,
  defaultLookBack,
  emptyBookmark,
  type FeedQuestion,
  hasDelivered,
} from '../book/bookmark.ts';
import {
  type Bookmarks,
  bookmarkOf,
  refuseBadName,
  type StoredBookmark,
} from '../book/bookmarks.ts';
import { FeedProgress } from '../book/feed-progress.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import { orFailure, PdiError, pluralize, UsageError } from '../errors.ts';
import { firstDay, lastDay } from '../rows/days.ts';
import { printRecords } from './delivery.ts';
import { bytesThatStay } from './growing-file.ts';
import type { Plan, Show } from './plan.ts';
import { type PagedRun, runPages, type WantedPages } from './run-calls.ts';
import { knownBudgetUse } from './spending.ts';
import type { Tools } from './tools.ts';

interface FeedAsked {
  readonly pages: WantedPages;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
  readonly list?: string | undefined;
  readonly sort?: string | undefined;
  readonly sinceLast?: string | true | undefined;
  readonly lookBack?: number | undefined;
  readonly today: string;
}

const options: Readonly<Record<string, string>> = {
  search_id: '--search',
  list_id: '--list',
  signal_date_after: '--after',
  signal_date_before: '--before',
};

export async function runFeed(plan: Plan, tools: Tools, feedOptions: FeedAsked): Promise<void> {
  const { after = firstDay, before = lastDay, sort, sinceLast, pages } = feedOptions;
  const days = { signal_date_after: feedOptions.after, signal_date_before: feedOptions.before };
  const asked = {
    path: {},
    query: { search_id: feedOptions.search, list_id: feedOptions.list, ...days },
  };
  const { query: scope } = readInvestorInterest.check(
    asked,
    (parameter) => options[parameter] ?? parameter,
  );
  const whole = { from: after, to: before };
  const run: PagedRun = {
    endpoint: readInvestorInterest,
    pages: pages,
    ask: ({ days: { from, to } = whole, ...page }) => {
      const dates = {
        signal_date_after: from === firstDay ? undefined : from,
        signal_date_before: to === lastDay ? undefined : to,
      };
      return { path: {}, query: { ...scope, sort, ...dates, ...page } };
    },
  };
  tellOfSmallPages(pages, tools);
  if (sinceLast !== undefined) {
    refuseWithBookmark(feedOptions, plan.show);
    return runSinceLast(
      plan,
      tools,
      { ...feedOptions, search: scope.search_id, list: scope.list_id },
      run,
    );
  }
  refuseWithoutBookmark(feedOptions, plan.show);
  await runPages(plan, tools, { ...run, read: { days: whole, isByDay: sort === undefined } });
}

function tellOfSmallPages({ isMany, limit = defaultLimit }: WantedPages, { say }: Tools): void {
  if (isMany && limit < defaultLimit)
    say.notice(
      `each page is billed, and pages of ${limit} make many more calls than pages of ${defaultLimit}: leave --limit out`,
    );
}

function refuseWithoutBookmark({ lookBack }: FeedAsked, { program }: Show): void {
  const hint = 'add --since-last';
  if (lookBack !== undefined) throw new UsageError('--look-back goes with --since-last', { hint });
  if (program !== undefined)
    throw new UsageError('--deliver goes with --since-last', { hint: `${hint}, or use a pipe` });
}

function refuseWithBookmark({ pages: { page = 0 } }: FeedAsked, { program, out }: Show): void {
  if (page > 0) {
    throw new UsageError('--since-last reads from the first page on', {
      hint: 'leave --page out: the bookmark knows where to go on',
    });
  }
  if (program !== undefined && out !== undefined) {
    throw new UsageError('--deliver and --out exclude each other', {
      hint: 'the program gets the rows: let it write the file',
    });
  }
}

const defaultBookmark = 'default';

async function runSinceLast(
  plan: Plan,
  tools: Tools,
  feedOptions: FeedAsked,
  run: PagedRun,
): Promise<void> {
  const { search, list, sort, sinceLast } = feedOptions;
  const name = typeof sinceLast === 'string' ? sinceLast : defaultBookmark;
  refuseBadName(name);
  const { identity: baseUrl } = await tools.service();
  const scope = { baseUrl, search, list, sort };
  const book = await (plan.isDry ? tools.book.ifThere() : tools.book.open());
  if (book !== undefined) await tools.tellOfNewBook();
  const bookmarks = book?.bookmarks(tools.isSandbox);
  const lock = plan.isDry ? undefined : await bookmarks?.take(name);
  try {
    const stored = await bookmarks?.read(name);
    const bookmark = bookmarkOf(stored, scope, name);
    const outbox =
      bookmarks &&
      lock &&
      (await outboxOf(bookmarks, { name, scope, bookmark: stored?.bookmark ?? emptyBookmark }));
    const wentFirst =
      outbox !== undefined && outbox.waiting.length > 0 && plan.show.program !== undefined;
    if (wentFirst) {
      const shape = { endpoint: readInvestorInterest, columns: readInvestorInterest.columns };
      const sent = await printRecords(plan.show, tools, shape, async () => outbox.waiting);
      await outbox.save(bookmark);
      tools.say.notice(
        `${pluralize(sent, 'signal')} that waited for the program went out first, without a call`,
      );
    }
    const question = await questionOf(plan, tools, feedOptions);
    tellWhereItBegins(bookmark, question, name, tools);
    const progress = new FeedProgress(bookmark, question);
    const keep = plan.isDry ? undefined : await bytesThatStay(plan.show, tools, bookmark.file);
    const moving = outbox && {
      ...outbox,
      progress,
      bytes: keep,
      wentFirst,
      waiting: wentFirst ? [] : outbox.waiting,
    };
    await runPages(plan, tools, {
      ...run,
      walk: progress,
      bookmark: moving,
      lastRun: bookmark.cost,
    });
  } finally {
    lock?.release();
  }
}

/** What was bought for a bookmark, and is not yet safely written or taken by a program. */
async function outboxOf(
  bookmarks: Bookmarks,
  { bookmark: before, ...place }: Pick<StoredBookmark, 'name' | 'scope' | 'bookmark'>,
) {
  const at = (bookmark: Bookmark) => ({ ...place, savedAt: new Date().toISOString(), bookmark });
  return {
    waiting: await bookmarks.waiting(place.name),
    keep: (next: Bookmark, records: readonly string[]) =>
      bookmarks.keepWaiting(at(before), next, records),
    save: async (next: Bookmark) => {
      const failure = await orFailure(() => bookmarks.save(at(next)));
      // The next run delivers it again.
      if (failure instanceof PdiError)
        throw new PdiError(
          failure.code,
          `the output is written, but the bookmark did not move: ${failure.message}`,
          failure.details,
        );
    },
  };
}

async function questionOf(
  { rules }: Plan,
  tools: Tools,
  feedOptions: FeedAsked,
): Promise<FeedQuestion> {
  const { today, after, before, sort, lookBack = defaultLookBack, pages } = feedOptions;
  const { cap } = rules;
  const uses = (await knownBudgetUse(rules.limits, tools)) ?? [];
  const limit = pages.limit ?? defaultLimit;
  const callsLeft = Math.min(
    pages.maxPages,
    cap === 'unlimited' ? Number.POSITIVE_INFINITY : cap,
    ...uses.map((use) => use.limit - use.used),
  );
  return { today, lookBack, after, before, newestFirst: sort === undefined, limit, callsLeft };
}

function tellWhereItBegins(
  bookmark: Bookmark,
  question: FeedQuestion,
  name: string,
  { say }: Tools,
): void {
  if (hasDelivered(bookmark) || question.after !== undefined || bookmark.knownSince !== undefined)
    return;
  const { knownSince } = begun(bookmark, question);
  say.notice(
    `the bookmark ${name} is new: it begins a week ago, on ${knownSince}; --after DAY begins it earlier, --after 0001-01-01 with all`,
  );
}
