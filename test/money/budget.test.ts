import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type Limits } from '../../src/money/budget.ts';
import { newFolder } from './places.ts';

const today = '2026-03-31T10:00:00.000Z';

/** A ledger of one month, and budgets that count in it. */
function ledger() {
  const path = join(newFolder(), 'ledger.ndjson');
  const sent = (id: string, { at = today, owner = 'us' } = {}) =>
    appendFileSync(path, `${JSON.stringify({ id, event: 'sent', at, profile: 'p', owner })}\n`);
  const ended = (id: string, event: string) => appendFileSync(path, `${JSON.stringify({ id, event, at: today })}\n`);
  const budget = (limits: Limits) => new Budget({ limits, owner: 'us', fileOf: () => path });
  return { path, sent, ended, budget };
}

describe('the budget', () => {
  it('lets as many calls pass as it says, in the order of their lines, whoever asks first', () => {
    const { sent, budget } = ledger();
    for (const id of ['a', 'b', 'c', 'd', 'e']) sent(id);
    expect(budget({ month: 3 }).refusalOf('d', today)?.message).toBe('the budget of 3 calls a month is used up this month (UTC)');
    expect(['c', 'b', 'a'].map((id) => budget({ month: 3 }).refusalOf(id, today))).toEqual([undefined, undefined, undefined]);
  });

  it('is exact for any number of processes that append as they like, and any that are refused by the service', () => {
    const tries = fc.array(fc.record({ process: fc.integer({ min: 0, max: 3 }), refused: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(tries, fc.integer({ min: 0, max: 20 }), (all, limit) => {
        const { sent, ended, budget } = ledger();
        const budgets = Array.from({ length: 4 }, () => budget({ month: limit }));
        let billed = 0;
        for (const [number, { process, refused }] of all.entries()) {
          const id = `run.${number}`;
          sent(id);
          const isOver = budgets[process]?.refusalOf(id, today) !== undefined;
          expect(isOver).toBe(billed >= limit);
          if (!isOver && !refused) billed += 1;
          ended(id, isOver || refused ? 'not_billed' : 'billed');
        }
        expect(billed).toBe(Math.min(limit, all.filter(({ refused }) => !refused).length));
        expect(budget({ month: limit }).useAt(today)).toEqual([{ period: 'month', limit, used: billed }]);
      }),
      { numRuns: 60 },
    );
  });

  it('counts a call whose process was killed, and one whose price nobody knows', () => {
    const { sent, ended, budget } = ledger();
    sent('killed');
    sent('lost');
    ended('lost', 'lost');
    sent('last');
    expect(budget({ month: 2 }).refusalOf('last', today)).toBeDefined();
  });

  it('has a month and a day of UTC, each for itself', () => {
    const { sent, budget } = ledger();
    sent('yesterday', { at: '2026-03-30T23:59:59.999Z' });
    sent('today');
    sent('next');
    const both = budget({ month: 3, day: 2 });
    expect(both.refusalOf('next', today)).toBeUndefined();
    expect(both.useAt(today)).toEqual([
      { period: 'month', limit: 3, used: 3 },
      { period: 'day', limit: 2, used: 2 },
    ]);
    sent('more');
    expect(both.refusalOf('more', today)?.message).toContain('3 calls a month');
    sent('tomorrow', { at: '2026-04-01T00:00:00.000Z' });
    expect(both.refusalOf('tomorrow', '2026-04-01T00:00:00.000Z')).toBeUndefined();
  });

  it('is of one base URL and account', () => {
    const { sent, budget } = ledger();
    for (let call = 0; call < 5; call += 1) sent(`theirs.${call}`, { owner: 'them' });
    sent('ours');
    expect(budget({ day: 1 }).refusalOf('ours', today)).toBeUndefined();
  });

  it('reads past lines that a full disk cut off, and large ledgers in pieces', () => {
    const { path, sent, budget } = ledger();
    for (let call = 0; call < 4000; call += 1) sent(`run.${call}`);
    appendFileSync(path, '{"id":"run.5000","event":"se');
    sent('behind');
    expect(budget({ month: 5000 }).useAt(today)).toEqual([{ period: 'month', limit: 5000, used: 4001 }]);
    expect(budget({ month: 4000 }).refusalOf('behind', today)).toBeDefined();
    expect(budget({ month: 4001 }).refusalOf('behind', today)).toBeUndefined();
  });
});
