/** A feed whose signals arrive and go, as a service serves it: in some order within a day, and with habits of its own. It counts what it bills. */
import { addDays } from '../../src/rows/days.ts';

export interface Served {
  readonly signal_id: string;
  readonly signal_date: string;
}

export interface AskedOfFeed {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/** What a request of the feed asks for. */
export function askedIn(path: string): AskedOfFeed {
  const asked = new URL(path, 'http://x').searchParams;
  const day = (name: string) => asked.get(`signal_date_${name}`) ?? undefined;
  return {
    after: day('after'),
    before: day('before'),
    page: Number(asked.get('page')),
    limit: Number(asked.get('limit') ?? 50),
  };
}

/** Newest first always by day; within a day as given, in another order that stays, or in one that each request or page size draws anew. */
export type OrderOfDay = 'newest first' | 'any' | 'by request' | 'top N' | 'mixed days';

const scattered = (text: string): number => {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
};

export class DrawnFeed {
  today: string;
  ignoresDays = false;
  /** The service's own length of a page. */
  ignoresLimit: number | undefined;
  order: OrderOfDay = 'newest first';
  billed = 0;
  free = 0;
  /** By day; within a day in the order of arrival, the newest first. */
  private readonly days = new Map<string, Served[]>();
  private count = 0;
  private requests = 0;

  constructor(
    private readonly random: () => number,
    firstDay: string,
  ) {
    this.today = firstDay;
  }

  /** A whole number from `least` to `most`. */
  draw(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  arrive(count: number, day: string): void {
    const ofDay = this.days.get(day) ?? [];
    for (let one = 0; one < count; one += 1) {
      this.count += 1;
      ofDay.unshift({ signal_id: `s${this.count}`, signal_date: day });
    }
    this.days.set(day, ofDay);
  }

  /** Late by some days, or of today. */
  trickle(most: number, late: number): void {
    for (let left = this.draw(0, most); left > 0; left -= 1)
      this.arrive(1, addDays(this.today, -this.draw(0, late)));
  }

  /** The service gives the signals of one day another day. */
  redate(from: string, to: string): void {
    const moved = (this.days.get(from) ?? []).map((signal) => ({ ...signal, signal_date: to }));
    this.days.delete(from);
    this.days.set(to, [...moved, ...(this.days.get(to) ?? [])]);
  }

  /** Gives the signal that is gone; the first of the day where no place is named. */
  remove(day: string, place = 0): Served | undefined {
    return this.days.get(day)?.splice(place, 1)[0];
  }

  get signals(): readonly Served[] {
    return [...this.days]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .flatMap(([, ofDay]) => ofDay);
  }

  page({ after = '', before = '9999', page, limit: asked }: AskedOfFeed): readonly Served[] {
    const limit = this.ignoresLimit ?? asked;
    this.requests += 1;
    const salt = {
      'newest first': '',
      any: 'any',
      'mixed days': 'mixed',
      'by request': `${this.requests}`,
      'top N': `${page} ${limit}`,
    }[this.order];
    const mixed = (signals: readonly Served[]) => {
      const places = new Map(
        signals.map((signal) => [signal, scattered(`${signal.signal_id}${salt}`)]),
      );
      return salt === ''
        ? signals
        : signals.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    };
    const days = [...this.days]
      .filter(([day]) => this.ignoresDays || (after <= day && day <= before))
      .sort(([one], [other]) => (one < other ? 1 : -1));
    const lists =
      this.order === 'mixed days'
        ? [days.flatMap(([, ofDay]) => ofDay)]
        : days.map(([, ofDay]) => ofDay);
    const found: Served[] = [];
    let passed = page * limit;
    for (const list of lists) {
      if (passed < list.length && found.length < limit)
        found.push(...mixed(list).slice(passed, passed + limit - found.length));
      passed = Math.max(0, passed - list.length);
    }
    if (found.length > 0) this.billed += 1;
    else this.free += 1;
    return found;
  }
}
