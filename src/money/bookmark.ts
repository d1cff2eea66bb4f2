/**
 * What `feed --since-last` has delivered, and which days a run must ask for. A date alone is not enough to go on from: several
 * signals share a day, and some arrive late. So a run looks back some days from the newest, and the identities of those days are kept.
 */
import {
  addDays,
  commonDays,
  type DayRange,
  daysWithout,
  earlierDay,
  firstDay,
  isWithin,
  joinedDays,
  lastDay,
  laterDay,
} from '../rows/days.ts';

export interface Bookmark {
  /** The newest day of a delivered signal, never later than the day of its delivery. */
  readonly newest: string | undefined;
  /** All that was delivered from this day on is in `delivered`. Undefined: nothing was ever forgotten. */
  readonly knownSince: string | undefined;
  /** Days with signals that no run has read, the newest first. */
  readonly gaps: readonly DayRange[];
  /** Where a look-back begins that a run did not finish: the next one begins no later. */
  readonly lookBackFrom: string | undefined;
  /** The day of each delivered signal, by its identity, as far back as later runs need it. */
  readonly delivered: ReadonlyMap<string, string>;
}

export const emptyBookmark: Bookmark = {
  newest: undefined,
  knownSince: undefined,
  gaps: [],
  lookBackFrom: undefined,
  delivered: new Map(),
};

/** The days that `--look-back` has without a value. */
export const defaultLookBack = 7;

/** What a run asks of the feed. */
export interface FeedQuestion {
  readonly today: string;
  /** Days before the newest that are read again for signals that arrived late. */
  readonly lookBack: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** Whether the newest signals come first. Otherwise a run that ends early has not finished any day. */
  readonly newestFirst: boolean;
}

/**
 * The days to ask for, one range after the other: what is new, then what earlier runs left, then what is read again for late signals.
 * In that order each run comes further, however few calls it may make. One range is enough where nothing was left.
 */
function daysToRead(bookmark: Bookmark, question: FeedQuestion): readonly DayRange[] {
  const { after = firstDay, before = lastDay, today } = question;
  const wanted = { from: after, to: before };
  const recent = commonDays({ from: startOf(bookmark, question), to: lastDay }, wanted);
  const gaps = bookmark.gaps.flatMap((gap) => commonDays(gap, wanted));
  if (gaps.length === 0) return recent;
  const fresh = commonDays(sinceNewest(bookmark, today), wanted);
  const left = fresh.reduce(daysWithout, gaps);
  return [...fresh, ...left, ...[...fresh, ...left].reduce(daysWithout, recent)];
}

/** The days that may hold something new; all of them where nothing was ever delivered. */
const sinceNewest = ({ newest = firstDay }: Bookmark, today: string): DayRange => ({ from: earlierDay(newest, today), to: lastDay });

/** Whether the user asks for days of which it is forgotten what was delivered. They are not read again. */
export function asksForForgotten({ newest, knownSince }: Bookmark, { after, today, lookBack }: FeedQuestion): boolean {
  const asked = after ?? (newest === undefined ? undefined : addDays(earlierDay(newest, today), -lookBack));
  return knownSince !== undefined && asked !== undefined && asked < knownSince;
}

/** One signal may be dated in the future, and a clock may be wrong: neither may keep a run from what is new. */
function startOf({ newest, knownSince = firstDay, lookBackFrom = lastDay }: Bookmark, { today, lookBack, after }: FeedQuestion): string {
  const usual = newest === undefined ? firstDay : addDays(earlierDay(newest, today), -lookBack);
  return laterDay(after ?? earlierDay(usual, lookBackFrom), knownSince);
}

/** A signal of a page; the document does not promise a day. */
export interface DatedSignal {
  readonly id: string;
  readonly day: string | undefined;
}

/** A signal without a day is never forgotten, because any run may meet it again. */
const withoutDay = lastDay;

/** Follows a run through the days that it reads, and tells how the bookmark moves. */
export class FeedProgress {
  private readonly delivered: Map<string, string>;
  private newest: string | undefined;
  private inOrder: boolean;
  /** What is left of each range of which a page was read. */
  private readonly left = new Map<DayRange, readonly DayRange[]>();

  constructor(
    private readonly bookmark: Bookmark,
    private readonly question: FeedQuestion,
    readonly ranges: readonly DayRange[] = daysToRead(bookmark, question),
  ) {
    this.delivered = new Map(bookmark.delivered);
    this.newest = bookmark.newest;
    this.inOrder = question.newestFirst;
  }

  /** Whether an earlier run, or this one, has delivered the signal. */
  has(id: string): boolean {
    return this.delivered.has(id);
  }

  /** Notes the next page of a range. The last day of a page may go on on the next one. */
  page(range: DayRange, signals: readonly DatedSignal[], isLast: boolean): void {
    for (const { id, day } of signals) this.note(id, day);
    this.inOrder &&= isNewestFirst(signals);
    const oldest = signals.at(-1)?.day ?? range.to;
    const unread = this.inOrder ? commonDays(range, { from: firstDay, to: oldest }) : [range];
    this.left.set(range, isLast ? [] : unread);
  }

  /** Whether days are left that a later run must read. */
  get isComplete(): boolean {
    const { gaps, lookBackFrom } = this.next();
    return gaps.length === 0 && lookBackFrom === undefined;
  }

  /** Whether a later run can go on where this one ended; otherwise it begins with the first page. */
  get goesOnBelow(): boolean {
    return this.inOrder;
  }

  /** Whether a later run that reads as many pages would read others: otherwise it would pay for these again, for ever. */
  get cameFurther(): boolean {
    const { gaps, delivered } = this.bookmark;
    return this.delivered.size > delivered.size || JSON.stringify(this.next().gaps) !== JSON.stringify(gaps);
  }

  next(): Bookmark {
    const { bookmark, question, newest } = this;
    if (this.left.size === 0) return bookmark;
    const { gaps, lookBackFrom } = this.unread();
    const left = { gaps, lookBackFrom };
    if (newest === undefined) return { ...bookmark, ...left, delivered: this.delivered };
    const needed = [question.after, lookBackFrom].reduce<string>(
      (earliest, day) => earlierDay(earliest, day ?? lastDay),
      addDays(newest, -question.lookBack),
    );
    const isNeeded = (day: string): boolean => day >= needed || gaps.some((gap) => isWithin(day, gap));
    const delivered = new Map([...this.delivered].filter(([, day]) => isNeeded(day)));
    const forgot = delivered.size < this.delivered.size;
    return { newest, knownSince: forgot ? laterDay(needed, bookmark.knownSince ?? firstDay) : bookmark.knownSince, ...left, delivered };
  }

  /** What earlier runs have read, and this one would have read again for late signals, is no gap. */
  private unread(): Pick<Bookmark, 'gaps' | 'lookBackFrom'> {
    const { bookmark, question, ranges } = this;
    const left = ranges.flatMap((range) => this.left.get(range) ?? [range]);
    const never = [...bookmark.gaps, sinceNewest(bookmark, question.today)];
    const gaps = [
      ...ranges.reduce(daysWithout, bookmark.gaps),
      ...left.flatMap((range) => never.flatMap((days) => commonDays(days, range))),
    ];
    const again = never.reduce(daysWithout, left).map(({ from }) => from);
    return { gaps: joinedDays(gaps), lookBackFrom: again.sort()[0] };
  }

  private note(id: string, day: string | undefined): void {
    this.delivered.set(id, day ?? withoutDay);
    if (day === undefined) return;
    const known = earlierDay(day, this.question.today);
    this.newest = this.newest === undefined ? known : laterDay(this.newest, known);
  }
}

/** Whether all signals of a page have a day, and none a later one than the signal before it. */
function isNewestFirst(signals: readonly DatedSignal[]): boolean {
  return signals.every(({ day }, at) => day !== undefined && (at === 0 || day <= (signals[at - 1]?.day ?? day)));
}

/** The bookmark as if nothing from `day` on had been delivered: the next run starts there, and delivers it again. */
export function resetTo({ gaps, delivered }: Bookmark, day: string): Bookmark {
  return {
    newest: day,
    knownSince: day,
    lookBackFrom: undefined,
    gaps: daysWithout(gaps, { from: day, to: lastDay }),
    delivered: new Map([...delivered].filter(([, of]) => of < day)),
  };
}
