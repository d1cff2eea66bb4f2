import { describe, expect, it } from 'vitest';
import { type CallFault, faultNames, parseFault, planFaults } from '../../src/sandbox/faults.ts';
import { start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const charged = `/people/${landmarks.person.id}`;

describe('parseFault', () => {
  it.each(faultNames)('knows %s', (name) => {
    expect(parseFault(name)).toEqual({ name, probability: 1 });
    expect(parseFault(`${name}:0.25`)).toEqual({ name, probability: 0.25 });
  });

  it.each(['reset:1', 'reset:.5', 'reset:0.001'])('takes %s', (text) => {
    expect(parseFault(text).probability).toBeGreaterThan(0);
  });

  it.each([
    '',
    'explode',
    'RESET',
    '504',
    'reset:0',
    'reset:1.1',
    'reset:-1',
    'reset:',
    'reset:x',
    'reset:1e-1',
    'reset:0.5:1',
    ':0.5',
  ])('refuses %j, with what to write', (text) => {
    const details = expect.objectContaining({
      hint: expect.stringMatching(/One of: \S+, |NAME:P/),
    });
    expect(() => parseFault(text)).toThrow(
      expect.objectContaining({ name: 'UsageError', details }),
    );
  });
});

describe('draws', () => {
  const drawn = (seed: number, ...faults: string[]) => {
    const plan = planFaults(seed, faults.map(parseFault));
    return Array.from({ length: 400 }, () => plan.strike('getPerson', ''));
  };

  it('repeat with the seed, differ with another, and come near the probability', () => {
    const one = drawn(1, '503:0.25');
    expect(drawn(1, '503:0.25')).toEqual(one);
    expect(drawn(2, '503:0.25')).not.toEqual(one);
    const share = one.filter((fault) => fault === '503').length / one.length;
    expect(share).toBeGreaterThan(0.17);
    expect(share).toBeLessThan(0.33);
  });

  it('do not depend on other faults, the first given wins', () => {
    const hits = (faults: (CallFault | undefined)[]) => faults.map((fault) => fault === '503');
    expect(hits(drawn(1, '503:0.25', 'reset:0.5', 'analytics-store:0.5'))).toEqual(
      hits(drawn(1, '503:0.25')),
    );
    expect(drawn(1, '503', 'reset')).not.toContain('reset');
  });
});

const struck = (name: CallFault) => start({ fault: [{ name, probability: 1 }] });

describe('a fault before execution bills nothing', () => {
  it('reset', async () => {
    const { ask, bill, requests } = await struck('reset');
    await expect(ask(charged)).rejects.toThrow();
    expect([bill(), requests()]).toEqual([[], { getPerson: 1 }]);
  });

  it.each(['503', '500'] as const)('%s', async (name) => {
    const { ask, bill } = await struck(name);
    const answer = await ask(charged);
    expect(answer).toMatchObject({ status: Number(name), json: { message: expect.any(String) } });
    expect(bill()).toEqual([]);
  });
});

describe('a fault after execution comes with the bill', () => {
  it('drop-after-billing', async () => {
    const { ask, bill } = await struck('drop-after-billing');
    await expect(ask(charged)).rejects.toThrow();
    expect(bill()).toHaveLength(1);
  });

  it('drop-after-billing has deleted what it was told to', async () => {
    let fault: CallFault | undefined = 'drop-after-billing';
    const { ask } = await start({ faultRule: () => fault });
    const path = `/lists/people/${landmarks.lists.people.shared}`;
    await expect(ask(path, { method: 'DELETE' })).rejects.toThrow();
    fault = undefined;
    expect((await ask(path, { method: 'DELETE' })).status).toBe(404);
  });

  it('malformed', async () => {
    const { ask, bill } = await struck('malformed');
    await expect(ask(charged)).rejects.toThrow(SyntaxError);
    expect(bill()).toHaveLength(1);
  });

  it.each([
    ['a full body', charged, 'GET'],
    ['an empty one', `/lists/people/${landmarks.lists.people.shared}`, 'DELETE'],
    ['none at all', `/lists/investors/${landmarks.lists.investors.shared}`, 'DELETE'],
  ])('truncate: %s', async (_name, path, method) => {
    const { baseUrl, keys } = await struck('truncate');
    const response = await fetch(baseUrl + path, { method, headers: { 'x-api-key': keys.full } });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('slow: until the client goes away, and stop does not wait for it', async () => {
    const { baseUrl, keys, bill, stop } = await struck('slow');
    const headers = { 'x-api-key': keys.full };
    await expect(
      fetch(baseUrl + charged, { headers, signal: AbortSignal.timeout(500) }),
    ).rejects.toThrow();
    const hanging = fetch(baseUrl + charged, { headers }).catch(() => 'broken off');
    await expect.poll(() => bill().length, { timeout: 300_000 }).toBe(2);
    await stop();
    expect(await hanging).toBe('broken off');
  });

  it('adds no bill to a call that is refused', async () => {
    const { ask, bill } = await struck('drop-after-billing');
    await expect(ask('/people/per_nobody')).rejects.toThrow();
    expect(bill()).toEqual([]);
  });
});

it('habits of the feed: pages of 50, and another order within a day at each request', async () => {
  const { ask } = await start({
    fault: [parseFault('ignores-limit'), parseFault('changing-order')],
  });
  const signals = async () => {
    const { json } = await ask('/investor-interest?limit=3');
    return Array.isArray(json) ? json : [];
  };
  const [one, other] = [await signals(), await signals()];
  expect([one.length, other.length]).toEqual([50, 50]);
  expect(one).not.toEqual(other);
  const days = one.map(({ signal_date: day }) => day);
  expect(days).toEqual(days.toSorted().reverse());
});

it('strikes no call that is refused at the gate, nor health, nor the bill', async () => {
  const { ask, baseUrl, keys } = await struck('reset');
  expect((await ask(charged, { key: null })).status).toBe(401);
  expect((await ask(charged, { key: keys.noPermission })).status).toBe(403);
  expect((await ask(charged, { key: keys.noCredits })).status).toBe(402);
  expect((await ask('/investor-interest?page=x')).status).toBe(422);
  expect((await ask('/health')).status).toBe(200);
  for (const url of ['/sandbox/bill', '/sandbox/bill?now', '/api/v1/openapi.json?x=1']) {
    expect((await fetch(new URL(url, baseUrl))).status).toBe(200);
  }
});

it('follows a rule, call by call, before the drawn faults', async () => {
  const seen: unknown[] = [];
  const { ask } = await start({
    fault: [{ name: '500', probability: 1 }],
    faultRule: (call) => {
      seen.push(call);
      return call.number === 2 ? '503' : undefined;
    },
  });
  const answers = [
    await ask('/people/per_sample1'),
    await ask('/people/per_sample2'),
    await ask('/investors?name=x'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([500, 503, 500]);
  expect(seen).toEqual([
    { operation: 'getPerson', item: 'per_sample1', number: 1 },
    { operation: 'getPerson', item: 'per_sample2', number: 2 },
    { operation: 'findInvestors', item: 'name=x', number: 1 },
  ]);
});

it.each([
  ['relational-store', { relational_store: 'ERROR', analytics_store: 'OK' }],
  ['analytics-store', { relational_store: 'OK', analytics_store: 'ERROR' }],
] as const)('health reports %s alone, and the other calls go on', async (name, stores) => {
  const { ask } = await start({ fault: [{ name, probability: 1 }] });
  expect(await ask('/health')).toMatchObject({ status: 503, json: { status: 'ERROR', ...stores } });
  expect((await ask(charged)).status).toBe(200);
});
