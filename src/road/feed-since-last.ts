/** `pdi feed --all --since-last` asks for the days that may hold something new, and moves the bookmark once the output is safe. */
import { openBookFile, openBookIfThere } from '../book/book-file.ts';
import {
  asksForForgotten,
  type Bookmark,
  type DatedSignal,
  defaultLookBack,
  emptyBookmark,
  FeedProgress,
  type FeedQuestion,
} from '../book/bookmark.ts';
import { Bookmarks, bookmarkDidNotMove, bookmarkOf, defaultBookmark } from '../book/bookmarks.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { orFailure, PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { type DayRange, dayOf, isDay } from '../rows/days.ts';
import type { FeedAsked } from './feed-flags.ts';
import type { PagedRange } from './page-reader.ts';
import type { Plan } from './plan.ts';
import { runPages } from './run-pages.ts';
import { bookPlace, isOfSandbox } from './spending.ts';
import type { Tools } from './tools.ts';

type AskFor = (days: DayRange) => PagedRange<typeof readInvestorInterest>;

export async function runSinceLast(plan: Plan, tools: Tools, asked: FeedAsked, named: string | true, askFor: AskFor): Promise<void> {
  const { search, list, sort } = asked;
  const name = named === true ? defaultBookmark : named;
  const { identity: baseUrl } = await tools.service();
  const scope = { baseUrl, search, list, sort };
  const file = await (plan.isDry ? openBookIfThere : openBookFile)(bookPlace(plan.rules.book, tools.say));
  const bookmarks = file && new Bookmarks(file, isOfSandbox(plan.rules));
  tools.atEnd(async () => file?.close());
  if (bookmarks === undefined || plan.isDry) {
    const stored = await bookmarks?.read(name);
    return readOn(plan, tools, asked, { bookmark: bookmarkOf(stored && { ...stored, next: undefined }, scope, name), name, askFor });
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
    const waiting = await bookmarks.waiting(name);
    const before = at(stored?.bookmark ?? emptyBookmark);
    const keep = (next: Bookmark, records: readonly string[]) => bookmarks.keepWaiting(before, next, records);
    await readOn(plan, tools, asked, { bookmark, name, askFor, save, outbox: { waiting, keep } });
  } finally {
    lock.release();
  }
}

interface Continued {
  readonly bookmark: Bookmark;
  readonly name: string;
  readonly askFor: AskFor;
  readonly save?: (next: Bookmark) => Promise<void>;
  readonly outbox?: {
    readonly waiting: readonly string[];
    readonly keep: (next: Bookmark, records: readonly string[]) => Promise<void>;
  };
}

async function readOn(plan: Plan, tools: Tools, asked: FeedAsked, { bookmark, name, askFor, save, outbox }: Continued): Promise<void> {
  const { after, before, sort, lookBack = defaultLookBack, wanted } = asked;
  const question: FeedQuestion = { today: dayOf(new Date().toISOString()), lookBack, after, before, newestFirst: sort === undefined };
  if ((after !== undefined || asked.lookBack !== undefined) && asksForForgotten(bookmark, question)) {
    const reset = `pdi bookmarks reset ${name} --to DAY`;
    tools.say.notice(`what is dated before ${bookmark.knownSince} counts as delivered and is not read again; \`${reset}\` goes back`);
  }
  const progress = new FeedProgress(bookmark, question);
  await runPages(plan, tools, {
    endpoint: readInvestorInterest,
    wanted,
    ranges: progress.ranges.map((range) => ({
      ...askFor(range),
      onPage: (records, isLast) => progress.page(range, records.flatMap(dated), isLast),
    })),
    deliveredBefore: (id) => progress.has(id),
    whatIsLeft: (atLimit) => (progress.isComplete ? undefined : whatIsLeft(progress, atLimit, plan.show.out)),
    afterwards: async () => save?.(progress.next()),
    ...(outbox !== undefined && { outbox: { waiting: outbox.waiting, keep: (records) => outbox.keep(progress.next(), records) } }),
  });
}

function whatIsLeft({ goesOnBelow, cameFurther }: FeedProgress, atLimit: boolean, out: string | undefined): string {
  const again = `run the same command again${out === undefined ? '' : ' with another --out'}`;
  if (atLimit && !cameFurther) return `older signals are left: ${again}, and let it read more pages: those of this run held nothing new`;
  return goesOnBelow
    ? `older signals are left: ${again}, it asks for what is new and goes on below`
    : `signals are left: ${again}, with a larger --max-billable: it begins anew where signals are not newest first`;
}

function dated(record: unknown): readonly DatedSignal[] {
  if (!isObject(record) || typeof record.signal_id !== 'string') return [];
  const day = dayOf(String(record.signal_date));
  return [{ id: record.signal_id, day: isDay(day) ? day : undefined }];
}
