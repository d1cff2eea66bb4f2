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
import { readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import { orFailure, PdiError, pluralize } from '../errors.ts';
import { dayOf } from '../rows/days.ts';
import type { FeedAsked } from './feed-flags.ts';
import { type AskFor, unaskedRemark, walked } from './feed-walk.ts';
import type { Plan } from './plan.ts';
import { deliverRecords, runPages } from './run-pages.ts';
import { bookPlace, hasBudget, isOfSandbox, knownBudgetUse } from './spending.ts';
import type { Tools } from './tools.ts';

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
  const uses = hasBudget(rules) ? ((await knownBudgetUse(rules, tools)) ?? []) : [];
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
