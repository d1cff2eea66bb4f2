/** Answers of every operation against the OpenAPI document, with an independent judge, by real HTTP; `ask.ts` judges those of the other tests. */
import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../src/contract/operations.ts';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { readDescription } from '../contract/description.ts';
import { type Asking, type Heard, record, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const api = readDescription(describeApi());
const { lists, searches, person, investor } = landmarks;

interface Case {
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | null;
}

/** `ask` fails where the answer is not as documented. */
const asked = ({ ask }: Asking, name: string, { path, ...question }: Case): Promise<Heard> =>
  ask(path, { method: api.operation(name).method, ...question });

const people = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `per_sample${from + at}`);
const many = { to_resolve: Array.from({ length: 50 }, (_, at) => ({ profnet_num_id: person.memberId + at })) };
const forms = [{ profnet_url: person.url }, { profnet_id: person.slug }, { profnet_num_id: person.memberId }, { profnet_urn: person.urn }];

/** Successes: what each operation has to show, the odd records included. */
const successes: Readonly<Record<OperationName, readonly Case[]>> = {
  resolvePeople: [
    { path: '/people/resolve', body: { to_resolve: [...forms, { profnet_id: 'nobody' }] } },
    { path: '/people/resolve', body: many },
  ],
  readInvestorInterest: [
    ...Array.from({ length: 10 }, (_, page) => ({ path: `/investor-interest?page=${page}` })),
    { path: `/investor-interest?search_id=${searches.empty}` },
    { path: `/investor-interest?search_id=${searches.talent}&signal_date_after=2026-04-01&signal_date_before=2026-05-01&limit=3` },
    { path: `/investor-interest?list_id=${lists.companies.shared}` },
  ],
  modifyPeopleList: [
    { path: `/lists/people/${lists.people.shared}`, body: { add_ids: people(20, 24), delete_ids: [person.id] } },
    { path: `/lists/people/${lists.people.empty}`, body: {} },
  ],
  getPerson: people(1, 40).map((id) => ({ path: `/people/${id}` })),
  listNetworkPeople: [{ path: '/network/people?limit=1000' }, { path: '/network/people?page=9999&connected_on=profnet' }],
  getCompanyLatestRevenue: Array.from({ length: 30 }, (_, at) => ({ path: `/companies/company-${at + 1}/latest-revenue` })),
  getFundingRoundsSearch: [searches.fundingRounds, searches.globalFundingRounds].map((id) => ({ path: `/searches/funding-rounds/${id}` })),
  getTalentSearch: [searches.talent, searches.globalTalent, searches.broken, searches.empty].map((id) => ({
    path: `/searches/talent/${id}`,
  })),
  listCompanyLists: [{ path: '/lists/companies' }],
  findInvestors: [
    { path: `/investors?name=${investor.sharedName}` },
    { path: '/investors?name=nobody' },
    ...Array.from({ length: 12 }, (_, at) => ({ path: `/investors?website=investor-${at + 1}.example` })),
  ],
  getInvestorList: [lists.investors.shared, lists.investors.global, lists.investors.empty].map((id) => ({
    path: `/lists/investors/${id}`,
  })),
  deleteInvestorList: [{ path: `/lists/investors/${lists.investors.shared}` }],
  deletePeopleList: [{ path: `/lists/people/${lists.people.shared}` }],
  deleteCompanyList: [{ path: `/lists/companies/${lists.companies.shared}` }],
  checkHealth: [{ path: '/health', key: null }],
};

/** The request that the document itself shows. */
function sampleOf(name: string): Case {
  const { path, parameters = [], requestBody, security } = api.operation(name);
  const shown = new Map(parameters.map((parameter) => [parameter.name, String(parameter.example)]));
  const place = path.replace(/\{(\w+)\}/g, (_whole, parameter: string) => shown.get(parameter) ?? '');
  const query = name === 'findInvestors' ? `?name=${shown.get('name')}` : '';
  return { path: place + query, body: requestBody?.content['application/json'].example, ...(security !== undefined && { key: null }) };
}
const keyed = api.operations.filter(({ security }) => security === undefined).map(({ operationId }) => operationId);
const charged = api.operations.filter((operation) => operation['x-billing'] === 'charged').map(({ operationId }) => operationId);

describe.each([{ seed: 1 }, { seed: 77, people: 300 }])('with %j', (options) => {
  it.each(Object.entries(successes))('what %s answers', async (name, cases) => {
    const service = await start(options);
    for (const each of cases) expect((await asked(service, name, each)).status).toBe(name === 'deleteInvestorList' ? 204 : 200);
  });
});

describe.each(keyed)('%s refuses', (name) => {
  it('without a key, with another, without permission', async () => {
    const service = await start();
    const { keys } = service;
    const answers = [null, 'other', keys.noPermission].map((key) => asked(service, name, { ...sampleOf(name), key }));
    expect((await Promise.all(answers)).map((heard) => [heard.status, record(heard).errorCode])).toEqual([
      [401, 'API_KEY_MISSING'],
      [401, 'API_KEY_NOT_VALID'],
      [403, 'NOT_PERMITTED'],
    ]);
  });

  it('beyond the rate limit, with its headers', async () => {
    const service = await start({ rateLimit: 1, now: () => 0 });
    await asked(service, name, sampleOf(name));
    const { status, headers } = await asked(service, name, sampleOf(name));
    expect(status).toBe(429);
    for (const header of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${header}`)).not.toBeNull();
  });
});

it.each(keyed)('%s asks for credits, and is on the bill, where it is charged alone', async (name) => {
  const service = await start();
  const isCharged = charged.includes(name);
  const poor = await asked(service, name, { ...sampleOf(name), key: service.keys.noCredits });
  expect([poor.status >= 400, service.bill().length]).toEqual([isCharged, 0]);
  if (isCharged) await asked(service, name, sampleOf(name));
  expect(service.bill()).toHaveLength(isCharged ? 1 : 0);
});

it.each(charged)('%s without credits, whatever the status', async (name) => {
  for (const outOfCreditsStatus of [402, 403, 429, 404, 500, 418]) {
    const service = await start({ outOfCreditsStatus });
    const heard = await asked(service, name, { ...sampleOf(name), key: service.keys.noCredits });
    expect([heard.status, record(heard).errorCode]).toEqual([outOfCreditsStatus, 'OUT_OF_CREDITS']);
  }
});
