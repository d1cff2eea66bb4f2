/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */
import { DayPages, unreadDays } from '../book/day-pages.ts';
import { checkFeed, readInvestorInterest } from '../contract/feed.ts';
import { defaultLimit } from '../contract/service.ts';
import { type DayRange, firstDay, lastDay } from '../rows/days.ts';
import { type FeedAsked, readsByDay, refuseContradictions } from './feed-flags.ts';
import { runSinceLast } from './feed-since-last.ts';
import { type AskFor, unaskedRemark, walked } from './feed-walk.ts';
import type { AskedPage } from './pages.ts';
import type { Plan } from './plan.ts';
import { runPages } from './run-pages.ts';
import type { Tools } from './tools.ts';

const options: Readonly<Record<string, string>> = {
  search_id: '--search',
  list_id: '--list',
  signal_date_after: '--after',
  signal_date_before: '--before',
};

/** @throws UsageError for contradicting flags */
export async function runFeed(plan: Plan, tools: Tools, given: FeedAsked): Promise<void> {
  const { sort, sinceLast } = given;
  const { search_id: search, list_id: list } = checkFeed(
    { search_id: given.search, list_id: given.list, signal_date_after: given.after, signal_date_before: given.before },
    (parameter) => options[parameter] ?? parameter,
  );
  refuseContradictions(given, plan.show.out);
  const asked = { ...given, search, list };
  const scope = {
    ...(search !== undefined && { search_id: search }),
    ...(list !== undefined && { list_id: list }),
    ...(sort !== undefined && { sort }),
  };
  const askFor: AskFor = (range) => ({
    name: (days = range) => nameOf(daysAsked(days)),
    request: ({ days = range, ...page }: AskedPage) => ({ path: {}, query: { ...scope, ...daysAsked(days), ...page } }),
  });
  if (sinceLast === undefined) return readAnew(plan, tools, asked, askFor);
  await runSinceLast(plan, tools, asked, sinceLast, askFor);
}

async function readAnew(plan: Plan, tools: Tools, asked: FeedAsked, askFor: AskFor): Promise<void> {
  const { after = firstDay, before = lastDay, wanted } = asked;
  const days = { from: after, to: before };
  const endpoint = readInvestorInterest;
  if (!readsByDay(asked)) return runPages(plan, tools, { endpoint, ranges: [askFor(days)], wanted });
  const reading = new DayPages(unreadDays(days), { limit: wanted.limit ?? defaultLimit, isKnown: () => false });
  const range = walked(askFor, days, {
    question: () => reading.question(),
    isAsked: (signal) => reading.isAsked(signal),
    note: (signals) => reading.note(signals),
  });
  await runPages(plan, tools, {
    endpoint,
    wanted,
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
