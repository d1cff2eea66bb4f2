/** 429 over loopback: one wait for all requests of a client. */
import { expect, test } from 'vitest';
import type { Handler } from '../support/origin.ts';
import { getPerson, ok, serve } from './calling.ts';

const person = (index: number) => ({ path: { personId: `per_${index}` } });
const limited = (headers: Record<string, string>) => ({
  status: 429,
  headers,
  json: { errorCode: 'RATE_LIMITED', message: 'slow down' },
});

test.each<[wait: string, least: number, headers: Record<string, string>, most?: number]>([
  [
    'the reset of the header, a float',
    50,
    { 'x-ratelimit-reset': '0.05', 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' },
  ],
  [
    'the reset, not Retry-After, never longer than --max-wait',
    300,
    { 'retry-after': '0', 'x-ratelimit-reset': '3600' },
    300,
  ],
  ['Retry-After, never longer than --max-wait', 300, { 'retry-after': '3600' }, 300],
  [
    'a Retry-After that is a date',
    300,
    {
      'retry-after': 'Mon, 01 Jun 2026 13:00:00 GMT',
      'x-ratelimit-reset': 'soon',
      date: 'Mon, 01 Jun 2026 12:00:00 GMT',
    },
    300,
  ],
  [
    'as after any failure where neither is a number',
    20,
    { 'retry-after': 'soon', 'x-ratelimit-reset': 'soon' },
  ],
])('after a 429 it waits %s', async (_wait, least, headers, maxWaitMs = 60) => {
  const times: number[] = [];
  const handler: Handler = (_request, _response, count) => {
    times.push(performance.now());
    return count === 1 ? limited(headers) : ok;
  };
  const { client } = await serve(handler, { maxWaitMs });
  await client.call(getPerson, person(1));
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(least);
});

test('Retry-After on an answer that is no refusal holds nothing up', async () => {
  const { client, requests } = await serve(() => ({ ...ok, headers: { 'retry-after': '60' } }), {
    maxWaitMs: 60_000,
  });
  for (let call = 1; call <= 3; call += 1) await client.call(getPerson, person(call));
  expect(requests).toHaveLength(3);
});

test('backing off from a 429 is clamped to --max-wait too', async () => {
  // So much luck would make it minutes.
  const { client, requests } = await serve(
    (_request, _response, count) => (count === 1 ? limited({}) : ok),
    {
      maxWaitMs: 10,
      random: () => 1000,
    },
  );
  await client.call(getPerson, person(1));
  expect(requests).toHaveLength(2);
});

test('a call without an answer is not waited for when the limit is asked', async () => {
  const { client, requests } = await serve((_request, response, count) => {
    if (count === 1) response.destroy();
    return count === 1 ? undefined : count === 2 ? limited({ 'x-ratelimit-reset': '0.01' }) : ok;
  });
  await expect(client.call(getPerson, person(1))).rejects.toThrow('the connection was closed');
  await client.call(getPerson, person(2));
  expect(requests).toHaveLength(3);
});

test('all requests wait together', async () => {
  const sent: { at: number; status: number }[] = [];
  let openAt = 0;
  const { client } = await serve(
    (_request, _response, count) => {
      const at = performance.now();
      if (count === 1) openAt = at + 50;
      const status = at < openAt ? 429 : 200;
      sent.push({ at, status });
      const seconds = String(Math.max(0, openAt - at) / 1000);
      return status === 429
        ? limited({
            'x-ratelimit-reset': seconds,
            'x-ratelimit-limit': '1000',
            'x-ratelimit-remaining': '0',
          })
        : ok;
    },
    { concurrency: 8, retries: 50 },
  );
  const rest = Array.from({ length: 16 }, (_, index) => person(index)).values();
  const callInTurn = async () => {
    for (const one of rest) await client.call(getPerson, one);
  };
  await Promise.all(Array.from({ length: 8 }, callInTurn));
  // The eight that were sent before the first answer came are refused; nothing is sent after it until the limit opens.
  expect(sent.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(8);
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(16);
});

test('a call that was refused goes before those that never went', async () => {
  const handler: Handler = (_request, _response, count) =>
    count === 1 ? limited({ 'x-ratelimit-reset': '0.01' }) : ok;
  const { client, requests } = await serve(handler, { concurrency: 1 });
  await Promise.all([1, 2, 3].map((index) => client.call(getPerson, person(index))));
  expect(requests.map(({ path }) => path.slice(-5))).toEqual(['per_1', 'per_1', 'per_2', 'per_3']);
});

test('Remaining on the answers keeps the client from running into the limit', async () => {
  let left = 3;
  let opensAt = Number.POSITIVE_INFINITY;
  const { client, requests } = await serve(() => {
    const now = performance.now();
    if (now >= opensAt) [left, opensAt] = [3, Number.POSITIVE_INFINITY];
    if (left === 0) return limited({ 'x-ratelimit-reset': '0.04', 'x-ratelimit-remaining': '0' });
    left -= 1;
    if (left === 0) opensAt = now + 40;
    return {
      ...ok,
      headers: {
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': left === 0 ? '0.04' : '0',
      },
    };
  });
  for (let index = 0; index < 4; index += 1) await client.call(getPerson, person(index));
  expect(requests).toHaveLength(4);
});

test('--rate spaces the requests', async () => {
  // When requests go, not when they arrive: a busy machine may let arrivals draw together.
  const times: number[] = [];
  const log = (line: string): void => {
    if (line.startsWith('> ')) times.push(performance.now());
  };
  const { client } = await serve(() => ok, { rate: 100, log });
  await Promise.all(Array.from({ length: 6 }, (_, index) => client.call(getPerson, person(index))));
  expect(times).toHaveLength(6);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(45);
});
