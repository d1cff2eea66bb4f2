/** What all invented records are drawn from. They are made by their numbers, from 1, when they are asked for; only their indexes are kept. */
import { memoize } from '../../rows/memoize.ts';

/** The numbers of the records that have a key. */
type Index<K> = (key: K) => readonly number[];

/** Equal seeds and totals give equal records. */
export interface Draws {
  readonly seed: number;
  readonly total: Readonly<Record<'people' | 'companies' | 'investors' | 'signals', number>>;
}

export interface Data extends Draws {
  /** The places of the signals about a person, about a company, or by an investor, each by its number. */
  readonly signalsOf: Readonly<Record<'people' | 'companies' | 'investors', Index<number>>>;
  readonly investorsBy: Readonly<Record<'name' | 'website', Index<string>>>;
}

/** Finds records by what `keysOf` says of their numbers. The index is built on first use, because most runs never ask. */
export function indexed<K>(numbers: readonly number[], keysOf: (number: number) => readonly K[]): Index<K> {
  const index = memoize(() => {
    const built = new Map<K, number[]>();
    for (const number of numbers) {
      for (const key of keysOf(number)) {
        const found = built.get(key);
        if (found === undefined) built.set(key, [number]);
        else found.push(number);
      }
    }
    return built;
  });
  return (key) => index().get(key) ?? [];
}

/** The calendar of the records stands still, so that the same seed gives the same bytes on every day. */
const lastDayStart = Date.parse('2026-06-30T00:00:00Z');

const dayLength = 86_400_000;

/** Signals reach this many days back, including the last day. */
export const signalDays = 120;

export const dateAgo = (days: number): string => new Date(lastDayStart - days * dayLength).toISOString().slice(0, 10);

export const momentAgo = (days: number, hour: number): string => new Date(lastDayStart - days * dayLength + hour * 3_600_000).toISOString();

/** Returns whole days from a `YYYY-MM-DD` to the last day; a later date gives a negative number. */
export const daysSince = (date: string): number => Math.round((lastDayStart - Date.parse(`${date}T00:00:00Z`)) / dayLength);
