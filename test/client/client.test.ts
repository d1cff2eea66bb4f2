/** One call over loopback: what each answer comes to, by billing tag, and how often it was asked. */

import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { warningsHeard } from '../support/later.ts';
import type { Answer } from '../support/origin.ts';
import {
  batch,
  clientFor,
  failureIn,
  getPerson,
  ok,
  person,
  resolvePeople,
  serve,
  testKey,
} from './calling.ts';

const { checkHealth, deletePeopleList, deleteInvestorList } = operations;
const list = { path: { listId: '00000000-0000-4000-8000-000000000001' } };
const report = { status: 'ERROR', relational_store: 'OK', analytics_store: 'ERROR' };
const error = (errorCode: string, message = 'no') => ({ errorCode, message });

describe('what is sent', () => {
  test('path below the prefix, key, and nothing that was not asked for', async () => {
    const { client, requests, baseUrl } = await serve(() => ok);
    await client.call(getPerson, person);
    const [sent] = requests;
    expect(sent).toMatchObject({ method: 'GET', path: '/api/v1/people/per_1', body: '' });
    expect(sent?.headers).toEqual({
      host: new URL(baseUrl).host,
      connection: 'keep-alive',
      accept: 'application/json',
      'user-agent': 'pdi/test',
      'x-api-key': testKey,
    });
  });

  test('an answer behind a byte order mark is read like any other', async () => {
    const { client } = await serve(() => ({ text: '\ufeff{"person_id":"per_1"}' }));
    expect((await client.call(getPerson, person)).record.value).toEqual({ person_id: 'per_1' });
  });
});

describe('answers as documented', () => {
  test.each<[string, Answer]>([
    [
      'unknown fields and enum values',
      { json: { person_id: 'per_1', level_of_seniority: 'galactic', new_field: { deep: [1] } } },
    ],
    [
      'optional fields that are null',
      { json: { person_id: 'per_1', full_name: null, experience: null, skills: null } },
    ],
    ['another 2xx', { status: 203, ...ok }],
    ['another media type', { headers: { 'content-type': 'text/plain' }, ...ok }],
  ])('%s', async (_name, answer) => {
    const { client, requests } = await serve(() => answer);
    expect((await client.call(getPerson, person)).record.value).toEqual(answer.json);
    expect(requests).toHaveLength(1);
  });

  test.each([{ text: '<h1>Bad gateway</h1>' }, { text: '' }, { json: error('X') }])(
    'a 503 that holds no report is asked again: %j',
    async (answer) => {
      const { client, requests } = await serve((_request, _response, count) =>
        count < 3 ? { status: 503, ...answer } : { json: report },
      );
      expect((await client.call(checkHealth, { path: {} })).record.value).toEqual(report);
      expect(requests).toHaveLength(3);
    },
  );
});

test('a report with any other status is a failure, and so is a profile with 503', async () => {
  const health = await serve(() => ({ status: 500, json: report }), { retries: 0 });
  expect(await failureIn(health.client.call(checkHealth, { path: {} }))).toMatchObject({
    code: 'unavailable',
    status: 500,
  });
  const people = await serve(() => ({ status: 503, ...ok }), { retries: 0 });
  expect(await failureIn(people.client.call(getPerson, person))).toMatchObject({
    code: 'unavailable',
    status: 503,
  });
});

describe('refusals', () => {
  test('OUT_OF_CREDITS with 302 is no redirect', async () => {
    const { client, requests } = await serve(() => ({
      status: 302,
      headers: { location: '/elsewhere' },
      json: error('OUT_OF_CREDITS'),
    }));
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({
      code: 'credits',
      status: 302,
      billed: 'no',
    });
    expect(requests).toHaveLength(1);
  });

  test('OUT_OF_CREDITS with 429 is no rate limit: nobody waits for its reset', async () => {
    const broke = {
      status: 429,
      headers: { 'x-ratelimit-reset': '3600' },
      json: error('OUT_OF_CREDITS'),
    };
    const { client } = await serve((_request, _response, count) => (count === 1 ? broke : ok), {
      maxWaitMs: 3_600_000,
    });
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({ code: 'credits' });
    expect((await client.call(getPerson, person)).status).toBe(200);
  });
});

test.each([
  [
    '{"type":"about:blank","title":"Payment Required","status":402,"detail":"no seat for the API"}',
    'Payment Required: no seat for the API',
  ],
  ['{"detail":"no seat left"}', 'no seat left'],
  ['{"errorCode":"NO_PLAN","message":"no plan"}', 'no plan'],
  ['{"error":"no plan"}', 'no plan'],
  ['{"error":{"code":"X","message":"no plan"}}', 'no plan'],
])('a 402 without OUT_OF_CREDITS says why: %s', async (text, why) => {
  const { client } = await serve(() => ({
    status: 402,
    headers: { 'content-type': 'application/problem+json' },
    text,
  }));
  const failure = await failureIn(client.call(getPerson, person));
  expect(failure).toMatchObject({
    code: 'unavailable',
    billed: 'no',
    message: expect.stringContaining(`unexpected answer (402): ${why}`),
  });
});

describe('failures of the service', () => {
  test('a long message is cut, but through no character', async () => {
    const { client } = await serve(() => ({
      status: 400,
      json: error('NO', `${'x'.repeat(299)}😀😀`),
    }));
    const { message } = await failureIn(client.call(getPerson, person));
    expect([message.isWellFormed(), message.slice(-3)]).toEqual([true, 'xx…']);
  });

  test.each(['no answer', 504])(
    'a deletion that is 404 after %s says that it may be the work of an earlier attempt',
    async (first) => {
      const { client } = await serve((_request, response, count) => {
        if (count > 1 || first === 504) return { status: count > 1 ? 404 : 504, text: '' };
        response.destroy();
        return undefined;
      });
      const { code, hint } = await failureIn(client.call(deleteInvestorList, list));
      expect(code).toBe('not_found');
      expect(hint).toContain('an earlier attempt');
    },
  );

  test('so does one that an earlier call sent without an answer', async () => {
    const { client } = await serve(() => ({ status: 404, text: '' }));
    expect((await failureIn(client.call(deletePeopleList, list, { before: 1 }))).hint).toContain(
      'an earlier attempt',
    );
    expect((await failureIn(client.call(deletePeopleList, list))).hint).toMatch(/^check the id/);
  });
});

describe('stopping', () => {
  test('during a backoff ends the call with what it has', async () => {
    const stop = new AbortController();
    const { client, requests } = await serve(
      () => {
        setImmediate(() => stop.abort());
        return { status: 503, text: '' };
      },
      { stop: stop.signal, random: () => 1e6 },
    );
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({
      code: 'unavailable',
      status: 503,
      billed: 'no',
    });
    await expect(client.call(getPerson, person)).rejects.toMatchObject({
      code: 'interrupted',
      details: { billed: 'no' },
    });
    expect(requests).toHaveLength(1);
  });

  test('breaks a pause off, which else takes as long as before another attempt', async () => {
    const stop = new AbortController();
    // The first is in the name of the run.
    const randoms = [0, -0.9, 1e6];
    const { client } = await serve(() => ok, {
      stop: stop.signal,
      random: () => randoms.shift() ?? 0,
    });
    const before = performance.now();
    // 12.5 ms; a timer has a grain of one.
    await client.pause(1);
    expect(performance.now() - before).toBeGreaterThanOrEqual(11);
    const endless = client.pause(1);
    stop.abort();
    await expect(endless).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('is listened to by many pauses at once, of which Node warns nobody', async () => {
    const warnings = warningsHeard();
    const { client } = await serve(() => ok);
    await Promise.all(Array.from({ length: 20 }, () => client.pause(1)));
    expect(warnings).toEqual([]);
  });
});

test('the log tells each request and answer, and never the key', async () => {
  const { client, log, baseUrl } = await serve((_request, response, count) => {
    if (count === 1) return { status: 503, text: '' };
    if (count === 2) return { headers: { 'x-request-id': 'r-17' }, ...ok };
    response.destroy();
    return undefined;
  });
  await client.call(getPerson, person);
  await failureIn(client.call(getPerson, person));
  expect(log.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    `> GET ${baseUrl}/people/per_1`,
    '< 503 in N ms',
    `> GET ${baseUrl}/people/per_1 (attempt 2)`,
    '< 200 in N ms, request id r-17',
    `> GET ${baseUrl}/people/per_1`,
    '< no answer: the connection was closed after N ms',
  ]);
  expect(log.join('\n')).not.toContain(testKey);
});

test('of a header that is repeated the last counts', async () => {
  const { client, log } = await serve((_request, response) => {
    response
      .writeHead(200, [...['x-request-id', 'r-1'], ...['x-request-id', 'r-2']])
      .end(JSON.stringify(ok.json));
    return undefined;
  });
  await client.call(getPerson, person);
  expect(log.at(-1)).toMatch(/request id r-2$/);
});

test('a base URL without prefix, and one with a longer one', async () => {
  const { baseUrl, requests } = await serve(() => ok);
  const { origin } = new URL(baseUrl);
  for (const prefix of ['', '/gateway/api/v1']) {
    const { client } = await clientFor(origin + prefix);
    await client.call(getPerson, person);
  }
  expect(requests.map(({ path }) => path)).toEqual([
    '/people/per_1',
    '/gateway/api/v1/people/per_1',
  ]);
});

/** Redirects: followed inside the origin, refused where the key or the meaning of the request would get lost. */
const to = (status: number, location: string) => ({ status, headers: { location }, text: '' });

test.each([301, 302, 303, 307, 308])(
  '%d of a GET inside the origin is followed, key and all',
  async (status) => {
    const { client, requests } = await serve((_request, _response, count) =>
      count === 1 ? to(status, '/api/v2/people/per_1?x=1') : ok,
    );
    expect((await client.call(getPerson, person)).record.value).toEqual(ok.json);
    expect(
      requests.map(({ method, path, headers }) => [method, path, headers['x-api-key']]),
    ).toEqual([
      ['GET', '/api/v1/people/per_1', testKey],
      ['GET', '/api/v2/people/per_1?x=1', testKey],
    ]);
  },
);

test('a relative target, and the whole URL of the same origin', async () => {
  const { client, requests, baseUrl } = await serve((_request, _response, count) =>
    count === 1 ? to(307, 'per_2') : count === 2 ? to(307, `${baseUrl}/people/per_3`) : ok,
  );
  await client.call(getPerson, person);
  expect(requests.map(({ path }) => path.slice(-5))).toEqual(['per_1', 'per_2', 'per_3']);
});

test.each([
  ['https://127.0.0.1/x', 'https://127.0.0.1'],
  ['//127.0.0.1:1/x', 'http://127.0.0.1:1'],
  ['http://localhost/x', 'http://localhost'],
  ['file:///etc/passwd', 'file:'],
  ['javascript:alert(1)', 'javascript:'],
  ['http://[', 'a broken address'],
])('%s is not of the origin: the key does not go there', async (target, place) => {
  const { client, requests } = await serve(() => to(302, target));
  const failure = await failureIn(client.call(getPerson, person));
  expect(failure).toMatchObject({ code: 'unavailable', billed: 'no' });
  expect(failure.message).toContain(
    `the service redirects (302) to ${place}, which does not get the key`,
  );
  expect(requests).toHaveLength(1);
});

test.each([301, 302, 303])('%d of a POST would lose its body: an error', async (status) => {
  const { client, requests } = await serve(() => to(status, '/api/v1/elsewhere'));
  expect(await failureIn(client.call(resolvePeople, batch))).toMatchObject({
    code: 'unavailable',
    billed: 'no',
  });
  expect(requests).toHaveLength(1);
});

test.each([307, 308])('%d of a POST keeps method and body', async (status) => {
  const { client, requests } = await serve((_request, _response, count) =>
    count === 1 ? to(status, '/api/v1/elsewhere') : { json: [] },
  );
  await client.call(resolvePeople, batch);
  expect(requests[1]).toMatchObject({
    method: 'POST',
    path: '/api/v1/elsewhere',
    body: requests[0]?.body,
  });
});

test('five in a row are followed, and no more', async () => {
  const served = (redirects: number) =>
    serve((_request, _response, count) => (count <= redirects ? to(307, `per_${count}`) : ok));
  const few = await served(5);
  expect((await few.client.call(getPerson, person)).record.value).toEqual(ok.json);
  const many = await served(6);
  expect(await failureIn(many.client.call(getPerson, person))).toMatchObject({
    code: 'unavailable',
    billed: 'no',
  });
  expect(many.requests).toHaveLength(6);
});

test('many clients of one run warn of nothing', async () => {
  const warnings = warningsHeard();
  const { signal } = new AbortController();
  for (let count = 0; count < 12; count += 1)
    await clientFor('http://127.0.0.1:9/api/v1', { stop: signal });
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test('a stop with no call under way waits for nothing, and says so of none', async () => {
  const told: number[] = [];
  const stop = new AbortController();
  const { client } = await serve(() => ok, {
    stop: stop.signal,
    onFinishing: (calls) => told.push(calls),
  });
  await client.call(getPerson, person);
  stop.abort();
  expect(told).toEqual([]);
});
