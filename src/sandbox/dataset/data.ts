/** What all invented records are made of: a seed and how many there are, their identifiers, and a calendar that stands still. */
import { ExactNumber } from '../../json/exact.ts';
import { memoize } from '../../rows/memoize.ts';

type Index<K> = (key: K) => readonly number[];

/** Equal seeds and totals give equal records. */
export interface Draws {
  readonly seed: number;
  readonly total: Readonly<Record<'people' | 'companies' | 'investors' | 'signals', number>>;
}

export interface Data extends Draws {
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

/** Identifiers are made from the number of a record, and give the number back, so a look-up by id needs no index. */
function formOf(prefix: string, digitsOf: (number: number) => string, digits: RegExp, radix: number) {
  return {
    make: (number: number): string => prefix + digitsOf(number),
    read(text: string): number | undefined {
      const rest = text.startsWith(prefix) ? text.slice(prefix.length) : '';
      return digits.test(rest) ? Number.parseInt(rest, radix) : undefined;
    },
  };
}

const numbered = (prefix: string) => formOf(prefix, String, /^[1-9]\d{0,8}$/, 10);

/** Makes UUIDs of version 4: the first group is the kind, the last is the number in hexadecimal. */
const uuidForm = (kind: string) =>
  formOf(`${kind}-0000-4000-8000-`, (number) => number.toString(16).padStart(12, '0'), /^[0-9a-f]{12}$/, 16);

const firstMember = 700_000_000;

/** A double cannot tell these member ids from their neighbours: person 2 has 2^53 - 1 and person 3 has 2^53 + 1, and neither an ordinary one. */
const largeMembers = new Map<number, number | ExactNumber>([
  [2, Number.MAX_SAFE_INTEGER],
  [3, new ExactNumber('9007199254740993')],
]);

const memberIdOf = (number: number): number | ExactNumber => largeMembers.get(number) ?? firstMember + number;

const memberIds = {
  make: memberIdOf,
  read: (id: number | ExactNumber): number | undefined =>
    [...largeMembers.keys(), Number(id) - firstMember].find((number) => String(memberIdOf(number)) === String(id)),
};

export const ids = {
  people: numbered('per_sample'),
  companies: numbered('company-'),
  investors: numbered('inv_sample'),
  users: numbered('user-sample-'),
  urns: numbered('urn:profnet:member:S'),
  members: memberIds,
  signals: uuidForm('51960a10'),
  /** No documented operation reads talent signals. */
  talentSignals: uuidForm('7a1e7000'),
  lists: { companies: uuidForm('c0000000'), people: uuidForm('b0000000'), investors: uuidForm('d0000000') },
};
