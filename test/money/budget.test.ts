import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget, type Limits } from '../../src/money/budget.ts';
import { newFolder } from './places.ts';

const today = '2026-03-31T10:00:00.000Z';
const now = () => new Date().toISOString();
const second = 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  vi.setSystemTime(today);
});
afterEach(() => {
  vi.useRealTimers();
});

/** A ledger of one month, and budgets that count in it. */
function ledger() {
  const path = join(newFolder(), 'ledger.ndjson');
  const sent = (id: string, { at = now(), owner = 'us' } = {}) =>
    appendFileSync(path, `${JSON.stringify({ id, event: 'sent', at, profile: 'p', owner })}\n`);
  const ended = (id: string, event: string) => appendFileSync(path, `${JSON.stringify({ id, event, at: now() })}\n`);
  const budget = (limits: Limits) => new Budget({ limits, owner: 'us', fileOf: () => path });
  return { path, sent, ended, budget };
}

interface Asking {
  readonly at?: string;
  readonly stopped?: () => boolean;
}

/** Asks whether a call may be sent. What comes of it is told after so many milliseconds. */
function asked(budget: Budget, id: string, { at = now(), stopped = () => false }: Asking = {}) {
  let verdict = 'waits';
  void budget.refusalOf(id, at, stopped).then((refusal) => {
    verdict = refusal?.message ?? 'goes';
  });
  return async (milliseconds: number): Promise<string> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return verdict;
  };
}

/** What comes of it at once. */
const verdictOn = (budget: Budget, id: string, asking?: Asking): Promise<string> => asked(budget, id, asking)(0);

const usedUp = (calls: string) => `the budget of ${calls} a month is used up this month (UTC)`;

describe('the budget', () => {
  it('lets as many calls pass as it says, in the order of their lines, whoever asks first', async () => {
    const { sent, ended, budget } = ledger();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) sent(id);
    for (const id of ['a', 'b', 'c']) ended(id, 'billed');
    const verdicts = await Promise.all(ids.toReversed().map((id) => verdictOn(budget({ month: 3 }), id)));
    expect(verdicts).toEqual([usedUp('3 calls'), usedUp('3 calls'), 'goes', 'goes', 'goes']);
  });

  it('is exact for any number of processes that append as they like, and any that are refused by the service', async () => {
    const step = fc.record({ process: fc.nat(3), refused: fc.boolean(), ending: fc.option(fc.nat()) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(12), async (steps, limit) => {
        const { sent, ended, budget } = ledger();
        const budgets = Array.from({ length: 4 }, () => budget({ month: limit }));
        const underWay: { id: string; refused: boolean }[] = [];
        const count = { asking: 0, billed: 0, billable: 0 };
        const end = (place: number) => {
          const [call] = underWay.splice(place % underWay.length, 1);
          if (call === undefined) return;
          ended(call.id, call.refused ? 'not_billed' : 'billed');
          if (!call.refused) count.billed += 1;
        };
        const buy = async (id: string, process: number, refused: boolean) => {
          sent(id);
          count.asking += 1;
          if (!refused) count.billable += 1;
          const isOver = (await budgets[process]?.refusalOf(id, now(), () => false)) !== undefined;
          count.asking -= 1;
          if (isOver) ended(id, 'not_billed');
          else underWay.push({ id, refused });
        };
        for (const [number, { process, refused, ending }] of steps.entries()) {
          void buy(`run.${number}`, process, refused);
          if (ending !== null) end(ending);
          await vi.advanceTimersByTimeAsync(20);
          expect(count.billed + underWay.length).toBeLessThanOrEqual(limit);
        }
        while (count.asking + underWay.length > 0) {
          while (underWay.length > 0) end(0);
          await vi.advanceTimersByTimeAsync(100);
        }
        expect(count.billed).toBe(Math.min(limit, count.billable));
        expect(budget({ month: limit }).useAt(today)).toEqual([{ period: 'month', limit, used: count.billed }]);
      }),
      { numRuns: 60 },
    );
  });

  it('counts a call whose process was killed, and one whose price nobody knows', async () => {
    const { sent, ended, budget } = ledger();
    sent('killed', { at: '2026-03-31T09:59:50.000Z' });
    sent('lost');
    ended('lost', 'lost');
    sent('last');
    expect(await verdictOn(budget({ month: 2 }), 'last')).toBe(usedUp('2 calls'));
  });

  it('has a month and a day of UTC, each for itself', async () => {
    const { sent, ended, budget } = ledger();
    sent('yesterday', { at: '2026-03-30T23:59:59.999Z' });
    sent('today');
    sent('next');
    const both = budget({ month: 3, day: 2 });
    expect(await verdictOn(both, 'next')).toBe('goes');
    expect(both.useAt(today)).toEqual([
      { period: 'month', limit: 3, used: 3 },
      { period: 'day', limit: 2, used: 2 },
    ]);
    for (const id of ['yesterday', 'today', 'next']) ended(id, 'billed');
    sent('more');
    expect(await verdictOn(both, 'more')).toBe(usedUp('3 calls'));
    const at = '2026-04-01T00:00:00.000Z';
    sent('tomorrow', { at });
    expect(await verdictOn(both, 'tomorrow', { at })).toBe('goes');
  });

  it('is of one base URL and account', async () => {
    const { sent, budget } = ledger();
    for (let call = 0; call < 5; call += 1) sent(`theirs.${call}`, { owner: 'them' });
    sent('ours');
    expect(await verdictOn(budget({ day: 1 }), 'ours')).toBe('goes');
  });

  it('reads past lines that a full disk cut off, and large ledgers in pieces', async () => {
    const { path, sent, budget } = ledger();
    for (let call = 0; call < 4000; call += 1) sent(`run.${call}`, { at: '2026-03-30T10:00:00.000Z' });
    appendFileSync(path, '{"id":"run.5000","event":"se');
    sent('behind');
    expect(budget({ month: 5000 }).useAt(today)).toEqual([{ period: 'month', limit: 5000, used: 4001 }]);
    expect(await verdictOn(budget({ month: 4000 }), 'behind')).toBe(usedUp('4000 calls'));
    expect(await verdictOn(budget({ month: 4001 }), 'behind')).toBe('goes');
  });
});

describe('a call past the budget', () => {
  it('waits for one before it that is under way, and goes where that one is not billed', async () => {
    const { sent, ended, budget } = ledger();
    sent('first');
    sent('last');
    const verdict = asked(budget({ month: 1 }), 'last');
    expect(await verdict(second)).toBe('waits');
    ended('first', 'not_billed');
    expect(await verdict(100)).toBe('goes');
  });

  it.each(['billed', 'lost', 'unpriced'])('is refused as soon as the one before it is %s', async (outcome) => {
    const { sent, ended, budget } = ledger();
    sent('first');
    sent('last');
    const verdict = asked(budget({ month: 1 }), 'last');
    expect(await verdict(second)).toBe('waits');
    ended('first', outcome);
    expect(await verdict(100)).toBe(usedUp('1 call'));
  });

  it('waits for nothing where all before it have ended, or those under way would not make enough room', async () => {
    const { sent, ended, budget } = ledger();
    for (const id of ['one', 'two']) sent(id);
    for (const id of ['one', 'two']) ended(id, 'billed');
    for (const id of ['under way', 'last']) sent(id);
    expect(await verdictOn(budget({ month: 2 }), 'last')).toBe(usedUp('2 calls'));
    expect(await verdictOn(budget({ month: 2 }), 'under way')).toBe(usedUp('2 calls'));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not take the one place that became free from a call before it', async () => {
    const { sent, ended, budget } = ledger();
    for (const id of ['first', 'a', 'b']) sent(id);
    const [b, a] = [asked(budget({ month: 1 }), 'b'), asked(budget({ month: 1 }), 'a')];
    ended('first', 'not_billed');
    expect([await b(second), await a(0)]).toEqual(['waits', 'goes']);
    ended('a', 'not_billed');
    expect(await b(100)).toBe('goes');
  });

  it('waits 10 seconds for a process that was killed, and for none of long ago or of a clock that was set back', async () => {
    const { sent, budget } = ledger();
    sent('killed');
    vi.setSystemTime('2026-03-31T10:00:04.000Z');
    sent('last');
    const verdict = asked(budget({ month: 1 }), 'last');
    expect([await verdict(5.8 * second), await verdict(0.4 * second)]).toEqual(['waits', usedUp('1 call')]);
    for (const at of ['2026-03-31T10:05:00.000Z', '2026-03-31T09:55:00.000Z']) {
      vi.setSystemTime(at);
      expect(await verdictOn(budget({ month: 1 }), 'last')).toBe(usedUp('1 call'));
    }
  });

  it('waits no longer where the clock stands still', async () => {
    const { sent, budget } = ledger();
    sent('killed');
    sent('last');
    const verdict = asked(budget({ month: 1 }), 'last');
    const standing = async (milliseconds: number) => {
      for (let waited = 0; waited < milliseconds; waited += 100) {
        await verdict(100);
        vi.setSystemTime(today);
      }
      return await verdict(0);
    };
    expect([await standing(9 * second), await standing(1.2 * second)]).toEqual(['waits', usedUp('1 call')]);
  });

  it('waits for no call of yesterday where today is used up', async () => {
    const { sent, ended, budget } = ledger();
    vi.setSystemTime('2026-03-31T00:00:01.000Z');
    sent('yesterday', { at: '2026-03-30T23:59:59.000Z' });
    sent('today');
    ended('today', 'billed');
    sent('last');
    const today = 'the budget of 1 call a day is used up today (UTC)';
    expect(await verdictOn(budget({ day: 1, month: 2 }), 'last')).toBe(today);
    expect(await verdictOn(budget({ day: 2, month: 2 }), 'last')).toBe('waits');
  });

  it('gives up once its run is stopped', async () => {
    const { sent, budget } = ledger();
    sent('first');
    sent('last');
    let isStopped = false;
    const verdict = asked(budget({ month: 1 }), 'last', { stopped: () => isStopped });
    expect(await verdict(second)).toBe('waits');
    isStopped = true;
    expect(await verdict(100)).toBe(usedUp('1 call'));
  });
});
