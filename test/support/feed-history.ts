/** A feed whose signals arrive day by day, some late and some dated in the future, as an origin serves it. */
import { addDays } from '../../src/rows/days.ts';
import type { Answer } from './origin.ts';
import { feedPage } from './records.ts';

interface Arrived {
  readonly signal_id: string;
  readonly signal_date: string;
}

export class FeedHistory {
  today: string;
  /** Newest first, as the service has it. */
  private signals: readonly Arrived[] = [];
  private count = 0;

  constructor(
    readonly random: () => number,
    firstDay: string,
    private readonly latest: number,
  ) {
    this.today = firstDay;
  }

  /** Lets signals arrive that are dated up to so many days before today; a few are dated in the future. */
  arrive(count: number, late = this.latest): void {
    const arrived = Array.from({ length: count }, (): Arrived => {
      const days = this.random() < 0.03 ? Math.floor(this.random() * 400) : -Math.floor(this.random() ** 3 * (late + 1));
      this.count += 1;
      return { signal_id: `s${this.count}`, signal_date: addDays(this.today, days) };
    });
    this.signals = [...arrived, ...this.signals].sort((one, other) => other.signal_date.localeCompare(one.signal_date));
  }

  get ids(): readonly string[] {
    return this.signals.map(({ signal_id }) => signal_id);
  }

  dayOf(id: string): string {
    return this.signals.find(({ signal_id }) => signal_id === id)?.signal_date ?? '';
  }

  /** Pages that hold something, of the signals from a day on. */
  pagesFrom(day: string, limit: number): number {
    return Math.ceil(this.signals.filter(({ signal_date }) => signal_date >= day).length / limit);
  }

  answer(path: string): Answer {
    return { text: JSON.stringify(feedPage(path, this.signals)) };
  }
}
