/**
 * Holds what `feed --since-last` has delivered, and tells which days a run must ask for. A date alone is not enough: several signals share
 * a day, and some arrive late. So a run looks back some days from the newest, and the identities of those days are kept.
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
  /** It is the newest day of a delivered signal, and never later than the day of its delivery. */
  readonly newest: string | undefined;
  /** `delivered` has all that was delivered from this day on. Undefined means that nothing was ever forgotten. */
  readonly knownSince: string | undefined;
  /** No run has read these days with signals. The newest come first. */
  readonly gaps: readonly DayRange[];
  /** A look-back begins here that a run did not finish, so the next one begins no later. */
  readonly lookBackFrom: string | undefined;
  /** It has the day of each delivered signal by its identity, as far back as later runs need it. */
  readonly delivered: ReadonlyMap<string, string>;
}

export const emptyBookmark: Bookmark = {
  newest: undefined,
  knownSince: undefined,
  gaps: [],
  lookBackFrom: undefined,
  delivered: new Map(),
};

/** `--look-back` without a value means so many days. */
export const defaultLookBack = 7;

export interface FeedQuestion {
  readonly today: string;
  /** So many days before the newest are read again for signals that arrived late. */
  readonly lookBack: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** The newest signals come first. Otherwise a run that ends early has not finished any day. */
  readonly newestFirst: boolean;
}

/** New days come first, then what earlier runs left, then the look-back for late signals. In this order each run comes further. */
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

/** A clock that was set back must not lead to days of which it is forgotten what was delivered. */
const sinceNewest = ({ newest = firstDay, knownSince = firstDay }: Bookmark, today: string): DayRange => ({
  from: laterDay(earlierDay(newest, today), knownSince),
  to: lastDay,
});

/** Tells whether it is forgotten what was delivered on days that the user asks for. They are not read again. */
export function asksForForgotten({ newest, knownSince }: Bookmark, { after, today, lookBack }: FeedQuestion): boolean {
  const asked = after ?? (newest === undefined ? undefined : addDays(earlierDay(newest, today), -lookBack));
  return knownSince !== undefined && asked !== undefined && asked < knownSince;
}

/** A signal that is dated in the future, or a wrong clock, must not keep a run from what is new. */
function startOf({ newest, knownSince = firstDay, lookBackFrom = lastDay }: Bookmark, { today, lookBack, after }: FeedQuestion): string {
  const usual = newest === undefined ? firstDay : addDays(earlierDay(newest, today), -lookBack);
  return laterDay(after ?? earlierDay(usual, lookBackFrom), knownSince);
}

/** The document does not promise a day. */
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

  has(id: string): boolean {
    return this.delivered.has(id);
  }

  /** Notes the next page of a range. The last day of a page may continue on the next page. */
  page(range: DayRange, signals: readonly DatedSignal[], isLast: boolean): void {
    for (const { id, day } of signals) this.note(id, day);
    this.inOrder &&= isNewestFirst(signals);
    const oldest = signals.at(-1)?.day ?? range.to;
    const unread = this.inOrder ? commonDays(range, { from: firstDay, to: oldest }) : [range];
    this.left.set(range, isLast ? [] : unread);
  }

  get isComplete(): boolean {
    const { gaps, lookBackFrom } = this.next();
    return gaps.length === 0 && lookBackFrom === undefined;
  }

  /** A later run can go on where this one ended. Otherwise it begins with the first page. */
  get goesOnBelow(): boolean {
    return this.inOrder;
  }

  /** A later run that reads as many pages would read others. Otherwise it would pay for these again, for ever. */
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

  /** Days that earlier runs have read, and that this run would have read again for late signals, are no gap. */
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

function isNewestFirst(signals: readonly DatedSignal[]): boolean {
  return signals.every(({ day }, at) => day !== undefined && (at === 0 || day <= (signals[at - 1]?.day ?? day)));
}

/** The next run starts at `day`, and delivers everything from there on again. */
export function resetTo(bookmark: Bookmark, day: string): Bookmark {
  const { newest, gaps, delivered } = bookmark;
  // A run from an earlier newest reads `day` anyway. If it started at `day`, nobody would ever read the days between.
  const start = newest !== undefined && newest < day ? bookmark : { newest: day, knownSince: day, lookBackFrom: undefined };
  return {
    ...start,
    gaps: daysWithout(gaps, { from: day, to: lastDay }),
    delivered: new Map([...delivered].filter(([, of]) => of < day)),
  };
}
