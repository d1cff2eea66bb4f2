/** Invents investors. Section "Investor record". */
import type { Investor } from '../../contract/investors.ts';
import { dateAgo } from './calendar.ts';
import { companyIds, indexed, investorIds, personIds, signalIds } from './identifiers.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { industries, places, sizes, stages, verticals } from './words.ts';

/** Investor 2 has no signal, 4 and 5 share a name, and every sixth from the fifth on has no web site. */
const quietInvestor = 2;

export type InvestorNames = ReturnType<typeof inventInvestorNames>;

export function inventInvestorNames(seed: number, total: number) {
  const stream = streamOf(seed, 'investor name');
  return {
    total,
    name(number: number): string {
      if (number === 1) return 'Sample Harbor Ventures 1';
      if (number === 4 || number === 5) return 'Twin Sample Partners';
      return `Sample ${pick(stream(number), ['Harbor', 'Fjord', 'Meadow', 'Granite', 'Ñandú'])} Capital ${number}`;
    },
    domain: (number: number) => (number % 6 === 5 ? null : `investor-${number}.example`),
    /** An investor who shows interest in somebody. */
    active(random: Random): number {
      const drawn = between(random, 1, total);
      return drawn === quietInvestor ? 1 : drawn;
    },
  };
}

const sameName = (name: string): string => name.trim().toLowerCase();

/** Returns `fund.example` for `https://www.Fund.example/team`. */
const domainOf = (website: string): string =>
  website
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#:].*$/s, '')
    .replace(/^www\./, '')
    .replace(/\.$/, '');

export function inventInvestors(
  seed: number,
  people: number,
  companies: number,
  { total, name, domain }: InvestorNames,
  signalsOf: (number: number) => readonly number[],
) {
  const stream = streamOf(seed, 'investor');

  function investor(number: number): Investor {
    const random = stream(number);
    const isPerson = number % 4 === 0;
    const place = pick(random, places);
    return {
      investor_id: investorIds.make(number),
      strategic_signal_ids: signalsOf(number).map(signalIds.make),
      investor_name: name(number),
      investor_types: isPerson ? ['angel'] : ['venture_capital', ...(number % 3 === 0 ? ['angel_group'] : [])],
      investment_stage: pickSome(random, stages, between(random, 1, 3)),
      industry_target: pickSome(random, industries, 2),
      svc_industry_target: pickSome(random, industries, 1),
      svc_tech_verticals_target: pickSome(random, verticals, 2).map(([top]) => top),
      fund_details: isPerson ? [] : [{ name: `Fund ${number}`, announced_on: dateAgo(800), raised_amount_usd: `${number}0000000` }],
      portfolio_companies: [companyIds.make(between(random, 1, companies))],
      person_id: isPerson ? personIds.make(between(random, 1, people)) : null,
      company_id: number % 3 === 0 ? companyIds.make(between(random, 1, companies)) : null,
      investor_rank: number % 5 === 0 ? null : number,
      company_size: isPerson ? null : pick(random, sizes),
      operating_status: number % 7 === 0 ? 'closed' : 'active',
      domain: domain(number),
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

  const numbers = Array.from({ length: total }, (_, at) => at + 1);
  const byName = indexed(numbers, (number) => [sameName(name(number))]);
  const byDomain = indexed(numbers, (number) => [domain(number)]);
  return {
    investor,
    /** The numbers of the investors with this name. Case and surrounding blanks are ignored. */
    named: (text: string) => byName(sameName(text)),
    /** The numbers of the investors at this domain or URL. Scheme, `www` and path are ignored. */
    at: (website: string) => byDomain(domainOf(website)),
  };
}
