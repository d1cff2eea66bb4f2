import { request } from 'node:http';
import { describe, expect } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { SandboxOptions } from '../../src/sandbox/world.ts';
import { expectToGrowWith } from '../support/cost.ts';
import { it, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const { lists, person, company, investor } = landmarks;

describe('another Host than its own', () => {
  /** The status and body of a request with this Host. */
  const asked = (baseUrl: string, path: string, host: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request(
        new URL(path, baseUrl),
        { headers: { host, 'X-API-Key': 'sandbox-key-full' } },
        async (response) => {
          let body = '';
          for await (const chunk of response) body += chunk;
          resolve({ status: response.statusCode, body });
        },
      );
      sent.on('error', reject).end();
    });
  const paths = [
    '/api/v1/health',
    '/api/v1/people/per_sample1',
    '/api/v1/openapi.json',
    '/sandbox/bill',
    '/sandbox/requests',
    '/nowhere',
  ];

  it.for([
    'example.org',
    '127.0.0.1.example.org',
    'example.org@127.0.0.1',
    '127.0.0.2',
    '[::1]',
    'localhost.',
  ])('%j is answered 421, whatever the path', async (name, { baseUrl, bill, requests }) => {
    const { port } = new URL(baseUrl);
    for (const path of paths) {
      const { status, body } = await asked(baseUrl, path, `${name}:${port}`);
      expect([path, status, JSON.parse(body)]).toEqual([
        path,
        421,
        { message: expect.any(String) },
      ]);
    }
    expect([bill(), requests()]).toEqual([[], {}]);
  });

  it('nor another port; localhost is its own in any case', async ({ baseUrl }) => {
    const { port } = new URL(baseUrl);
    expect((await asked(baseUrl, '/sandbox/bill', `127.0.0.1:${Number(port) - 1}`)).status).toBe(
      421,
    );
    expect((await asked(baseUrl, '/sandbox/bill', '127.0.0.1')).status).toBe(421);
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST']) {
      expect((await asked(baseUrl, '/api/v1/health', `${name}:${port}`)).status).toBe(200);
    }
  });
});

describe('paths that are no endpoint', () => {
  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/', 404],
    ['GET', '/people/', 404],
    ['GET', '/people/a/b', 404],
    ['GET', '/health/', 404],
    ['POST', '/health', 405],
    ['DELETE', '/people/per_sample1', 405],
    ['PUT', `/lists/people/${lists.people.shared}`, 405],
  ])('%s %s is answered %i', async (method, path, status) => {
    const answer = await (await start()).ask(path, { method });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ message: expect.any(String) });
    expect(answer.headers.get('allow') !== null).toBe(status === 405);
  });

  it('404 outside the base URL', async ({ baseUrl }) => {
    for (const path of ['/', '/health', '/api/v2/health', '/sandbox/bills'])
      expect((await fetch(new URL(path, baseUrl))).status).toBe(404);
  });
});

it('refuses a body beyond all measure', async () => {
  const answer = await (await start()).ask('/people/resolve', {
    method: 'POST',
    body: 'x'.repeat(17 * 1024 * 1024),
  });
  expect(answer.status).toBe(413);
});

it('gives each answer a request id of its own', async ({ ask }) => {
  const ids = [
    await ask('/health'),
    await ask('/people/per_nobody'),
    await ask('/x', { key: null }),
  ].map(({ headers }) => headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain(null);
});

it('counts requests for anyone who asks', async ({ ask, baseUrl }) => {
  await ask('/health');
  await ask('/people/per_nobody', { key: null });
  expect(await (await fetch(new URL('/sandbox/requests', baseUrl))).json()).toEqual({
    checkHealth: 1,
    getPerson: 1,
  });
});

describe('the data set', () => {
  const texts = async (options: SandboxOptions) => {
    const { ask, stop } = await start(options);
    const paths = [
      'people/per_sample2',
      'investor-interest?limit=5',
      `investors?website=${investor.website}`,
      'network/people?limit=3',
    ];
    const answers = await Promise.all(paths.map(async (path) => (await ask(`/${path}`)).text));
    await stop();
    return answers;
  };

  it('is the same for the same seed and size, and another for another seed', async () => {
    const [one, again, other] = [
      await texts({ seed: 7 }),
      await texts({ seed: 7 }),
      await texts({ seed: 8 }),
    ];
    expect(again).toEqual(one);
    for (const [at, text] of other.entries()) expect(text).not.toBe(one[at]);
  });

  it.each([
    { seed: 0 },
    { seed: 1 },
    { seed: 123_456_789 },
    { people: 1 },
    { people: 3000, seed: 5 },
  ])('keeps its landmarks with %j', async (options) => {
    const { ask } = await start(options);
    const names = {
      profnet_url: person.url,
      profnet_id: person.slug,
      profnet_num_id: person.memberId,
      profnet_urn: person.urn,
    };
    const to_resolve = Object.entries(names).map(([field, value]) => ({ [field]: value }));
    const found = {
      matches: [{ person_id: person.id, full_name: person.name, profnet_url: person.url }],
    };
    expect(
      (await ask('/people/resolve', { method: 'POST', body: { to_resolve } })).json,
    ).toMatchObject(Array(4).fill(found));
    expect((await ask(`/companies/${company.withRevenue}/latest-revenue`)).json).not.toMatchObject({
      est_revenue_usd: null,
    });
    expect((await ask(`/companies/${company.withoutRevenue}/latest-revenue`)).json).toMatchObject({
      est_revenue_usd: null,
    });
    const { json: investors } = await ask(
      `/investors?name=${investor.name}&website=${investor.website}`,
    );
    expect(investors).toMatchObject([{ investor_id: investor.id }]);
  });

  it('starts at once at 100,000 people and finds the last of them', async () => {
    await expectToGrowWith(25_000, async (people) => {
      const { ask } = await start({ people });
      const body = { to_resolve: [{ profnet_urn: `urn:profnet:member:S${people}` }] };
      expect((await ask('/people/resolve', { method: 'POST', body })).json).toMatchObject([
        { matches: [{ person_id: `per_sample${people}` }] },
      ]);
    });
  });
});

describe('options', () => {
  it('listens on the port asked for, and says so when it is taken', async () => {
    const first = await start();
    const port = Number(new URL(first.baseUrl).port);
    await expect(startSandbox({ port })).rejects.toThrow(UsageError);
    await first.stop();
    expect((await start({ port })).baseUrl).toBe(first.baseUrl);
  });

  it('delays answers by latency, after execution', async () => {
    const { ask } = await start({ latency: 30 });
    const began = performance.now();
    await ask('/health');
    expect(performance.now() - began).toBeGreaterThanOrEqual(29);
  });
});
