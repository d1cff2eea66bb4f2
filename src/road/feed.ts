/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */
import { checkFeed, readInvestorInterest } from '../contract/feed.ts';
import { type DayRange, firstDay, lastDay } from '../rows/days.ts';
import { type FeedAsked, refuseContradictions } from './feed-flags.ts';
import { runSinceLast } from './feed-since-last.ts';
import type { PagedRange } from './page-reader.ts';
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
  const { after = firstDay, before = lastDay, sort, sinceLast, wanted } = given;
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
  const askFor = (days: DayRange): PagedRange<typeof readInvestorInterest> => {
    const bounds = daysAsked(days);
    const name = Object.keys(bounds).length === 0 ? undefined : `${bounds.signal_date_after ?? ''}..${bounds.signal_date_before ?? ''}`;
    return { name, request: (page) => ({ path: {}, query: { ...scope, ...bounds, ...page } }) };
  };
  if (sinceLast === undefined) {
    return runPages(plan, tools, { endpoint: readInvestorInterest, ranges: [askFor({ from: after, to: before })], wanted });
  }
  await runSinceLast(plan, tools, asked, sinceLast, askFor);
}

const daysAsked = ({ from, to }: DayRange): { signal_date_after?: string; signal_date_before?: string } => ({
  ...(from !== firstDay && { signal_date_after: from }),
  ...(to !== lastDay && { signal_date_before: to }),
});
