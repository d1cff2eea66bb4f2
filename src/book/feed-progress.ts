/** What a run of `feed --since-last` asks, and how its bookmark moves: what is new, what earlier runs left, and days that may have grown. */
import {
  addDays,
  type DayRange,
  earlierDay,
  firstDay,
  isWithin,
  lastDay,
  laterDay,
} from '../rows/days.ts';
import {
  type Bookmark,
  begun,
  daysToCount,
  type FeedQuestion,
  type Gap,
  hasDelivered,
  inside,
  type WritableBookmark,
  withoutOlder,
} from './bookmark.ts';
import {
  type DatedRecord,
  isOf,
  NumberedPages,
  type PageQuestion,
  type Questions,
  type Walk,
  withoutDay,
} from './day-pages.ts';

/** What became of a day that was counted again. */
interface Counted {
  readonly days: DayRange;
  found: number;
  pages: number;
}

/** Follows a run through the pages that it asks, and tells how the bookmark moves. */
export class FeedProgress implements Walk {
  readonly counted: Counted[] = [];
  readonly cost = { calls_new: 0, calls_look_back: 0 };
  private readonly moved: WritableBookmark;
  private readonly isFirst: boolean;
  /** The days of the reads that ended, and whether one of them ended at what is known. */
  private readonly readDays = new Map<string, boolean>();
  private parts: Gap[];
  private reading: NumberedPages | undefined;
  private lookingBack: Counted | undefined;
  private endsKnown = false;
  private readonly readings: NumberedPages[] = [];

  constructor(
    before: Bookmark,
    private readonly question: FeedQuestion,
  ) {
    this.moved = {
      ...begun(before, question),
      counted: { ...before.counted },
      delivered: new Map(before.delivered),
    };
    this.isFirst = !hasDelivered(before);
    this.parts = this.planned();
  }

  has(id: string): boolean {
    return this.moved.delivered.has(id);
  }

  get missing(): number {
    return this.readings.reduce((sum, { missing }) => sum + missing, 0);
  }

  get late(): number {
    return this.counted.reduce((sum, { found }) => sum + found, 0);
  }

  /** The service gives pages of this length, whatever `limit` says. */
  get ownLength(): number | undefined {
    return this.moved.pageLength || undefined;
  }

  *questions(): Questions {
    const asked = this.turns();
    let step = asked.next();
    while (step.done !== true) {
      const records = yield step.value;
      this.take(step.value, records);
      step = asked.next(records);
    }
  }

  /** A later run can go on where this one ended; otherwise it begins with the first page. */
  get inOrder(): boolean {
    return this.question.newestFirst && this.readings.every(({ inOrder }) => inOrder);
  }

  get hasGaps(): boolean {
    return this.next().gaps.length > 0;
  }

  /** The same days reach nothing of what is left. */
  get isLeftLater(): boolean {
    return this.next().gaps.every((left) => inside(left, this.wanted).length === 0);
  }

  next(): Bookmark {
    const { moved, parts, cost, reading } = this;
    if (moved.cost !== cost) return moved;
    const left = parts.map((part, at) =>
      at === 0 && reading !== undefined ? this.leftOf(part, reading) : part,
    );
    return withoutOlder({ ...moved, gaps: [...left, ...this.later] });
  }

  private *turns(): Questions {
    yield* this.tryLimit();
    while (this.parts.length > 0) yield* this.fill();
    // A first run ended at no known signal, and its days are counted once they are a week old.
    if (this.later.length > 0 || this.isFirst) return;
    const checked =
      this.ownLength === undefined
        ? [...this.readDays.keys()].filter((day) => this.readDays.get(day)).sort()
        : [];
    for (const day of checked) {
      const days = { from: day, to: day };
      if (hasAny(days, yield this.count(days))) yield* this.fill({ ...days, read: 0, kind: 'day' });
    }
    yield* this.lookBack(new Set(this.ownLength === undefined ? checked : this.readDays.keys()));
  }

  /** Each day is counted by a page that is empty, and free, unless the day has grown. */
  private *lookBack(checked: ReadonlySet<string>): Questions {
    const { lookBack, today } = this.question;
    const due = daysToCount(this.next(), lookBack);
    if (due === undefined || lookBack === 0) return;
    const last = [due.to, addDays(today, -lookBack)].reduce(earlierDay, this.wanted.to);
    const { moved } = this;
    const { counted, countedOn = today, delivered } = moved;
    const recent = counted[lookBack] ?? lastDay;
    // On the day when it was so old, more may have come after it was counted.
    const again = addDays(recent, lookBack) === countedOn ? recent : undefined;
    const seen = new Set(delivered.values());
    for (let from = again ?? due.from, to = from; from <= last; from = to = addDays(to, 1)) {
      // Days of which nothing was seen are one question.
      while (from !== again && !seen.has(from) && to < last && !seen.has(addDays(to, 1)))
        to = addDays(to, 1);
      const days = { from, to };
      const one: Counted = { days, found: 0, pages: 0 };
      this.lookingBack = one;
      const isRead = seen.has(from) && this.ownLength !== undefined;
      const isGrown = !checked.has(from) && (isRead || hasAny(days, yield this.count(days)));
      counted[lookBack] = to;
      moved.countedOn = today;
      if (isGrown || from !== again) this.counted.push(one);
      if (isGrown) yield* this.fill({ ...days, read: 0, kind: 'late' });
      // What reading does not find, it does not find by the hour either.
      if (isGrown && one.found === 0) moved.countedOn = firstDay;
      this.lookingBack = undefined;
    }
  }

  private count(days: DayRange): PageQuestion {
    return {
      days,
      page: [...this.moved.delivered.values()].filter((day) => isWithin(day, days)).length,
      limit: 1,
      isExtra: true,
    };
  }

  private *fill(added?: Gap): Questions {
    if (added !== undefined) this.parts.unshift(added);
    const [part] = this.parts;
    if (part === undefined) return;
    if (part.kind === 'late' && this.lookingBack === undefined) {
      this.lookingBack = { days: part, found: 0, pages: 0 };
      this.counted.push(this.lookingBack);
    }
    const { limit, newestFirst } = this.question;
    const length = this.ownLength ?? limit;
    const page = Math.floor(part.read / length);
    const reading = new NumberedPages({
      limit,
      days: part,
      page,
      read: page * length,
      isByDay: newestFirst,
    });
    this.reading = reading;
    this.readings.push(reading);
    yield* reading.pages((records) => reading.inOrder && this.isEnd(part, records));
    this.parts.shift();
    this.reading = undefined;
    this.lookingBack = undefined;
    const isNew = part.kind === 'new';
    for (const day of [...(isNew ? [part.from] : []), ...reading.met.values()])
      if (day !== withoutDay) this.readDays.set(day, isNew || this.readDays.get(day) === true);
    yield* reading.doubtful();
  }

  private isEnd(part: Gap, records: readonly DatedRecord[]): boolean {
    const last = records.at(-1)?.day ?? lastDay;
    return (
      this.question.newestFirst &&
      (last < part.from || (part.kind === 'new' && this.endsKnown && last === part.from))
    );
  }

  /**
   * Where the service ignores `limit`, an empty page proves nothing. A first page with a limit below what is known to be there tells,
   * and is often enough.
   */
  private *tryLimit(): Questions {
    const [look] = this.parts;
    const { moved } = this;
    const { knownSince = firstDay, delivered } = moved;
    const known = [...delivered.values()]
      .filter((day) => day !== withoutDay && day >= knownSince)
      .sort((one, other) => (one < other ? 1 : -1));
    const limit = Math.min(this.question.limit, known.length, ownLength) - 1;
    const from = known[limit];
    if (
      look?.to !== lastDay ||
      look.kind !== 'new' ||
      moved.pageLength !== undefined ||
      limit < 1 ||
      from === undefined
    )
      return;
    const reading = new NumberedPages({
      limit,
      days: { ...look, from: earlierDay(from, look.from) },
    });
    yield* reading.pages((records) => {
      moved.pageLength ??= records.length === limit ? 0 : undefined;
      const isEnough = records.length < limit || (reading.inOrder && this.isEnd(look, records));
      if (isEnough) this.readDays.set(this.parts.shift()?.from ?? look.from, true);
      return true;
    });
  }

  private take({ days, limit = 0 }: PageQuestion, records: readonly DatedRecord[]): void {
    const { moved, cost, lookingBack } = this;
    moved.cost = cost;
    if (records.length > limit) moved.pageLength = Math.max(records.length, ownLength);
    if (records.length > 0) {
      cost[lookingBack === undefined ? 'calls_new' : 'calls_look_back'] += 1;
      if (lookingBack !== undefined) lookingBack.pages += 1;
    }
    this.endsKnown = this.has(records.at(-1)?.id ?? '');
    for (const record of records) if (isOf(days, record)) this.takeOne(record);
  }

  private takeOne({ id, day }: DatedRecord): void {
    const { moved } = this;
    const knownDay = moved.delivered.get(id);
    // A signal may be dated anew: it is known as long as a run may meet it under its later day.
    if (id !== '') moved.delivered.set(id, laterDay(knownDay ?? firstDay, day));
    if (knownDay !== undefined) return;
    if (this.lookingBack !== undefined) this.lookingBack.found += 1;
    if (day === withoutDay) return;
    const known = earlierDay(day, this.question.today);
    moved.newest = laterDay(moved.newest ?? firstDay, known);
    // What came since the last run stands before what earlier runs left.
    this.parts = this.parts.map((part, at) =>
      (at > 0 || this.reading === undefined) && part.read > 0 && part.to === day
        ? { ...part, read: part.read + 1 }
        : part,
    );
  }

  private planned(): Gap[] {
    const { question, isFirst } = this;
    const { newest = firstDay, knownSince = firstDay, gaps } = this.moved;
    const kind = isFirst ? 'day' : 'new';
    const look: Gap = {
      from: laterDay(earlierDay(newest, question.today), knownSince),
      to: lastDay,
      read: 0,
      kind,
    };
    // A run that may make one call must come further with it, so it does not look at known days.
    const isIdle =
      gaps.some(({ to }) => to === lastDay) || (gaps.length > 0 && question.callsLeft === 1);
    return [...(isIdle ? [] : [look]), ...gaps].flatMap((part) => inside(part, this.wanted));
  }

  private get wanted(): DayRange {
    return { from: firstDay, to: this.question.before ?? lastDay };
  }

  /** What is left of later days than this run asks for. */
  private get later(): readonly Gap[] {
    const { to } = this.wanted;
    const gaps =
      to === lastDay
        ? []
        : this.moved.gaps.flatMap((gap) => inside(gap, { from: addDays(to, 1), to: lastDay }));
    return gaps.map((gap) => ({ ...gap, kind: gap.kind === 'late' ? 'late' : 'day' }));
  }

  /** Another run begins anew where the order is not known. */
  private leftOf(part: Gap, { inOrder, place: { day, read } }: NumberedPages): Gap {
    return !inOrder || !this.question.newestFirst ? part : { ...part, to: day, read };
  }
}

/** Where the service ignores the days that it is asked for, nothing tells that a day has grown. */
const hasAny = (days: DayRange, records: readonly DatedRecord[]): boolean =>
  records.some(({ day }) => isWithin(day, days));

/** The service's own length of a page, as documented. */
const ownLength = 50;
