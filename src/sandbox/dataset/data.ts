/** What all invented records are made of: a seed, a day and how many there are, their identifiers, and their calendar. */
import { ExactNumber } from '../../json/exact.ts';
import { addDays } from '../../rows/days.ts';
import { memoize } from '../../rows/memoize.ts';

type Index<K> = (key: K) => readonly number[];

/** Equal seeds, days and totals give equal records. */
export interface Draws {
  readonly seed: number;
  /** The day of the newest signal. All other records are dated by how long ago they happened. */
  readonly today: string;
  readonly total: Readonly<Record<'people' | 'companies' | 'investors' | 'signals', number>>;
}

export interface Data extends Draws {
  readonly signalsOf: Readonly<Record<'people' | 'companies' | 'investors', Index<number>>>;
  readonly investorsBy: Readonly<Record<'name' | 'website', Index<string>>>;
}

/** Finds records by what `keysOf` says of their numbers. The index is built on first use, because most runs never ask. */
export function indexed<K>(
  numbers: readonly number[],
  keysOf: (number: number) => readonly K[],
): Index<K> {
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

export const defaultPeople = 120;

/** For 120 people there are 30 companies, 12 investors and 480 signals. */
export const totalsOf = (people: number): Draws['total'] => ({
  people,
  companies: Math.max(12, Math.ceil(people / 4)),
  investors: Math.max(12, Math.ceil(people / 20)),
  signals: Math.max(240, people * 4),
});

export const dateAgo = ({ today }: Pick<Draws, 'today'>, days: number): string =>
  addDays(today, -days);

export const momentAgo = (draws: Pick<Draws, 'today'>, days: number, hour: number): string =>
  new Date(Date.parse(dateAgo(draws, days)) + hour * 3_600_000).toISOString();

/** Identifiers are made from the number of a record, and give the number back, so a look-up by id needs no index. */
function formOf(
  prefix: string,
  digitsOf: (number: number) => string,
  digits: RegExp,
  radix: number,
) {
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
  formOf(
    `${kind}-0000-4000-8000-`,
    (number) => number.toString(16).padStart(12, '0'),
    /^[0-9a-f]{12}$/,
    16,
  );

const firstMember = 700_000_000;

/** A double cannot tell these member ids from their neighbours: person 2 has 2^53 - 1 and person 3 has 2^53 + 1, and neither an ordinary one. */
const largeMembers = new Map<number, number | ExactNumber>([
  [2, Number.MAX_SAFE_INTEGER],
  [3, new ExactNumber('9007199254740993')],
]);

const memberIdOf = (number: number): number | ExactNumber =>
  largeMembers.get(number) ?? firstMember + number;

const memberIds = {
  make: memberIdOf,
  read: (id: number | ExactNumber): number | undefined =>
    [...largeMembers.keys(), Number(id) - firstMember].find(
      (number) => String(memberIdOf(number)) === String(id),
    ),
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
  lists: {
    companies: uuidForm('c0000000'),
    people: uuidForm('b0000000'),
    investors: uuidForm('d0000000'),
  },
};
