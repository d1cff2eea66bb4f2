/** What a bookmark of `feed --since-last` remembers: what was delivered, what earlier runs left, and which days were counted. */
import * as z from 'zod/mini';
import { isObject } from '../json/exact.ts';
import {
  addDays,
  commonDays,
  type DayRange,
  dayOf,
  earlierDay,
  firstDay,
  isDay,
  isWithin,
  lastDay,
  laterDay,
} from '../rows/days.ts';
import { identityIn } from '../rows/row.ts';
import { type DatedRecord, withoutDay } from './day-pages.ts';

const day = z.string().check(z.refine(isDay));

/** Days that no run has read, but for the first `read` signals of the last. */
const gapShape = z.object({
  from: day,
  to: day,
  read: z.number(),
  /** `new`: it ends where its first day is known; `day`: all of it is read; `late`: a day that grew after it was read. */
  kind: z.enum(['new', 'day', 'late']),
});
export type Gap = Readonly<z.infer<typeof gapShape>>;

export const bookmarkShape = z.object({
  /** The newest day of a delivered signal, and never later than the day of its delivery. */
  newest: z.optional(day),
  /** `delivered` has all that was delivered from this day on, and no earlier day is asked for. */
  knownSince: z.optional(day),
  /** The day of the first run. */
  begun: z.optional(day),
  /** The newest come first. */
  gaps: z.array(gapShape),
  /** By the number of days that a look-back waits: up to which day it has counted. */
  counted: z.record(z.string(), day),
  /** When it did so last. */
  countedOn: z.optional(day),
  /** The length of the service's pages where it ignores `limit`; 0 where it is known to keep to it. */
  pageLength: z.optional(z.number()),
  cost: z.optional(z.object({ calls_new: z.number(), calls_look_back: z.number() })),
  /** The last FILE, and how many signals it was written with. */
  file: z.optional(z.object({ path: z.string(), signals: z.number() })),
  /** The day of each delivered signal by its identity, as far back as later runs need it; a text has each day once. */
  delivered: z.pipe(
    z.record(z.string(), z.array(z.string())),
    z.transform(
      (days) =>
        new Map(Object.entries(days).flatMap(([day, ids]) => ids.map((id) => [id, day] as const))),
    ),
  ),
});
export type WritableBookmark = z.infer<typeof bookmarkShape>;
export type Bookmark = Readonly<WritableBookmark>;

export const emptyBookmark: Bookmark = { gaps: [], counted: {}, delivered: new Map() };

export const defaultLookBack = 7;

const daysBeforeNew = 7;

export interface FeedQuestion {
  readonly today: string;
  /** At this age, in days, a day is counted once more; 0: never. */
  readonly lookBack: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** In another order, a run that ends early has not finished any day. */
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly callsLeft: number;
}

export const hasDelivered = ({ newest, delivered }: Bookmark): boolean =>
  newest !== undefined || delivered.size > 0;

export function begun(bookmark: Bookmark, { after, today }: FeedQuestion): Bookmark {
  if (hasDelivered(bookmark)) return bookmark;
  return {
    ...bookmark,
    begun: today,
    gaps: [],
    knownSince: after ?? bookmark.knownSince ?? addDays(today, -daysBeforeNew),
  };
}

export function datedSignal(record: unknown, identity = 'signal_id'): DatedRecord {
  const { signal_date: date } = isObject(record) ? record : {};
  const day = typeof date === 'string' ? dayOf(date) : '';
  return { id: identityIn(record, identity) ?? '', day: isDay(day) ? day : withoutDay };
}

export const withDelivered = (bookmark: Bookmark, signals: readonly DatedRecord[]): Bookmark => ({
  ...bookmark,
  delivered: new Map([...bookmark.delivered, ...signals.map(({ id, day }) => [id, day] as const)]),
});

/** The days that are counted once they are `lookBack` days old; undefined where nothing was delivered. */
export function daysToCount(
  { newest, knownSince = firstDay, begun, counted }: Bookmark,
  lookBack = defaultLookBack,
): DayRange | undefined {
  if (newest === undefined || begun === undefined) return undefined;
  const done = Object.entries(counted).flatMap(([age, day]) =>
    Number(age) >= lookBack ? [addDays(day, 1)] : [],
  );
  // Older days were read so old by the first run that nothing comes late to them.
  return {
    from: [knownSince, ...done].reduce(
      laterDay,
      addDays(begun, -Math.max(lookBack, defaultLookBack)),
    ),
    to: newest,
  };
}

/** The part of what is left that lies within these days. */
export const inside = (left: Gap, days: DayRange): readonly Gap[] =>
  commonDays(left, days).map((days) => ({
    ...left,
    ...days,
    read: days.to === left.to ? left.read : 0,
  }));

/** Identities are kept of the newest day, of days that are still to be counted, and of those that are left. */
export function withoutOlder(bookmark: Bookmark): Bookmark {
  const { newest, knownSince = firstDay, gaps } = bookmark;
  if (newest === undefined) return bookmark;
  const needed = earlierDay(newest, addDays(daysToCount(bookmark)?.from ?? firstDay, -1));
  const isNeeded = (day: string): boolean =>
    day >= needed || gaps.some((gap) => isWithin(day, gap));
  const delivered = new Map([...bookmark.delivered].filter(([, day]) => isNeeded(day)));
  return delivered.size < bookmark.delivered.size
    ? { ...bookmark, delivered, knownSince: laterDay(needed, knownSince) }
    : bookmark;
}

/** The next run delivers everything from `day` on again, but for what `waits`. */
export function resetTo(bookmark: Bookmark, day: string, waits: (id: string) => boolean): Bookmark {
  const { newest, knownSince = firstDay, gaps, delivered, counted } = bookmark;
  // A run from an earlier newest reads `day` anyway. If it started at `day`, nobody would ever read the days between.
  if (newest !== undefined && newest < day) return bookmark;
  const before = addDays(day, -1);
  const again: Gap = { from: day, to: lastDay, read: 0, kind: 'day' };
  return {
    ...bookmark,
    newest: before,
    knownSince: earlierDay(knownSince, day),
    gaps: [again, ...gaps.flatMap((gap) => inside(gap, { from: firstDay, to: before }))],
    counted: Object.fromEntries(
      Object.entries(counted).map(([age, to]) => [age, earlierDay(to, before)]),
    ),
    delivered: new Map([...delivered].filter(([id, of]) => of < day || waits(id))),
  };
}
