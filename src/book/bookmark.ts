/** Which days a run of `feed --since-last` asks for: signals share a day, and some arrive late, so a date alone does not tell. */
import { isObject } from '../json/exact.ts';
import {
  addDays,
  commonDays,
  type DayRange,
  dayOf,
  daysWithout,
  earlierDay,
  firstDay,
  isDay,
  isWithin,
  lastDay,
  laterDay,
} from '../rows/days.ts';
import { identityIn } from '../rows/row.ts';
import { type DatedRecord, DayPages, type Unread, unreadDays } from './day-pages.ts';

export interface Bookmark {
  /** The newest day of a delivered signal, and never later than the day of its delivery. */
  readonly newest: string | undefined;
  /** `delivered` has all that was delivered from this day on, and no earlier day is asked for. */
  readonly knownSince: string | undefined;
  /** No run has read these days with signals. The newest come first. */
  readonly gaps: readonly Unread[];
  /** A look-back that did not end goes on with these days. */
  readonly again: readonly Unread[];
  /** A look-back of several runs has not seen what came meanwhile, so the next one begins no later than here. */
  readonly lookBackFrom: string | undefined;
  /** The service ignores the days that it is asked for, so each page is found by its place in the whole list. */
  readonly ignoresDays: boolean;
  /** The day of each delivered signal by its identity, as far back as later runs need it. */
  readonly delivered: ReadonlyMap<string, string>;
}

export const emptyBookmark: Bookmark = {
  newest: undefined,
  knownSince: undefined,
  gaps: [],
  again: [],
  lookBackFrom: undefined,
  ignoresDays: false,
  delivered: new Map(),
};

export const defaultLookBack = 7;

const daysBeforeNew = 7;

export interface FeedQuestion {
  readonly today: string;
  /** So many days before the newest are read again for signals that arrived late. */
  readonly lookBack: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** In another order, a run that ends early has not finished any day. */
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly callsLeft: number;
}

export const hasDelivered = ({ newest, delivered }: Bookmark): boolean => newest !== undefined || delivered.size > 0;

export function begun(bookmark: Bookmark, { after, today }: FeedQuestion): Bookmark {
  if (hasDelivered(bookmark)) return bookmark;
  return { ...bookmark, gaps: [], again: [], knownSince: after ?? bookmark.knownSince ?? addDays(today, -daysBeforeNew) };
}

/** Whether it is forgotten what was delivered on days that a look-back asks for, which are not read again then. */
export function asksForForgotten({ newest, knownSince }: Bookmark, { today, lookBack }: FeedQuestion): boolean {
  return newest !== undefined && knownSince !== undefined && addDays(earlierDay(newest, today), -lookBack) < knownSince;
}

/** A signal without a day is never forgotten, because any run may meet it again. */
const withoutDay = lastDay;

export function datedSignal(record: unknown): DatedRecord {
  if (!isObject(record)) return { id: '', day: undefined };
  const { signal_date: date } = record;
  const day = typeof date === 'string' ? dayOf(date) : '';
  return { id: identityIn(record, 'signal_id') ?? '', day: isDay(day) ? day : undefined };
}

export const withDelivered = (bookmark: Bookmark, signals: readonly DatedRecord[]): Bookmark => ({
  ...bookmark,
  delivered: new Map([...bookmark.delivered, ...signals.map(({ id, day }) => [id, day ?? withoutDay] as const)]),
});

/** `new`: what came since the last run; `gap`: what no run has read; `again`: what is read again for signals that came late. */
interface Part {
  readonly kind: 'new' | 'gap' | 'again';
  readonly range: Unread;
  /** Older signals wait, so it ends with a page of known days that holds nothing new. */
  readonly isLook?: boolean;
}

/** Follows a run through the days that it reads, and tells how the bookmark moves. */
export class FeedProgress {
  private readonly bookmark: Bookmark;
  private readonly delivered: Map<string, string>;
  private newest: string | undefined;
  private readonly read = new Map<Part, DayPages>();
  private readonly ended = new Set<Part>();
  private ignoresDays: boolean;
  private readonly plan: readonly Part[];
  private found = 0;
  idlePages = 0;

  constructor(
    before: Bookmark,
    private readonly question: FeedQuestion,
  ) {
    this.bookmark = begun(before, question);
    this.delivered = new Map(before.delivered);
    this.newest = before.newest;
    this.ignoresDays = before.ignoresDays;
    this.plan = this.planned();
  }

  has(id: string): boolean {
    return this.delivered.has(id);
  }

  *parts(): Generator<DayPages> {
    const isKnown = (id: string) => this.has(id);
    for (const part of this.plan) {
      const reading: DayPages = new DayPages(this.placed(part), this.question.limit, isKnown, this.mode, (signals, isLast) =>
        this.notePage(part, reading, signals, isLast),
      );
      yield reading;
    }
  }

  /** What came since the last run stands before what earlier runs left. */
  private placed({ kind, range }: Part): Unread {
    return { ...range, at: range.at + (kind === 'new' ? 0 : this.found) };
  }

  private get mode() {
    if (!this.inOrder) return 'by number';
    return this.ignoresDays ? 'as one' : 'by day';
  }

  private notePage(part: Part, reading: DayPages, signals: readonly DatedRecord[], isLast: boolean): boolean {
    this.read.set(part, reading);
    this.ignoresDays ||= reading.ignoresDays;
    const fresh = signals.filter((signal) => reading.isAsked(signal) && this.isNew(signal)).length;
    if (signals.length > 0 && fresh === 0 && hasDelivered(this.bookmark)) this.idlePages += 1;
    if (part.kind === 'new') this.found += fresh;
    const oldest = signals.at(-1)?.day ?? lastDay;
    const isEnd = isLast || (part.isLook === true && fresh === 0 && oldest <= this.sinceNewest);
    if (isEnd) this.ended.add(part);
    return isEnd;
  }

  get isComplete(): boolean {
    const { gaps, again } = this.next();
    return gaps.length === 0 && again.length === 0;
  }

  get hasGaps(): boolean {
    return this.next().gaps.length > 0;
  }

  /** The same days reach nothing of what is left. */
  get isLeftLater(): boolean {
    const { gaps, again } = this.next();
    return [...gaps, ...again].every((left) => inside(left, this.wanted).length === 0);
  }

  /** A later run can go on where this one ended; otherwise it begins with the first page. */
  get inOrder(): boolean {
    return this.question.newestFirst && [...this.read.values()].every(({ inOrder }) => inOrder);
  }

  next(): Bookmark {
    const { bookmark, question, newest } = this;
    if (this.read.size === 0) return bookmark;
    const left = this.plan.filter((part) => !this.ended.has(part)).map((part) => this.leftOf(part));
    const gaps = [...left.flatMap(({ gaps }) => gaps), ...bookmark.gaps.flatMap((gap) => outside(gap, this.wanted))];
    const again = [...left.flatMap(({ again }) => again), ...bookmark.again.flatMap((days) => outside(days, this.wanted))];
    const moved = {
      ...bookmark,
      newest,
      gaps,
      again,
      lookBackFrom: this.nextLookBack(again),
      ignoresDays: this.ignoresDays,
      delivered: this.delivered,
    };
    if (newest === undefined) return moved;
    const { lookBackFrom = lastDay } = moved;
    const needed = [addDays(newest, -question.lookBack), lookBackFrom, ...again.map(({ from }) => from)].reduce(earlierDay);
    return withoutOlder(moved, needed);
  }

  /** In this order each run comes further: new days, what earlier runs left, the look-back for late signals. */
  private planned(): readonly Part[] {
    const { gaps, again, lookBackFrom } = this.bookmark;
    const lookBackStart = this.fromNewest(-this.question.lookBack, lookBackFrom);
    const recent = unreadDays({ from: lookBackStart, to: lastDay });
    if (gaps.length + again.length === 0) return this.within([{ kind: 'new', range: recent }]);
    const once: readonly Part[] = [
      ...this.look(),
      ...gaps.map((range): Part => ({ kind: 'gap', range })),
      ...again.map((range): Part => ({ kind: 'again', range })),
    ];
    if (again.length > 0) return this.within(once);
    // Of the last day of a gap, earlier runs have read some, and late signals may have come among them.
    const unread = gaps.map(({ from, to, read }) => ({ from, to: read === 0 ? to : addDays(to, -1) }));
    const rest = unread.reduce<readonly DayRange[]>(daysWithout, [{ from: lookBackStart, to: this.sinceNewest }]);
    return this.within([...once, ...rest.map((days): Part => ({ kind: 'again', range: unreadDays(days) }))]);
  }

  /** A run that may make one call must come further with it, so it does not look at known days. */
  private look(): readonly Part[] {
    if (this.question.callsLeft === 1) return [];
    return [{ kind: 'new', range: unreadDays({ from: this.sinceNewest, to: lastDay }), isLook: true }];
  }

  private within(parts: readonly Part[]): readonly Part[] {
    return parts.flatMap((part) => inside(part.range, this.wanted).map((range) => ({ ...part, range })));
  }

  private get wanted(): DayRange {
    return { from: firstDay, to: this.question.before ?? lastDay };
  }

  private get sinceNewest(): string {
    return this.fromNewest(0);
  }

  /** A day of which it is forgotten what was delivered is not asked for; one in the future must not keep a run from what is new. */
  private fromNewest(days: number, atMost = lastDay): string {
    const { newest = firstDay, knownSince = firstDay } = this.bookmark;
    return laterDay(earlierDay(addDays(earlierDay(newest, this.question.today), days), atMost), knownSince);
  }

  private leftOf(part: Part) {
    const left = this.read.get(part)?.left ?? this.placed(part);
    if (part.kind === 'gap') return { gaps: [left], again: [] };
    if (part.kind === 'again') return { gaps: [], again: [left] };
    // No run has read the day after the newest or a later one, but for signals from the future.
    const never = { from: this.fromNewest(1), to: lastDay };
    return { gaps: inside(left, never), again: part.isLook === true ? [] : outside(left, never) };
  }

  private nextLookBack(again: readonly Unread[]): string | undefined {
    const { bookmark, newest, question } = this;
    if (bookmark.again.length > 0) return bookmark.lookBackFrom;
    const begun = again.length === 0 || newest === undefined ? undefined : addDays(newest, -question.lookBack);
    // It did not read what is later than `before`.
    const cut = newest !== undefined && this.wanted.to < newest ? bookmark.lookBackFrom : undefined;
    return begun === undefined || cut === undefined ? (begun ?? cut) : earlierDay(begun, cut);
  }

  private isNew({ id, day }: DatedRecord): boolean {
    const knownDay = this.delivered.get(id);
    // A signal may be dated anew: it is known as long as a run may meet it under its later day.
    this.delivered.set(id, laterDay(knownDay ?? firstDay, day ?? withoutDay));
    if (knownDay !== undefined) return false;
    if (day === undefined) return true;
    const known = earlierDay(day, this.question.today);
    this.newest = this.newest === undefined ? known : laterDay(this.newest, known);
    return true;
  }
}

const inside = (left: Unread, wanted: DayRange): readonly Unread[] => commonDays(left, wanted).map((days) => partOf(left, days));
const outside = (left: Unread, taken: DayRange): readonly Unread[] => daysWithout([left], taken).map((days) => partOf(left, days));

const partOf = ({ to, read, at }: Unread, days: DayRange): Unread => ({ ...days, read: days.to === to ? read : 0, at });

function withoutOlder(bookmark: Bookmark, needed: string): Bookmark {
  const { knownSince = firstDay, gaps } = bookmark;
  const isNeeded = (day: string): boolean => day >= needed || gaps.some((gap) => isWithin(day, gap));
  const delivered = new Map([...bookmark.delivered].filter(([, day]) => isNeeded(day)));
  return delivered.size < bookmark.delivered.size ? { ...bookmark, delivered, knownSince: laterDay(needed, knownSince) } : bookmark;
}

/** The next run delivers everything from `day` on again, but for what `waits`. */
export function resetTo(bookmark: Bookmark, day: string, waits: (id: string) => boolean): Bookmark {
  const { newest, knownSince = firstDay, gaps, again, delivered } = bookmark;
  const from = { from: day, to: lastDay };
  // A run from an earlier newest reads `day` anyway. If it started at `day`, nobody would ever read the days between.
  const isAhead = newest !== undefined && newest < day;
  // What was delivered before `day` is known, so that late signals are looked for there as by any run.
  const start = isAhead ? {} : { newest: addDays(day, -1), ...(knownSince > day && { knownSince: day, lookBackFrom: undefined }) };
  const known = new Map([...delivered].filter(([id, of]) => of < day || waits(id)));
  // What will be found again comes before what is left, as it did before; how much that is, is forgotten of early days.
  const foundAgain = knownSince > day ? Number.POSITIVE_INFINITY : delivered.size - known.size;
  const placed = (left: Unread): readonly Unread[] =>
    outside(left, from).map((days) => ({ ...days, at: Math.max(0, days.at - foundAgain) }));
  return { ...bookmark, ...start, gaps: gaps.flatMap(placed), again: again.flatMap(placed), delivered: known };
}
