/** `pdi feed --since-last` asks for the days that may hold something new, and moves the bookmark once the output is safe. */
import { openBookFile, openBookIfThere } from '../book/book-file.ts';
import {
  asksForForgotten,
  type Bookmark,
  begun,
  defaultLookBack,
  emptyBookmark,
  FeedProgress,
  type FeedQuestion,
  hasDelivered,
} from '../book/bookmark.ts';
import { Bookmarks, bookmarkDidNotMove, bookmarkOf, defaultBookmark } from '../book/bookmarks.ts';
import { settings } from '../config/settings.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import { orFailure, PdiError, pluralize } from '../errors.ts';
import { dayOf } from '../rows/days.ts';
import type { Context } from './context.ts';
import type { FeedFlags } from './feed-flags.ts';
import { type AskFor, unaskedRemark, walked } from './feed-walk.ts';
import { deliverRecords, runPages } from './run-pages.ts';
import { bookPlace, knownBudgetUse } from './spending.ts';

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
    return readOn(context, flags, { bookmark: bookmarkOf(stored, scope, name), name, askFor });
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
    if (waiting.length === 0 || context.program === undefined) {
      return await readOn(context, flags, { bookmark, name, askFor, kept: { save, waiting, keep } });
    }
    await deliverRecords(context, readInvestorInterest, waiting);
    await save(bookmark);
    context.notice(`${pluralize(waiting.length, 'signal')} that waited for the program went out first, without a call`);
    await readOn(context, flags, { bookmark, name, askFor, kept: { save, waiting: [], keep } });
  } finally {
    lock.release();
  }
}

interface Continued {
  readonly bookmark: Bookmark;
  readonly name: string;
  readonly askFor: AskFor;
  /** What a run keeps in the book; a plan keeps nothing. */
  readonly kept?: {
    readonly save: (next: Bookmark) => Promise<void>;
    readonly waiting: readonly string[];
    readonly keep: (next: Bookmark, records: readonly string[]) => Promise<void>;
  };
}

async function readOn(context: Context, flags: FeedFlags, { bookmark, name, askFor, kept }: Continued): Promise<void> {
  const question = await questionOf(context, flags);
  for (const remark of beginning(bookmark, question, name, flags.lookBack !== undefined)) context.notice(remark);
  const progress = new FeedProgress(bookmark, question);
  await runPages(context, {
    endpoint: readInvestorInterest,
    flags,
    ranges: rangesOf(progress, askFor),
    deliveredBefore: (id) => progress.has(id),
    whatIsLeft: () => whatIsLeft(progress, context.flags.out),
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

async function questionOf(context: Context, flags: FeedFlags): Promise<FeedQuestion> {
  const { after, before, sort, limit = defaultLimit, lookBack = defaultLookBack, maxPages = Number.POSITIVE_INFINITY } = flags;
  const cap = context.setting(settings.maxBillable);
  const { month, day } = context.setting(settings.budget);
  const uses = month === undefined && day === undefined ? [] : ((await knownBudgetUse(context)) ?? []);
  const callsLeft = Math.min(maxPages, cap === 'unlimited' ? Number.POSITIVE_INFINITY : cap, ...uses.map((use) => use.limit - use.used));
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
