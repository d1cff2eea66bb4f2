/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */
import { DayPages, unreadDays } from '../book/day-pages.ts';
import { checkFeed, readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import type { AskedPage } from '../jobs/pages.ts';
import { type DayRange, firstDay, lastDay } from '../rows/days.ts';
import type { Context } from './context.ts';
import { type FeedFlags, readsByDay, refuseContradictions } from './feed-flags.ts';
import { runSinceLast } from './feed-since-last.ts';
import { type AskFor, unaskedRemark, walked } from './feed-walk.ts';
import { runPages } from './run-pages.ts';

const options: Readonly<Record<string, string>> = {
  search_id: '--search',
  list_id: '--list',
  signal_date_after: '--after',
  signal_date_before: '--before',
};

/** @throws UsageError for contradicting flags */
export async function runFeed(context: Context, given: FeedFlags): Promise<void> {
  const { sort, sinceLast, deliver } = given;
  const { search_id: search, list_id: list } = checkFeed(
    { search_id: given.search, list_id: given.list, signal_date_after: given.after, signal_date_before: given.before },
    (parameter) => options[parameter] ?? parameter,
  );
  refuseContradictions(given, context.flags.out);
  const flags = { ...given, search, list, all: given.all === true || sinceLast !== undefined };
  const scope = {
    ...(search !== undefined && { search_id: search }),
    ...(list !== undefined && { list_id: list }),
    ...(sort !== undefined && { sort }),
  };
  const askFor: AskFor = (range) => ({
    name: (days = range) => nameOf(daysAsked(days)),
    request: ({ days = range, ...page }: AskedPage) => ({ path: {}, query: { ...scope, ...daysAsked(days), ...page } }),
  });
  if (sinceLast === undefined) return readAnew(context, flags, askFor);
  context.program = deliver;
  await runSinceLast(context, flags, sinceLast, askFor);
}

async function readAnew(context: Context, flags: FeedFlags, askFor: AskFor): Promise<void> {
  const { after = firstDay, before = lastDay, limit = defaultLimit } = flags;
  const days = { from: after, to: before };
  const endpoint = readInvestorInterest;
  if (!readsByDay(flags)) return runPages(context, { endpoint, ranges: [askFor(days)], flags });
  const reading = new DayPages(unreadDays(days), { limit, isKnown: () => false });
  const range = walked(askFor, days, {
    question: () => reading.question(),
    isAsked: (signal) => reading.isAsked(signal),
    note: (signals) => reading.note(signals),
  });
  await runPages(context, {
    endpoint,
    flags,
    ranges: [range],
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
