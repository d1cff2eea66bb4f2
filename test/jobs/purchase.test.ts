import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../src/client/call.ts';
import type { Billing, Endpoint } from '../../src/contract/endpoint.ts';
import { readInvestorInterest } from '../../src/contract/feed.ts';
import { findInvestors } from '../../src/contract/investors.ts';
import { getPerson } from '../../src/contract/person.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { type Billed, PdiError, ServiceError } from '../../src/errors.ts';
import type { Write } from '../../src/files/private.ts';
import { createPurchase, type Item, type Purchase } from '../../src/jobs/purchase.ts';
import { Budget } from '../../src/money/budget.ts';
import { Cap } from '../../src/money/cap.ts';
import { openLedger } from '../../src/money/ledger.ts';
import { ledgerPath } from '../../src/money/ledger-file.ts';
import { readLedger } from '../../src/money/ledger-reading.ts';
import { ApiRecord } from '../../src/rows/record.ts';
import { clock, diskWithRoom, newFolder } from '../money/places.ts';

/** A purchase with a cap of 2 and a ledger of its own. */
function shop(write?: Write) {
  const directory = newFolder();
  const cap = new Cap(2);
  const opened = openLedger({ directory, clock, ...(write !== undefined && { write }) });
  const baseUrl = 'https://api.example.test/api/v1';
  const made = createPurchase({ cap, ledger: () => opened, profile: 'default', command: 'person', baseUrl, sandbox: false });
  const lines = (): readonly string[] => readFileSync(ledgerPath(directory, clock().toISOString()), 'utf8').split('\n').slice(0, -1);
  const calls = async () => {
    const found = [];
    for (const { item, operation, outcome } of readLedger(directory)) found.push({ item, operation, outcome });
    return found;
  };
  return { ...made, purchase: unstopped(made.purchase), cap, lines, calls };
}

/** For a run that nothing stops. */
const unstopped =
  (purchase: Purchase) =>
  <T>(endpoint: Endpoint, item: Item, call: () => Promise<Answer<T>>) =>
    purchase(endpoint, item, call, () => false);

const answered = <T>(body: T) => ({ status: 200, body, record: new ApiRecord(body), records: [] });
const failing = (billed: Billed) => () => Promise.reject(new ServiceError('unavailable', 'no answer', { billed }));

describe('a purchase', () => {
  it('has its line in the ledger before the call, and its outcome after', async () => {
    const { purchase, lines, calls, spent, cap } = shop();
    await purchase(getPerson, 'per_1', async () => {
      expect(lines()).toHaveLength(1);
      expect(lines()[0]).toContain('"event":"sent"');
      expect(cap.left).toBe(1);
      return answered({ person_id: 'per_1' });
    });
    expect(await calls()).toEqual([{ item: 'per_1', operation: 'GET /people/{personId}', outcome: 'billed' }]);
    expect([spent, cap.left]).toEqual([{ billed: 1, unknown: 0 }, 1]);
  });

  const empty = answered([]);
  it.each([
    ['charged', getPerson, answered({}), 'billed'],
    ['a page', readInvestorInterest, answered([{ signal_id: 's' }]), 'billed'],
    ['an empty page', readInvestorInterest, empty, 'not_billed'],
    ['of unstated price', findInvestors, empty, 'unpriced'],
  ] as const)('that is %s ends as it should', async (_words, endpoint: Endpoint, answer, outcome) => {
    const { purchase, calls, cap } = shop();
    await purchase(endpoint, 'x', async () => answer);
    expect((await calls()).map((call) => call.outcome)).toEqual([outcome]);
    expect(cap.left).toBe(1);
  });

  it.each([
    ['no', 'not_billed'],
    ['yes', 'billed'],
    ['unknown', 'lost'],
  ] as const)('that failed, billed %s, is %s and keeps its place under the cap', async (billed, outcome) => {
    const { purchase, calls, cap } = shop();
    expect(await purchase(getPerson, 'per_1', failing(billed))).toMatchObject({ message: 'no answer' });
    expect([(await calls()).map((call) => call.outcome), cap.left]).toEqual([[outcome], 1]);
  });

  const status = (code: 'not_found' | 'credits' | 'auth', number: number) => () =>
    Promise.reject(new ServiceError(code, 'refused', { billed: 'no', status: number }));
  it.each([
    ['a 404 of a charged call', getPerson, status('not_found', 404), 'unpriced', 0],
    ['a 404 of unstated price', findInvestors, status('not_found', 404), 'unpriced', 0],
    ['a refusal', getPerson, status('auth', 403), 'not_billed', 0],
    ['no credits, told as 404', getPerson, status('credits', 404), 'not_billed', 0],
    ['a lost answer of unstated price', findInvestors, failing('unknown'), 'unpriced', 1],
  ] as const)(
    'that ends with %s says so in the ledger, and to the run what its error says',
    async (_words, endpoint: Endpoint, call, outcome, unknown) => {
      const { purchase, calls, spent } = shop();
      await purchase(endpoint, 'x', call);
      expect([(await calls()).map((call) => call.outcome), spent]).toEqual([[outcome], { billed: 0, unknown }]);
    },
  );

  it('that dies of a bug may have been sent', async () => {
    const { purchase, calls, cap } = shop();
    await expect(purchase(getPerson, 'per_1', () => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
    expect([(await calls()).map((call) => call.outcome), cap.left]).toEqual([['lost'], 1]);
  });

  it('that is free needs neither cap nor ledger', async () => {
    const cap = new Cap(0);
    const ledger = () => Promise.reject(new Error('nobody asked for it'));
    const { purchase, spent } = createPurchase({
      cap,
      ledger,
      profile: 'p',
      command: 'resolve',
      baseUrl: 'https://a.test',
      sandbox: false,
    });
    const billing: Billing = resolvePeople.billing;
    expect(billing).toBe('free');
    expect(await unstopped(purchase)(resolvePeople, 'x', async () => empty)).toBe(empty);
    expect(spent).toEqual({ billed: 0, unknown: 0 });
  });

  it('beyond the cap is not made, nor written down', async () => {
    const { purchase, lines } = shop();
    let made = 0;
    const call = async () => {
      made += 1;
      return empty;
    };
    const outcomes = await Promise.all([1, 2, 3, 4].map((number) => purchase(getPerson, `per_${number}`, call)));
    expect(outcomes.map((bought) => (bought instanceof PdiError ? bought.code : 'bought'))).toEqual([
      'bought',
      'bought',
      'credits',
      'credits',
    ]);
    expect([made, lines().length]).toEqual([2, 4]);
  });

  it('is not made where its line cannot be written, and leaves the cap as it was', async () => {
    const { purchase, cap, spent } = shop(diskWithRoom(20).write);
    let made = 0;
    const buy = purchase(getPerson, 'per_1', async () => {
      made += 1;
      return empty;
    });
    expect(await buy).toMatchObject({ code: 'internal', details: { billed: 'no' } });
    expect([made, cap.left, spent.billed]).toEqual([0, 2, 0]);
  });

  it('is not made where the ledger cannot be opened, and leaves the cap as it was', async () => {
    const cap = new Cap(1);
    const ledger = () => Promise.reject(new PdiError('internal', 'no ledger'));
    const { purchase } = createPurchase({ cap, ledger, profile: 'p', command: 'person', baseUrl: 'https://a.test', sandbox: false });
    expect(await unstopped(purchase)(getPerson, 'per_1', async () => empty)).toMatchObject({ message: 'no ledger' });
    expect(cap.left).toBe(1);
  });

  it('that could not even be prepared for was not sent: so the ledger says', async () => {
    const { purchase, calls, cap } = shop();
    const unprepared = () => {
      throw new PdiError('internal', 'cannot write the journal', { billed: 'no' });
    };
    expect(await purchase(getPerson, 'per_1', unprepared)).toMatchObject({ message: 'cannot write the journal' });
    expect([(await calls()).map((call) => call.outcome), cap.left]).toEqual([['not_billed'], 1]);
  });
});

/** A run with a cap of 3 and a budget of 1, whose calls end when they are told to. */
function run(countedIn = (directory: string, at: string): string => ledgerPath(directory, at)) {
  const directory = newFolder();
  const opened = openLedger({ directory });
  const budget = new Budget({ limits: { month: 1 }, owner: 'us', fileOf: (at) => countedIn(directory, at) });
  const facts = { profile: 'default', command: 'person', baseUrl: 'https://api.example.test/api/v1', sandbox: false };
  const cap = new Cap(3);
  const { purchase } = createPurchase({ cap, ledger: () => opened, buyer: async () => ({ owner: 'us', budget }), ...facts });
  const ends = new Map<string, (outcome: Answer<object> | Error) => void>();
  let isStopped = false;
  const buy = (item: string) => {
    const call = () =>
      new Promise<Answer<object>>((resolve, reject) => ends.set(item, (end) => (end instanceof Error ? reject(end) : resolve(end))));
    return purchase(getPerson, item, call, () => isStopped);
  };
  const isSent = (item: string) => vi.waitFor(() => expect(ends.has(item)).toBe(true));
  const items = () => [...readLedger(directory)].map(({ item, outcome }) => [item, outcome]);
  const stop = () => {
    isStopped = true;
  };
  return { buy, ends, isSent, items, cap, stop };
}

describe('a purchase past the budget', () => {
  const refused = new ServiceError('unavailable', 'refused', { billed: 'no', status: 503 });

  it('is made once the call before it turned out not billed', async () => {
    const { buy, ends, isSent, items } = run();
    const [first, second] = [buy('per_1'), buy('per_2')];
    await isSent('per_1');
    await vi.waitFor(() => expect(items()).toHaveLength(2));
    expect(ends.has('per_2')).toBe(false);
    ends.get('per_1')?.(refused);
    await isSent('per_2');
    ends.get('per_2')?.(answered({}));
    expect([await first, await second]).toMatchObject([{ message: 'refused' }, { status: 200 }]);
    expect(items()).toEqual([
      ['per_1', 'not_billed'],
      ['per_2', 'billed'],
    ]);
  });

  it('lets no other take a place under the cap while it waits', async () => {
    const { buy, ends, isSent, items, cap } = run();
    const bought = ['per_1', 'per_2', 'per_3', 'per_4'].map(buy);
    await isSent('per_1');
    await vi.waitFor(() => expect(items()).toHaveLength(2));
    expect(cap.left).toBe(1);
    ends.get('per_1')?.(answered({}));
    const ofBudget = { code: 'credits', message: expect.stringContaining('the budget of 1 call a month is used up') };
    expect(await Promise.all(bought)).toMatchObject([{ status: 200 }, ofBudget, ofBudget, ofBudget]);
    expect(cap.left).toBe(2);
  });

  it('is not made once the run has stopped, even where there is room by then', async () => {
    const { buy, ends, isSent, items, stop } = run();
    const [first, second, third] = [buy('per_1'), buy('per_2'), buy('per_3')];
    await isSent('per_1');
    await vi.waitFor(() => expect(items()).toHaveLength(2));
    stop();
    expect(await second).toMatchObject({ code: 'interrupted', details: { billed: 'no' } });
    ends.get('per_1')?.(refused);
    expect([await first, await third]).toMatchObject([{ message: 'refused' }, { code: 'interrupted' }]);
    expect(items().toSorted()).toEqual([
      ['per_1', 'not_billed'],
      ['per_2', 'not_billed'],
    ]);
  });
});

it('a purchase whose budget cannot be read is not made, and stands in the ledger as not billed', async () => {
  const { buy, items, cap } = run((directory) => directory);
  expect(await buy('per_1')).toMatchObject({ code: 'internal', message: expect.stringContaining('cannot read the spend ledger') });
  expect([items(), cap.left]).toEqual([[['per_1', 'not_billed']], 3]);
});

describe('an answer whose outcome the ledger cannot take', () => {
  it('is not lost: it comes with the trouble, and stands in the ledger as lost', async () => {
    const { purchase, calls, cap, spent } = shop(diskWithRoom(300).write);
    const answer = answered({ person_id: 'per_1' });
    const bought = await purchase(getPerson, 'per_1', async () => answer);
    expect(bought).toMatchObject({ ...answer, trouble: { code: 'internal', details: { billed: 'yes' } } });
    expect([(await calls()).map((call) => call.outcome), cap.left, spent.billed]).toEqual([['lost'], 1, 1]);
  });
});
