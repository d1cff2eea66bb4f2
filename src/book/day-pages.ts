/** Pages of days, newest first: each begins at a day or with a record read before, so what changes in between costs no other record. */
import { type DayRange, isWithin, lastDay } from '../rows/days.ts';

/** What is left of a range: the first `read` records of its last day have been read. */
export interface Unread extends DayRange {
  readonly read: number;
  /** So many records of the whole list come before; a service that ignores days is asked by this place. */
  readonly at: number;
}

export const unreadDays = (days: DayRange): Unread => ({ ...days, read: 0, at: 0 });

export interface DatedRecord {
  readonly id: string;
  readonly day: string | undefined;
}

interface PageQuestion {
  readonly days: DayRange;
  readonly page: number;
  readonly limit: number;
}

/** The first `read` records up to day `to` have been read. */
interface Anchor {
  readonly to: string;
  readonly read: number;
}

interface PageChoice {
  readonly anchor: Anchor;
  readonly page: number;
  readonly limit: number;
  /** The page begins with a record that was read before. */
  readonly overlaps: boolean;
}

/** `by number`: the order is not known; `as one`: the service ignores the last day that it is asked for. */
type Mode = 'by day' | 'as one' | 'by number';

/** After so many more pages that began elsewhere than they should than pages that did not, no order is relied on. */
const maxSlips = 8;

export class DayPages {
  private anchors: readonly Anchor[];
  private asked: PageChoice | undefined;
  private advanced = 0;
  private day: string;
  private ofDay: number;
  private readonly seen = new Set<string>();
  /** Pages that began too far below: unread records may come between them and what was read. */
  private beyond: readonly ReadonlySet<string>[] = [];
  private slips = 0;
  private step: number;
  inOrder: boolean;

  /** `isKnown` tells whether an earlier run has read a record. `isEnd` sees each page, and tells whether no more are needed. */
  constructor(
    readonly range: Unread,
    private readonly limit: number,
    private readonly isKnown: (id: string) => boolean = () => false,
    private mode: Mode = 'by day',
    private readonly isEnd = (_records: readonly DatedRecord[], isLast: boolean): boolean => isLast,
  ) {
    this.inOrder = mode !== 'by number';
    [this.day, this.ofDay] = [range.to, range.read];
    this.anchors = [{ to: range.to, read: range.read }];
    this.step = Math.ceil(limit / 2);
  }

  get ignoresDays(): boolean {
    return this.mode === 'as one';
  }

  get position(): number {
    return this.range.read + this.advanced;
  }

  question(): PageQuestion {
    this.asked = this.choice();
    const { anchor, page, limit } = this.asked;
    const days = { from: this.range.from, to: this.mode === 'as one' ? lastDay : anchor.to };
    return { days, page, limit };
  }

  isAsked({ day }: DatedRecord): boolean {
    return day === undefined || isWithin(day, this.range);
  }

  note(records: readonly DatedRecord[]): boolean {
    const { asked } = this;
    if (asked === undefined) throw new Error('an answer without a question');
    const { beyond } = this;
    const isLast = this.takePage(asked, records);
    if (this.beyond === beyond) this.join(records.map(({ id }) => id));
    return this.isEnd(records, isLast);
  }

  private takePage(asked: PageChoice, records: readonly DatedRecord[]): boolean {
    const { anchor, page, limit } = asked;
    const isShort = records.length < limit;
    const end = page * limit + records.length;
    if (!isNewestFirst(records)) this.disorder();
    if (records.length > limit) {
      this.numberFrom(asked, records);
      return false;
    }
    if (this.mode === 'by number') {
      this.moveTo(anchor, records, end);
      return isShort;
    }
    if (this.mode === 'by day' && records.some(({ day = '' }) => day > anchor.to)) {
      this.mode = 'as one';
      return isShort && page === 0;
    }
    if (asked.overlaps && !this.isRead(records[0])) {
      this.stepBack(records);
      return false;
    }
    this.moveTo(anchor, records, end);
    return isShort || (records.at(-1)?.day ?? lastDay) < this.range.from;
  }

  /** For another run, which begins anew where the order is not known. */
  get left(): Unread {
    const { range, day, ofDay, advanced } = this;
    if (!this.inOrder) return range;
    return { from: range.from, to: day, read: ofDay, at: range.at + advanced };
  }

  private choice(): PageChoice {
    const { limit } = this;
    const whole = { to: this.range.to, read: this.position };
    if (this.mode === 'by number') return { anchor: whole, page: Math.floor(whole.read / limit), limit, overlaps: false };
    const anchors = this.mode === 'as one' ? [{ to: lastDay, read: this.range.at + this.advanced }] : this.anchors;
    const [best] = anchors.map((anchor) => overlapping(anchor, limit)).sort((one, other) => gainOf(other) - gainOf(one));
    if (best !== undefined && gainOf(best) > 0) return best;
    const [anchor = whole] = anchors;
    return { anchor, page: Math.floor(anchor.read / limit), limit, overlaps: false };
  }

  private isRead(record: DatedRecord | undefined): boolean {
    if (record === undefined) return false;
    const { id, day = '' } = record;
    if (this.seen.has(id) || day > this.day) return true;
    // What an earlier run has read tells where this range was left, but days that are read anew are full of it.
    return this.range.read > 0 && this.isKnown(id) && !this.beyond.some((page) => page.has(id));
  }

  /** Where one of these records is on a page beyond, nothing before that page is unread any more. */
  private join(ids: readonly string[]): void {
    for (const id of ids) this.seen.add(id);
    const joined = this.beyond.find((page) => ids.some((id) => page.has(id)));
    if (joined === undefined) return;
    this.beyond = this.beyond.filter((page) => page !== joined);
    this.join([...joined]);
  }

  private disorder(): void {
    this.mode = 'by number';
    this.inOrder = false;
  }

  /** Records were deleted, so the page began too far below; the day itself is a safe place to begin. */
  private stepBack(records: readonly DatedRecord[]): void {
    this.beyond = [...this.beyond, new Set(records.map(({ id }) => id))];
    this.slips += 1;
    if (this.slips > maxSlips) this.disorder();
    const back = this.mode === 'as one' ? Math.min(this.step, this.range.at + this.advanced) : Math.min(this.step, this.ofDay);
    this.ofDay = Math.max(0, this.ofDay - back);
    this.advanced -= back;
    this.anchors = [{ to: this.day, read: this.ofDay }];
    this.step *= 2;
  }

  private moveTo(anchor: Anchor, records: readonly DatedRecord[], end: number): void {
    const gained = Math.max(0, end - anchor.read);
    this.slips = Math.max(0, this.slips - 1);
    this.advanced += gained;
    this.step = Math.ceil(this.limit / 2);
    const last = records.at(-1)?.day;
    if (last === undefined || last > this.range.to) return;
    const begins = records.flatMap(({ day }, at) => (at > 0 && day !== undefined && day !== records[at - 1]?.day ? [{ day, at }] : []));
    const ofPage = begins.map(({ day, at }) => ({ to: day, read: records.length - at }));
    const counted = last === this.day ? this.ofDay + gained : records.length;
    this.ofDay = anchor.to === last ? end : (ofPage.at(-1)?.read ?? counted);
    this.day = last;
    // Of the days that begin on the page, the first and the last bring the most.
    this.anchors = [{ to: anchor.to, read: end }, ...ofPage.slice(0, 1), ...ofPage.slice(-1)];
  }

  /** The service ignores `limit`, so its pages are as long as they are, and the next is the one with the next number. */
  private numberFrom({ anchor, page }: PageChoice, records: readonly DatedRecord[]): void {
    const { limit } = this;
    this.mode = 'by number';
    const joins = anchor.to === this.range.to && page * limit <= anchor.read;
    if (joins) this.moveTo(anchor, records, (page + 1) * limit);
  }
}

/** The page that begins at the last record that was read, or a little before, and brings the most. */
function overlapping(anchor: Anchor, most: number): PageChoice {
  const choices = Array.from({ length: most }, (_, at): PageChoice => {
    const limit = most - at;
    return { anchor, limit, page: Math.floor(Math.max(0, anchor.read - 1) / limit), overlaps: anchor.read > 0 };
  });
  const best = choices.reduce((one, other) => (gainOf(other) > gainOf(one) ? other : one));
  return { ...best, overlaps: best.page > 0 };
}

const gainOf = ({ anchor, page, limit }: PageChoice): number => (page + 1) * limit - anchor.read;

function isNewestFirst(records: readonly DatedRecord[]): boolean {
  return records.every(({ day }, at) => day !== undefined && (at === 0 || day <= (records[at - 1]?.day ?? day)));
}
