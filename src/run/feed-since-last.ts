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
import type { Context } from './context.ts';
import type { FeedFlags } from './feed-flags.ts';
import type { PagedRange } from './page-reader.ts';
import { runPages } from './run-pages.ts';
import { bookPlace } from './spending.ts';

type AskFor = (days: DayRange) => PagedRange<typeof readInvestorInterest>;

export async function runSinceLast(context: Context, flags: FeedFlags, named: string | true, askFor: AskFor): Promise<void> {
  const { search, list, sort } = flags;
  const name = named === true ? defaultBookmark : named;
  const { identity: baseUrl } = await context.service();
  const scope = { baseUrl, search, list, sort };
  const file = await (context.flags.dryRun === true ? openBookIfThere : openBookFile)(bookPlace(context));
  const bookmarks = file && new Bookmarks(file, context.sandboxed());
  context.onDispose(async () => file?.close());
  if (bookmarks === undefined || context.flags.dryRun === true) {
    const stored = await bookmarks?.read(name);
    return readOn(context, flags, { bookmark: bookmarkOf(stored && { ...stored, next: undefined }, scope, name), name, askFor });
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
    await readOn(context, flags, { bookmark, name, askFor, save, outbox: { waiting, keep } });
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

async function readOn(context: Context, flags: FeedFlags, { bookmark, name, askFor, save, outbox }: Continued): Promise<void> {
  const { after, before, sort, lookBack = defaultLookBack } = flags;
  const question: FeedQuestion = { today: dayOf(new Date().toISOString()), lookBack, after, before, newestFirst: sort === undefined };
  if ((after !== undefined || flags.lookBack !== undefined) && asksForForgotten(bookmark, question)) {
    const reset = `pdi bookmarks reset ${name} --to DAY`;
    context.notice(`what is dated before ${bookmark.knownSince} counts as delivered and is not read again; \`${reset}\` goes back`);
  }
  const progress = new FeedProgress(bookmark, question);
  await runPages(context, {
    endpoint: readInvestorInterest,
    flags,
    ranges: progress.ranges.map((range) => ({
      ...askFor(range),
      onPage: (records, isLast) => progress.page(range, records.flatMap(dated), isLast),
    })),
    deliveredBefore: (id) => progress.has(id),
    whatIsLeft: (atLimit) => (progress.isComplete ? undefined : whatIsLeft(progress, atLimit, context.flags.out)),
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
