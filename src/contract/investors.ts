/** Look up investors by name or website. Endpoint 10 of the API document. */
import * as z from 'zod/mini';
import { columnsOf } from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { count, date, id, investorId, maybe, personId, text, texts, url, uuids } from './fields.ts';

const fund = z.looseObject({
  name: maybe(text()),
  announced_on: maybe(date()),
  raised_amount_usd: maybe(text({ pattern: '^\\d+$' })),
});

export const investor = z.looseObject({
  investor_id: investorId(),
  investor_name: text(),
  strategic_signal_ids: uuids(),
  investor_types: texts(),
  investment_stage: texts(),
  industry_target: texts(),
  svc_industry_target: texts(),
  svc_tech_verticals_target: texts(),
  fund_details: z.array(fund),
  portfolio_companies: texts(),
  person_id: maybe(personId()),
  company_id: maybe(id()),
  investor_rank: maybe(count()),
  company_size: maybe(text()),
  operating_status: maybe(text()),
  domain: maybe(text()),
  hq_location: maybe(text()),
  founded_year: maybe(count()),
  profnet_url: maybe(url()),
  twitter_url: maybe(url()),
  description: maybe(text()),
  number_of_exits: maybe(count()),
  number_of_lead_investments: maybe(count()),
  number_of_investments: maybe(count()),
  number_of_funds: maybe(count()),
});

export type Investor = z.infer<typeof investor>;

const nameSpelling = (name: string): string => name.trim().toLowerCase();

/** Gives a website without scheme, `www.`, case of the host and closing slash. Another path is another website. */
const websiteSpelling = (website: string): string =>
  website
    .trim()
    .replace(/^(?:(?:https?:)?\/\/|www\.)+/i, '')
    .replace(/\/$/, '')
    .replace(/^[^/?#]+/, (host) => host.toLowerCase());

export const findInvestors = {
  title: 'Look up investors',
  method: 'GET',
  path: '/investors',
  billing: 'unstated',
  stored: true,
  query: z.strictObject({ website: z.optional(text()), name: z.optional(text()) }),
  spelling: { website: websiteSpelling, name: nameSpelling },
  response: z.array(investor),
  result: 'list',
  // A record does not say by which name or website it was found.
  askedBy: [],
  columns: columnsOf(investor, {
    table: ['investor_id', 'investor_name', 'domain', 'investor_types', 'investment_stage', 'hq_location'],
  }),
} as const satisfies Endpoint;
