/** Counts how often each name occurs, in bounded memory. */
import { cleanLine } from '../clean.ts';
import type { Bar } from './bars.ts';

/** The service may send any number of names of any length, so both are limited. */
const maxNames = 1000;
const maxNameLength = 80;

const rest = 'others';

const byCount = (one: Bar, other: Bar): number => other.count - one.count || (one.label < other.label ? -1 : 1);

export class NameCounts {
  private readonly byName = new Map<string, number>();
  private beyond = 0;

  constructor(private readonly absent: string) {}

  add(name: unknown): void {
    const label = (typeof name === 'string' ? cleanLine(name.slice(0, maxNameLength)) : '') || this.absent;
    const before = this.byName.get(label);
    if (before === undefined && this.byName.size >= maxNames) this.beyond += 1;
    else this.byName.set(label, (before ?? 0) + 1);
  }

  bars(most: number): readonly Bar[] {
    const all = Array.from(this.byName, ([label, count]) => ({ label, count })).toSorted(byCount);
    if (all.length <= most && this.beyond === 0) return all;
    const left = all.slice(most - 1).reduce((sum, { count }) => sum + count, this.beyond);
    return [...all.slice(0, most - 1), { label: rest, count: left }];
  }
}
