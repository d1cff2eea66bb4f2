import { describe, expect } from 'vitest';
import { keys } from '../../src/sandbox/world.ts';
import { it, type Question, record, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { person } = landmarks;
const resolveBody = { to_resolve: [{ profnet_id: person.slug }] };

it('reads the key header in any case', async ({ baseUrl }) => {
  const response = await fetch(`${baseUrl}/lists/companies`, {
    headers: { 'x-aPi-kEy': keys.full },
  });
  expect(response.status).toBe(200);
});

it('takes an empty key header for a key that is not valid', async ({ ask }) => {
  expect(await ask('/lists/companies', { key: '' })).toMatchObject({
    status: 401,
    json: { errorCode: 'API_KEY_NOT_VALID' },
  });
});

it('puts key before validation, validation before credits, credits before existence', async ({
  ask,
}) => {
  const bad = '/investor-interest?limit=51';
  expect((await ask(bad, { key: null })).status).toBe(401);
  expect((await ask(bad, { key: keys.noPermission })).status).toBe(403);
  expect((await ask(bad, { key: keys.noCredits })).status).toBe(422);
  expect((await ask('/people/per_nobody', { key: keys.noCredits })).status).toBe(402);
});

describe('credits', () => {
  it('last for as many billed calls as they are, and no more', async () => {
    const { ask, bill } = await start({ credits: 2, outOfCreditsStatus: 429 });
    const paths = [
      'people/per_nobody',
      'people/per_sample1',
      'investor-interest?search_id=111',
      'people/per_sample2',
      'people/per_sample3',
    ];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await ask(`/${path}`)).status);
    expect(statuses).toEqual([404, 200, 200, 200, 429]);
    expect(bill().map(({ item }) => item)).toEqual(['per_sample1', 'per_sample2']);
    expect(record(await ask('/people/per_sample1')).errorCode).toBe('OUT_OF_CREDITS');
    expect((await ask('/lists/companies')).status).toBe(200);
  });

  it('are not spent twice by calls at the same time', async () => {
    const { ask, bill } = await start({ credits: 3 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => ask(`/people/per_sample${at + 1}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(bill()).toHaveLength(3);
  });
});

describe('the bill', () => {
  it('shows each billed call and not more of the key than four characters', async () => {
    const { ask, baseUrl } = await start({ now: () => 0 });
    await ask('/investor-interest?limit=1&page=2');
    await ask('/companies/company-2/latest-revenue');
    const response = await fetch(new URL('/sandbox/bill', baseUrl));
    const at = '1970-01-01T00:00:00.000Z';
    const common = { at, method: 'GET', key: 'full', credits: 1 };
    expect(await response.json()).toEqual([
      {
        ...common,
        operation: 'readInvestorInterest',
        path: '/investor-interest?limit=1&page=2',
        item: 'limit=1&page=2',
      },
      {
        ...common,
        operation: 'getCompanyLatestRevenue',
        path: '/companies/company-2/latest-revenue',
        item: 'company-2',
      },
    ]);
  });

  const unbilled: readonly [string, Question][] = [
    ['/people/per_nobody', {}],
    ['/companies/company-none/latest-revenue', {}],
    ['/investor-interest?search_id=999', {}],
    ['/investor-interest?search_id=110', {}],
    ['/investor-interest?search_id=111', {}],
    ['/investor-interest?page=100000', {}],
    ['/investor-interest?limit=0', {}],
    ['/people/resolve', { method: 'POST', body: resolveBody }],
  ];
  it.for(unbilled)('does not hold %s', async ([path, question], { ask, bill, requests }) => {
    await ask(path, question);
    expect(bill()).toEqual([]);
    expect(Object.values(requests())).toEqual([1]);
  });
});

describe('the rate limit', () => {
  it('answers 429 with the three headers, executes and bills nothing, and recovers when Reset has passed', async () => {
    let time = 0;
    const { ask, bill } = await start({ rateLimit: 2, now: () => time });
    const header = async (path = '/people/per_sample1') => {
      const { status, headers } = await ask(path);
      return [
        status,
        ...['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)),
      ];
    };
    expect(await header()).toEqual([200, '2', '1', '0.000']);
    expect(await header('/people/per_nobody')).toEqual([404, '2', '0', '0.500']);
    expect(await header()).toEqual([429, '2', '0', '0.500']);
    time = 300;
    expect(await header()).toEqual([429, '2', '0', '0.200']);
    time = 500;
    expect(await header()).toEqual([200, '2', '0', '0.500']);
    expect(bill()).toHaveLength(2);
    expect(await ask('/people/per_sample1')).toMatchObject({
      status: 429,
      json: { errorCode: 'RATE_LIMITED' },
    });
  });

  it('lets through at once what it allows in a second, has a bucket for each key, and none for health', async () => {
    let time = 0;
    const { ask } = await start({ rateLimit: 3, now: () => time });
    const statuses: number[] = [];
    // However long nobody asked.
    time = 60_000;
    for (let call = 0; call < 4; call++) statuses.push((await ask('/lists/companies')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await ask('/lists/companies', { key: keys.noCredits })).status).toBe(200);
    const health = await ask('/health');
    expect(health.status).toBe(200);
    expect(health.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('is silent where none is set', async ({ ask }) => {
    expect((await ask('/lists/companies')).headers.get('x-ratelimit-limit')).toBeNull();
  });
});
