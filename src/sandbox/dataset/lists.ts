/** Invents the lists and saved searches at the start. Of lists, for each kind one for each way of sharing and one without members. */
import { type Draws, ids, momentAgo } from './data.ts';
import type { SignalFacts } from './signals.ts';

const listKinds = ['companies', 'people', 'investors'] as const;
export type ListKind = (typeof listKinds)[number];

/** A list is never changed in place but replaced. */
export type StoredList = ReturnType<typeof inventLists>[number];

const variants = [
  { sharing: 'shared', name: 'Shared with the API', first: 1, members: 8 },
  { sharing: 'created', name: 'Made by the API', first: 2, members: 3 },
  { sharing: 'global', name: 'Recommended', first: 1, members: 10 },
  { sharing: 'team', name: 'The team’s own', first: 3, members: 4 },
  { sharing: 'created', name: 'Empty', first: 1, members: 0 },
] as const;

export function inventLists(draws: Pick<Draws, 'today' | 'total'>) {
  return listKinds.flatMap((kind) =>
    variants.map(({ sharing, name, first, members }, at) => {
      const numbers = Array.from({ length: members }, (_, offset) => first + offset).filter(
        (number) => number <= draws.total[kind],
      );
      return {
        kind,
        id: ids.lists[kind].make(at + 1),
        name: `${name}: ${kind}`,
        sharing,
        sharedWith:
          sharing === 'shared' || sharing === 'team' ? [ids.users.make(1), ids.users.make(2)] : [],
        createdAt: momentAgo(draws, 200 - at, 9),
        updatedAt: momentAgo(draws, 20 - at, 17),
        members: new Map(
          numbers.map((number) => [ids[kind].make(number), momentAgo(draws, 100 - number, 12)]),
        ),
      };
    }),
  );
}

interface StoredSearch {
  readonly id: number;
  readonly name: string;
  readonly product: 'talent' | 'funding_rounds' | 'company' | 'investors' | 'people';
  readonly sharing: 'shared' | 'global' | 'team';
  /** Tells whether a signal fits its filters; undefined where these are stored in a form that cannot be parsed. */
  readonly finds: ((signal: SignalFacts) => boolean) | undefined;
}

const all = () => true;
const talents = ({ type }: SignalFacts) => type === 'Talent';
const companies = ({ type }: SignalFacts) => type === 'Company';

export const storedSearches: readonly StoredSearch[] = [
  {
    id: 101,
    name: 'Founders on the move',
    product: 'talent',
    sharing: 'shared',
    finds: (signal) => talents(signal) && signal.score >= 6,
  },
  { id: 102, name: 'Recommended talent', product: 'talent', sharing: 'global', finds: talents },
  { id: 103, name: 'Fresh rounds', product: 'funding_rounds', sharing: 'shared', finds: companies },
  {
    id: 104,
    name: 'Recommended rounds',
    product: 'funding_rounds',
    sharing: 'global',
    finds: ({ score }) => score >= 8,
  },
  {
    id: 105,
    name: 'Example companies',
    product: 'company',
    sharing: 'shared',
    finds: (signal) => companies(signal) && signal.score >= 5,
  },
  {
    id: 106,
    name: 'Angels',
    product: 'investors',
    sharing: 'shared',
    finds: ({ sourceTypes }) => sourceTypes.includes('angel'),
  },
  { id: 107, name: 'People in climate tech', product: 'people', sharing: 'global', finds: all },
  { id: 108, name: 'The team’s own talent', product: 'talent', sharing: 'team', finds: all },
  {
    id: 109,
    name: 'The team’s own rounds',
    product: 'funding_rounds',
    sharing: 'team',
    finds: all,
  },
  {
    id: 110,
    name: 'Broken by an old release',
    product: 'talent',
    sharing: 'shared',
    finds: undefined,
  },
  {
    id: 111,
    name: 'Nobody matches this',
    product: 'talent',
    sharing: 'shared',
    finds: ({ score }) => score >= 11,
  },
];
