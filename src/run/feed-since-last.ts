/** `pdi feed --all --since-last` asks for the days that may hold something new, and moves the bookmark once the output is safe. */
import { join } from 'node:path';
import { readInvestorInterest } from '../contract/feed.ts';
import { isObject } from '../json/parse.ts';
import { asksForForgotten, type Bookmark, type DatedSignal, defaultLookBack, FeedProgress, type FeedQuestion } from '../money/bookmark.ts';
import { bookmarkOf, defaultBookmark, openBookmark, peekBookmark } from '../money/bookmark-file.ts';
import { type DayRange, dayOf, isDay } from '../rows/days.ts';
import type { Context } from './context.ts';
import type { FeedFlags } from './feed-flags.ts';
import type { PagedRange } from './page-reader.ts';
import { runPages } from './run-pages.ts';

type AskFor = (days: DayRange) => PagedRange<typeof readInvestorInterest>;

/** A bookmark of the sandbox must not block the real one. */
export const bookmarkDirectory = (context: Context): string =>
  context.sandboxed() ? join(context.stateDirectory(), 'sandbox') : context.stateDirectory();

export async function runSinceLast(context: Context, flags: FeedFlags, named: string | true, askFor: AskFor): Promise<void> {
  const { search, list, sort } = flags;
  const name = named === true ? defaultBookmark : named;
  const { identity: baseUrl } = await context.service();
  const scope = { baseUrl, search, list, sort };
  const place = { directory: bookmarkDirectory(context), name };
  if (context.flags.dryRun === true) {
    return readOn(context, flags, { bookmark: bookmarkOf(peekBookmark(place), scope, name), name, askFor });
  }
  const file = await openBookmark({ ...place, processes: context.io.processes, clock: () => new Date() });
  try {
    const bookmark = bookmarkOf(file.stored(), scope, name);
    await readOn(context, flags, { bookmark, name, askFor, save: (next) => file.save(scope, next) });
  } finally {
    file.close();
  }
}

interface Continued {
  readonly bookmark: Bookmark;
  readonly name: string;
  readonly askFor: AskFor;
  readonly save?: (next: Bookmark) => void;
}

async function readOn(context: Context, flags: FeedFlags, { bookmark, name, askFor, save }: Continued): Promise<void> {
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
    afterwards: () => save?.(progress.next()),
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
