/** The days of signals, as those see them who choose the pages of the feed. */
import { datedSignal, type FeedPart } from '../book/bookmark.ts';
import type { readInvestorInterest } from '../contract/feed.ts';
import { pluralize } from '../errors.ts';
import type { DayRange } from '../rows/days.ts';
import type { PagedRange } from './page-reader.ts';
import type { Walk } from './pages.ts';

type FeedRange = PagedRange<typeof readInvestorInterest>;

export type AskFor = (days: DayRange) => FeedRange;

/** The pages of some days, as they are chosen. */
export const walked = (askFor: AskFor, days: DayRange, part: Omit<FeedPart, 'days'>): FeedRange => ({
  ...askFor(days),
  walk: walkOf(part),
});

const walkOf = ({ question, isAsked, note }: Omit<FeedPart, 'days'>): Walk => ({
  question,
  isAsked: (record) => isAsked(datedSignal(record)),
  note: (records) => note(records.map(datedSignal)),
});

export const unaskedRemark = (count: number): string | undefined =>
  count === 0 ? undefined : `the service answered with days that were not asked for: ${pluralize(count, 'signal')} dropped`;
