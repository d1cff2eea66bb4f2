/** Invents investors. Section "Investor record". */
import type { DocumentedOf } from '../../contract/endpoint.ts';
import type { findInvestors } from '../../contract/investors.ts';
import { type Data, type Draws, dateAgo, ids, indexed } from './data.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { words } from './words.ts';

/** Investor 2 has no signal, 4 and 5 share a name, and every sixth from the fifth on has no web site. */
const quietInvestor = 2;

export function investorName({ seed }: Draws, number: number): string {
  if (number === 1) return 'Sample Harbor Ventures 1';
  if (number === 4 || number === 5) return 'Twin Sample Partners';
  return `Sample ${pick(streamOf(seed, 'investor name', number), ['Harbor', 'Fjord', 'Meadow', 'Granite', 'Ñandú'])} Capital ${number}`;
}

const investorDomain = (number: number): string | null =>
  number % 6 === 5 ? null : `investor-${number}.example`;

export function activeInvestor({ total }: Draws, random: Random): number {
  const drawn = between(random, 1, total.investors);
  return drawn === quietInvestor ? 1 : drawn;
}

const sameName = (name: string): string => name.trim().toLowerCase();

/** Returns `fund.example` for `https://www.Fund.example/team`. */
const domainOf = (website: string): string =>
  (
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:www\.)?([^/?#:]*)/.exec(website.trim().toLowerCase())?.[1] ?? ''
  ).replace(/\.$/, '');

export function indexedInvestors(draws: Draws): Data['investorsBy'] {
  const numbers = Array.from({ length: draws.total.investors }, (_, at) => at + 1);
  const byName = indexed(numbers, (number) => [sameName(investorName(draws, number))]);
  const byDomain = indexed(numbers, (number) => [investorDomain(number)]);
  return { name: (text) => byName(sameName(text)), website: (text) => byDomain(domainOf(text)) };
}

export function investorOf(data: Data, number: number): DocumentedOf<typeof findInvestors>[number] {
  const random = streamOf(data.seed, 'investor', number);
  const isPerson = number % 4 === 0;
  const place = pick(random, words.places);
  return {
    investor_id: ids.investors.make(number),
    strategic_signal_ids: data.signalsOf.investors(number).map(ids.signals.make),
    investor_name: investorName(data, number),
    investor_types: isPerson
      ? ['angel']
      : ['venture_capital', ...(number % 3 === 0 ? ['angel_group'] : [])],
    investment_stage: pickSome(random, words.stages, between(random, 1, 3)),
    industry_target: pickSome(random, words.industries, 2),
    svc_industry_target: pickSome(random, words.industries, 1),
    svc_tech_verticals_target: pickSome(random, words.verticals, 2).map(([top]) => top),
    fund_details: isPerson
      ? []
      : [
          {
            name: `Fund ${number}`,
            announced_on: dateAgo(data, 800),
            raised_amount_usd: `${number}0000000`,
          },
        ],
    portfolio_companies: [ids.companies.make(between(random, 1, data.total.companies))],
    person_id: isPerson ? ids.people.make(between(random, 1, data.total.people)) : null,
    company_id:
      number % 3 === 0 ? ids.companies.make(between(random, 1, data.total.companies)) : null,
    investor_rank: number % 5 === 0 ? null : number,
    company_size: isPerson ? null : pick(random, words.sizes),
    operating_status: number % 7 === 0 ? 'closed' : 'active',
    domain: investorDomain(number),
    hq_location: `${place.city}, ${place.country}`,
    founded_year: isPerson ? null : between(random, 1980, 2024),
    profnet_url: `https://www.profnet.example/company/investor-${number}`,
    twitter_url: null,
    description: `Invests in “invented” things, from ${place.city}`,
    number_of_exits: between(random, 0, 40),
    number_of_lead_investments: between(random, 0, 90),
    number_of_investments: between(random, 0, 300),
    number_of_funds: isPerson ? null : 1,
  };
}
