/** The days of signals, as those see them who choose the pages of the feed. */
import type { FeedPart } from '../book/bookmark.ts';
import type { DatedRecord } from '../book/day-pages.ts';
import type { readInvestorInterest } from '../contract/feed.ts';
import { pluralize } from '../errors.ts';
import type { Walk } from '../jobs/pages.ts';
import { isObject } from '../json/parse.ts';
import { type DayRange, dayOf, isDay } from '../rows/days.ts';
import type { PagedRange } from './page-reader.ts';

type FeedRange = PagedRange<typeof readInvestorInterest>;

export type AskFor = (days: DayRange) => FeedRange;

/** The pages of some days, as they are chosen. */
export const walked = (askFor: AskFor, days: DayRange, part: Omit<FeedPart, 'days'>): FeedRange => ({
  ...askFor(days),
  walk: walkOf(part),
});

const walkOf = ({ question, isAsked, note }: Omit<FeedPart, 'days'>): Walk => ({
  question,
  isAsked: (record) => isAsked(datedRecord(record)),
  note: (records) => note(records.map(datedRecord)),
});

/** A record without an identity or a day is one all the same. */
function datedRecord(record: unknown): DatedRecord {
  if (!isObject(record)) return { id: '', day: undefined };
  const day = dayOf(String(record.signal_date));
  return { id: typeof record.signal_id === 'string' ? record.signal_id : '', day: isDay(day) ? day : undefined };
}

export const unaskedRemark = (count: number): string | undefined =>
  count === 0 ? undefined : `the service answered with days that were not asked for: ${pluralize(count, 'signal')} dropped`;
