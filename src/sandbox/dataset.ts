/** Invents the whole data set: small facts come from people count and seed, records are made when they are asked for. */
import { memoize } from '../rows/memoize.ts';
import { inventCompanies } from './dataset/companies.ts';
import { inventInvestorNames, inventInvestors } from './dataset/investors.ts';
import { inventLists } from './dataset/lists.ts';
import { inventNames } from './dataset/names.ts';
import { inventPeople } from './dataset/people.ts';
import { placesOf, storedSearches } from './dataset/searches.ts';
import { inventSignals } from './dataset/signals.ts';

export type Dataset = ReturnType<typeof inventDataset>;

/** Equal arguments give equal records. For 120 people there are 30 companies, 12 investors and 480 signals. */
export function inventDataset({ people: total, seed }: { readonly people: number; readonly seed: number }) {
  const names = inventNames(seed, total);
  const companies = inventCompanies(seed, Math.max(12, Math.ceil(total / 4)));
  const investorNames = inventInvestorNames(seed, Math.max(12, Math.ceil(total / 20)));
  const signals = inventSignals(seed, Math.max(240, total * 4), names, companies, investorNames);
  return {
    names,
    companies,
    signals,
    people: inventPeople(seed, names, companies, signals),
    investors: inventInvestors(seed, names.total, companies.total, investorNames, signals.ofInvestor),
    lists: inventLists({ companies: companies.total, people: total, investors: investorNames.total }),
    searches: storedSearches.map((search) => ({ ...search, places: memoize(() => placesOf(search, signals)) })),
  };
}
