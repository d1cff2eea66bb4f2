/** Invents the lists at the start: for each kind, one for each way of sharing and one without members. */
import { momentAgo } from './calendar.ts';
import { companyIds, investorIds, personIds, userIds, uuidForm } from './identifiers.ts';

export const listIds = { companies: uuidForm('c0000000'), people: uuidForm('b0000000'), investors: uuidForm('d0000000') };
const memberIds = { companies: companyIds, people: personIds, investors: investorIds };

export type ListKind = keyof typeof listIds;

/** A list is never changed in place but replaced, so that derived data can be cached by the object. */
export type StoredList = ReturnType<typeof inventLists>[number];

const kinds = ['companies', 'people', 'investors'] as const;

const variants = [
  { sharing: 'shared', name: 'Shared with the API', first: 1, members: 8 },
  { sharing: 'created', name: 'Made by the API', first: 2, members: 3 },
  { sharing: 'global', name: 'Recommended', first: 1, members: 10 },
  { sharing: 'team', name: 'The team’s own', first: 3, members: 4 },
  { sharing: 'created', name: 'Empty', first: 1, members: 0 },
] as const;

export function inventLists(totals: Readonly<Record<ListKind, number>>) {
  return kinds.flatMap((kind) =>
    variants.map(({ sharing, name, first, members }, at) => {
      const numbers = Array.from({ length: members }, (_, offset) => first + offset).filter((number) => number <= totals[kind]);
      return {
        kind,
        id: listIds[kind].make(at + 1),
        name: `${name}: ${kind}`,
        sharing,
        sharedWith: sharing === 'shared' || sharing === 'team' ? [userIds.make(1), userIds.make(2)] : [],
        createdAt: momentAgo(200 - at, 9),
        updatedAt: momentAgo(20 - at, 17),
        members: new Map(numbers.map((number) => [memberIds[kind].make(number), momentAgo(100 - number, 12)])),
      };
    }),
  );
}
