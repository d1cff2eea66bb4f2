/** One read of a list: numbered pages of one limit within fixed days, until one is short. What comes twice tells of an order that changes. */
import { PdiError } from '../errors.ts';
import { type DayRange, isWithin, lastDay } from '../rows/days.ts';

export interface DatedRecord {
  /** Empty for a record without one: nobody can tell it from another. */
  readonly id: string;
  readonly day: string;
}

/** Of a record without a day, which any days may bring. */
export const withoutDay = lastDay;

export const isOf = (days: DayRange | undefined, { day }: DatedRecord): boolean =>
  days === undefined || day === withoutDay || isWithin(day, days);

export interface PageQuestion {
  /** Without them they are those of the run. */
  readonly days?: DayRange | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  /** Nothing is missing where cap or budget leave no room for it. */
  readonly isExtra?: true;
  /** Nothing is asked: the read ends so. */
  readonly failure?: PdiError;
}

/** Yields a question, and is given the records of the answer. */
export type Questions = Generator<PageQuestion, void, readonly DatedRecord[]>;

export interface Walk {
  questions(): Questions;
  /** So many records may be missing, because as many came twice. */
  readonly missing?: number;
}

/** After so many full pages in a row without a new record a read ends: no list shifts so far, and each page may be billed. */
const maxStale = 10;

export interface ReadOptions {
  readonly limit: number;
  readonly days?: DayRange | undefined;
  readonly page?: number | undefined;
  /** So many records come before that page. */
  readonly read?: number;
  /** How many records a page holds at least, unless it is the last. */
  readonly fullPage?: (longest: number) => number;
  /** Otherwise nobody knows which days to ask again. */
  readonly isByDay?: boolean;
}

export class NumberedPages implements Walk {
  /** The days came newest first. */
  inOrder = true;
  /** The day of the last record, and how many of that day come no later in the list; a part of them may be of an earlier read. */
  place: { readonly day: string; readonly read: number };
  readonly met = new Map<string, string>();
  private readonly twice = new Map<string, number>();
  private before: readonly DatedRecord[] = [];
  private newest: string | undefined;
  private page: number;
  private longest = 0;

  constructor(private readonly options: ReadOptions) {
    this.page = options.page ?? 0;
    this.place = { day: options.days?.to ?? lastDay, read: options.read ?? 0 };
  }

  get missing(): number {
    return [...this.twice.values()].reduce((sum, count) => sum + count, 0);
  }

  *questions(): Questions {
    yield* this.pages();
    yield* this.doubtful();
  }

  /** `isEnd` sees each page, and tells whether no more are needed. */
  *pages(isEnd = (_records: readonly DatedRecord[]): boolean => false): Questions {
    const { limit, days, fullPage = () => limit } = this.options;
    for (let stale = 0; stale < maxStale; ) {
      const records = yield { days, page: this.page, limit };
      const { size } = this.met;
      this.note(records);
      this.page += 1;
      this.longest = Math.max(this.longest, records.length);
      stale = this.met.size > size || records.some(({ id }) => id === '') ? 0 : stale + 1;
      if (isEnd(records) || records.length < fullPage(this.longest)) return;
    }
    yield { failure: goesInCircles() };
  }

  /** Reads each day of which records came twice alone, where it fits a page, and so comes whole. */
  *doubtful(): Questions {
    const { limit } = this.options;
    for (const [day, count] of this.options.isByDay === true ? [...this.twice] : []) {
      const days = { from: day, to: day };
      const found = [...this.met.values()].filter((of) => of === day).length;
      const isSure = count > 0 || (yield { days, page: found, limit: 1 }).length > 0;
      if (isSure) this.twice.set(day, Math.max(count, 1));
      if (isSure && found + Math.max(count, 1) > limit) continue;
      if (isSure) yield* new NumberedPages({ limit, days }).pages();
      this.twice.delete(day);
    }
  }

  private note(records: readonly DatedRecord[]): void {
    const again = records.filter(({ id }) => this.met.has(id));
    // What came meanwhile moves the end of a page to the next one. Of the newest day nobody can count whether that is all.
    const isShift = again.every(
      (record, at) => record === records[at] && record.id === this.before.at(at - again.length)?.id,
    );
    for (const { day } of again)
      if (day !== withoutDay && !(isShift && day === this.newest))
        this.twice.set(day, (this.twice.get(day) ?? 0) + (isShift ? 0 : 1));
    for (const record of records) {
      const { id, day } = record;
      if (id !== '') this.met.set(id, day);
      if (!isOf(this.options.days, record)) continue;
      if (day !== withoutDay) this.newest ??= day;
      const { place } = this;
      if (day === withoutDay || day > place.day) this.inOrder = false;
      this.place = { day, read: day === place.day ? place.read + 1 : 1 };
    }
    this.before = records;
  }
}

const goesInCircles = (): PdiError =>
  new PdiError(
    'unavailable',
    `${maxStale} full pages in a row held only records of earlier pages`,
    {
      retryable: false,
      hint: 'the service seems to give the same page again and again; report it to the service',
    },
  );
