/** Invents companies and their revenue. Section "Company latest revenue" and the `company` object of a signal. */
import type { DocumentedOf } from '../../contract/endpoint.ts';
import type { InvestorInterestSignal } from '../../contract/feed.ts';
import type { getCompanyLatestRevenue } from '../../contract/revenue.ts';
import { type Data, type Draws, dateAgo, ids } from './data.ts';
import { between, pick, pickSome, type Random, streamOf } from './random.ts';
import { words } from './words.ts';

type Revenue = DocumentedOf<typeof getCompanyLatestRevenue>;

export function companyOf({ seed }: Draws, number: number) {
  const random = streamOf(seed, 'company', number);
  const trade = pick(random, words.trades);
  const domain = `${trade.toLowerCase()}-${number}.example`;
  const size = pick(random, words.sizes);
  const about = {
    name: `Example ${trade} ${number} Ltd`,
    description:
      number % 9 === 4
        ? `Says "hello, ${trade}"\nand has a second line`
        : `An invented company in ${trade.toLowerCase()}`,
    website: `https://www.${domain}`,
    profnet_url: `https://www.profnet.example/company/example-${trade.toLowerCase()}-${number}`,
    ...(number % 3 === 0 && { twitter_url: `https://twitter.example/${domain}` }),
    founded_year: between(random, 1990, 2025),
    hq: { ...pick(random, words.places) },
    industry: pickSome(random, words.industries, between(random, 1, 3)),
    tech_verticals: pickSome(random, words.verticals, between(random, 1, 2)).map((pair) => [
      ...pair,
    ]),
    is_industry_estimated: number % 2 === 0,
    customer_focus: number % 2 === 0 ? 'B2B' : 'B2C',
  } satisfies InvestorInterestSignal['company'];
  return { id: ids.companies.make(number), domain, size, about };
}

const percentOf = (random: Random, spread: number): number =>
  Math.round((random() * 1.6 - 0.5) * spread * 100) / 100;

function figures(data: Data, number: number): Omit<Revenue, 'id' | 'company_name' | 'domain'> {
  const random = streamOf(data.seed, 'revenue', number);
  const estimate = between(random, 200, 90_000) * 1000;
  const reported = number % 3 !== 0;
  return {
    est_revenue_usd: estimate,
    latest_revenue_reported_usd: reported ? Math.round(estimate * 0.9) : null,
    latest_revenue_reported_date: reported ? dateAgo(data, between(random, 30, 500)) : null,
    revenue_type: reported ? pick(random, ['Revenue', 'ARR']) : null,
    est_revenue_growth_1m_pct: percentOf(random, 5),
    est_revenue_growth_3m_pct: percentOf(random, 12),
    est_revenue_growth_6m_pct: percentOf(random, 25),
    est_revenue_growth_1y_pct: percentOf(random, 60),
    est_revenue_growth_2y_pct: percentOf(random, 150),
  };
}

/** Without revenue data, all but the identity is null. */
export function revenueOf(data: Data, id: string): Revenue | undefined {
  const number = ids.companies.read(id);
  if (number === undefined || number > data.total.companies) return undefined;
  const { about, domain } = companyOf(data, number);
  const known = figures(data, number);
  const shown =
    number % 5 !== 2 ? known : Object.fromEntries(Object.keys(known).map((field) => [field, null]));
  return { id, company_name: about.name, domain, ...shown };
}
