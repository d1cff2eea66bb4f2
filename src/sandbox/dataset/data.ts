/** What all invented records are drawn from. They are made by their numbers, from 1, when they are asked for; only their indexes are kept. */
import { memoize } from '../../rows/memoize.ts';

/** The numbers of the records that have a key. */
type Index<K> = (key: K) => readonly number[];

/** Equal seeds and totals give equal records. */
export interface Data {
  readonly seed: number;
  readonly total: Readonly<Record<'people' | 'companies' | 'investors' | 'signals', number>>;
  /** The places of the signals about a person, about a company, or by an investor, each by its number. */
  readonly signalsOf: Readonly<Record<'people' | 'companies' | 'investors', Index<number>>>;
  readonly investorsBy: { readonly name: Index<string>; readonly domain: Index<string | null> };
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
