/** Selects the signals of a scope and sorts them. A place is an index in the default order, newest first. */
import { daysSince } from './dataset/calendar.ts';
import { companyIds, investorIds } from './dataset/identifiers.ts';
import type { StoredList } from './dataset/lists.ts';
import type { Dataset } from './dataset.ts';

type Places = readonly number[];

/** The document does not give the values of `sort`; these are the sandbox's own. */
export const sorts = ['signal_date_desc', 'signal_date_asc', 'signal_score_desc'] as const;

/** Gives the signals about or by the members of a list, even without `entity_id`: a web site or profile URL then names the subject. */
export function placesOfList({ kind, members }: StoredList, { signals, names }: Dataset): Places {
  const ofMember = {
    people: (id: string) => signals.ofPerson(names.withId(id) ?? 0),
    companies: (id: string) => signals.ofCompany(companyIds.read(id) ?? 0),
    investors: (id: string) => signals.ofInvestor(investorIds.read(id) ?? 0),
  }[kind];
  return [...new Set([...members.keys()].flatMap(ofMember))].sort((one, other) => one - other);
}

/** Gives the places between both dates in the wanted order. Equal dates or scores keep the default order. */
export function ordered(
  places: Places,
  sort: (typeof sorts)[number],
  { after, before }: { readonly after: string | undefined; readonly before: string | undefined },
  { daysAgo, facts }: Dataset['signals'],
): Places {
  const newest = before === undefined ? Number.NEGATIVE_INFINITY : daysSince(before);
  const oldest = after === undefined ? Number.POSITIVE_INFINITY : daysSince(after);
  const within = places.filter((place) => daysAgo(place) >= newest && daysAgo(place) <= oldest);
  if (sort === 'signal_date_desc') return within;
  const rankOf = sort === 'signal_date_asc' ? daysAgo : (place: number) => facts(place).score;
  const ranks = new Map(within.map((place) => [place, rankOf(place)]));
  return within.sort((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
}
