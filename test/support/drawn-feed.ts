/** A feed whose signals arrive and go, as a service serves it that may ignore the days that it is asked for. */
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

export class DrawnFeed {
  today: string;
  ignoresDays = false;
  /** By day; within a day in the service's order. */
  private readonly days = new Map<string, Served[]>();
  private count = 0;

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

  /** Signals of one day arrive together, anywhere among those of the day. */
  arrive(count: number, day: string): void {
    const ofDay = this.days.get(day) ?? [];
    for (let one = 0; one < count; one += 1) {
      this.count += 1;
      ofDay.splice(this.draw(0, ofDay.length), 0, { signal_id: `s${this.count}`, signal_date: day });
    }
    this.days.set(day, ofDay);
  }

  /** Late by some days, or of today. */
  trickle(most: number, late: number): void {
    for (let left = this.draw(0, most); left > 0; left -= 1) this.arrive(1, addDays(this.today, -this.draw(0, late)));
  }

  /** The service gives the signals of one day another day. */
  redate(from: string, to: string): void {
    const moved = (this.days.get(from) ?? []).map((signal) => ({ ...signal, signal_date: to }));
    this.days.delete(from);
    this.days.set(to, [...moved, ...(this.days.get(to) ?? [])]);
  }

  remove(most: number): void {
    const all = [...this.days.values()].filter((ofDay) => ofDay.length > 0);
    for (let left = this.draw(0, most); left > 0 && all.length > 0; left -= 1) {
      const ofDay = all[this.draw(0, all.length - 1)];
      ofDay?.splice(this.draw(0, ofDay.length - 1), 1);
    }
  }

  private get newestFirst(): readonly (readonly [day: string, signals: readonly Served[]])[] {
    return [...this.days].sort(([one], [other]) => (one < other ? 1 : -1));
  }

  get signals(): readonly Served[] {
    return this.newestFirst.flatMap(([, ofDay]) => ofDay);
  }

  page({ after = '', before = '9999', page, limit }: AskedOfFeed): readonly Served[] {
    const found: Served[] = [];
    let passed = page * limit;
    for (const [day, ofDay] of this.newestFirst) {
      if (!this.ignoresDays && (day < after || day > before)) continue;
      found.push(...ofDay.slice(passed, passed + limit - found.length));
      passed = Math.max(0, passed - ofDay.length);
    }
    return found;
  }
}
