/** Endpoint 2 of the API document. */
import * as z from 'zod/mini';
import {
  columnsOf,
  count,
  date,
  flag,
  id,
  record,
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

const place = record({}, { city: text(), state: text(), country: text(), continent: text() });

const contact = {
  description: text(),
  website: url(),
  profnet_url: url(),
  twitter_url: url(),
  founded_year: count(),
};

const trade = {
  industry: texts(),
  tech_verticals: textPairs(),
  is_industry_estimated: flag(),
};

const signalCompany = record(
  {},
  { name: text(), ...contact, hq: place, ...trade, customer_focus: text() },
);

const signalPerson = record({}, { full_name: text(), ...contact, location: place, ...trade });

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

const investorInterestSignal = record(
  { signal_id: uuid() },
  {
    signal_date: date(),
    signal_score: count({ minimum: 1, maximum: 10 }),
    signal_summary: text(),
    signal_type: text({ enum: ['Company', 'Talent'] }),
    source_types: texts({ enum: sourceTypes }),
    signal_total_funding_usd: usd(),
    signal_last_funding_date: date(),
    signal_last_funding_usd: usd(),
    signal_investors: z.array(record({}, { name: text() })),
    entity_id: id(),
    company: signalCompany,
    person: signalPerson,
    signal_source: texts(),
  },
);

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
  query: z.partial(
    z.strictObject({
      search_id: id(),
      list_id: id(),
      sort: text(),
      signal_date_after: z.iso.date(),
      signal_date_before: z.iso.date(),
      page: wholeNumber({ minimum: 0, default: 0 }),
      limit: wholeNumber({ minimum: 1, maximum: feedLimit, default: defaultLimit }),
    }),
  ),
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
