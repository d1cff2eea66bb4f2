/** Endpoint 2 of the API document. */
import * as z from 'zod/mini';
import {
  columnsOf,
  count,
  date,
  flag,
  id,
  maybe,
  object,
  text,
  textPairs,
  texts,
  url,
  usd,
  uuid,
  wholeNumber,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { notSent, requireShape } from './identifier.ts';
import { defaultLimit } from './service.ts';

const place = object({
  city: maybe(text()),
  state: maybe(text()),
  country: maybe(text()),
  continent: maybe(text()),
});

const contact = {
  description: maybe(text()),
  website: maybe(url()),
  profnet_url: maybe(url()),
  twitter_url: maybe(url()),
  founded_year: maybe(count()),
};

const trade = {
  industry: maybe(texts()),
  tech_verticals: maybe(textPairs()),
  is_industry_estimated: maybe(flag()),
};

const signalCompany = object({
  name: maybe(text()),
  ...contact,
  hq: maybe(place),
  ...trade,
  customer_focus: maybe(text()),
});

const signalPerson = object({
  full_name: maybe(text()),
  ...contact,
  location: maybe(place),
  ...trade,
});

export const sourceTypes = [
  'influencer',
  'journalist',
  'investor',
  'insider',
  'angel',
  'investment_bank',
  'venture_capital',
  'private_equity',
] as const;

const investorInterestSignal = object({
  signal_id: uuid(),
  signal_date: maybe(date()),
  signal_score: maybe(count({ minimum: 1, maximum: 10 })),
  signal_summary: maybe(text()),
  signal_type: maybe(text({ enum: ['Company', 'Talent'] })),
  source_types: maybe(texts({ enum: sourceTypes })),
  signal_total_funding_usd: maybe(usd()),
  signal_last_funding_date: maybe(date()),
  signal_last_funding_usd: maybe(usd()),
  signal_investors: maybe(z.array(object({ name: maybe(text()) }))),
  entity_id: maybe(id()),
  company: maybe(signalCompany),
  person: maybe(signalPerson),
  signal_source: maybe(texts()),
});

export type InvestorInterestSignal = z.infer<typeof investorInterestSignal>;

const feedLimit = 50;

const listsShownBy =
  '`pdi lists companies list` (free) shows those of company lists, the service those of others';

export const readInvestorInterest = {
  title: 'Investor-interest feed',
  records: 'signals',
  method: 'GET',
  path: '/investor-interest',
  billing: 'charged',
  query: z.strictObject({
    search_id: z.optional(id()),
    list_id: z.optional(id()),
    sort: z.optional(text()),
    signal_date_after: z.optional(z.iso.date()),
    signal_date_before: z.optional(z.iso.date()),
    page: z.optional(wholeNumber({ minimum: 0, default: 0 })),
    limit: z.optional(wholeNumber({ minimum: 1, maximum: feedLimit, default: defaultLimit })),
  }),
  /** @throws UsageError for a scope that the service would silently ignore, days in the wrong order, and an empty sort */
  check({ query = {}, ...request }, named) {
    const {
      search_id: search,
      list_id: list,
      sort,
      signal_date_after: after,
      signal_date_before: before,
    } = query;
    const [searchName, listName] = [named('search_id'), named('list_id')];
    if (search !== undefined && list !== undefined)
      throw notSent(
        `${searchName} and ${listName} exclude each other`,
        'the service would ignore the list: make two calls',
      );
    if (sort !== undefined && String(sort).trim() === '')
      throw notSent(`${named('sort')}: the value is empty`, 'give it a value, or leave it out');
    if (after !== undefined && before !== undefined && String(after) > String(before)) {
      const message = `${named('signal_date_after')} ${after} is later than ${named('signal_date_before')} ${before}`;
      throw notSent(message, 'both days are inclusive');
    }
    const scope = {
      ...(search !== undefined && {
        search_id: requireShape('integer', String(search), searchName),
      }),
      ...(list !== undefined && {
        list_id: requireShape('uuid', String(list), listName, listsShownBy),
      }),
    };
    return { ...request, query: { ...query, ...scope } };
  },
  response: z.array(investorInterestSignal),
  refusals: { 404: [], 500: [] },
  result: 'list',
  freeIfEmpty: true,
  maxLimit: feedLimit,
  identity: 'signal_id',
  picture: ['signal_date', 'signal_type'],
  openLists: ['signal_investors'],
  columns: columnsOf(investorInterestSignal, {
    summary: {
      name: 'subject',
      paths: [
        'company.name',
        'person.full_name',
        'company.website',
        'person.profnet_url',
        'entity_id',
      ],
    },
    table: ['signal_date', 'signal_score', 'signal_type', 'signal_summary'],
    tableIfRoom: [
      'source_types',
      'signal_total_funding_usd',
      'company.hq.country',
      'person.location.country',
      'signal_id',
    ],
  }),
} as const satisfies Endpoint;
