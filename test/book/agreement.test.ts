/** When a log may settle a call, over histories of calls of which the truth is known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWithLog, type LoggedCall } from '../../src/book/agreement.ts';
import type { BookedCall } from '../../src/book/reports.ts';

const noon = Date.parse('2026-06-15T12:00:00Z');
const [second, hour] = [1000, 3_600_000];

/** One call, sent when the one before was over: what the book says of it, and whether it was billed in truth. */
interface Truth {
  readonly item: string;
  readonly outcome: BookedCall['outcome'];
  readonly isBilled: boolean;
  /** Seconds after the call before. */
  readonly after: number;
}

const truth: fc.Arbitrary<Truth> = fc
  .record({
    item: fc.constantFrom('per_1', 'per_2', 'per_3', 'company-1'),
    kind: fc.constantFrom(
      ...(['billed', 'billed', 'lost', 'lost', 'settled', 'billed_lost', 'not_billed'] as const),
    ),
    coin: fc.boolean(),
    after: fc.integer({ min: 2, max: 4000 }),
  })
  .map(({ kind, coin, ...rest }) => {
    const isBilled = {
      billed: true,
      billed_lost: true,
      not_billed: false,
      lost: coin,
      settled: coin,
    };
    return { ...rest, outcome: kind, isBilled: isBilled[kind] };
  });
const history = fc.array(truth, { minLength: 1, maxLength: 25 });

const callsOf = (told: readonly Truth[]): readonly BookedCall[] => {
  let at = noon;
  return told.map(({ item, outcome, after }, index) => {
    at += after * second;
    const of = {
      run: 1,
      billing: 'charged',
      operation: 'GET /people/{personId}',
      command: 'person',
    };
    return { id: index + 1, at, item, outcome, ...of };
  });
};

/** Each billed call within a second after it was sent. */
const logOf = (told: readonly Truth[], shift = 0): readonly LoggedCall[] =>
  callsOf(told).flatMap(({ at, item }, index) => {
    const time = at + 500 + shift;
    return told[index]?.isBilled === true ? [{ names: [item], from: time, to: time }] : [];
  });

const clearedIn = (told: readonly Truth[], rows: readonly LoggedCall[]) =>
  compareWithLog(callsOf(told), rows).ends.flatMap(({ id, after }) =>
    after === 'cleared' ? [id] : [],
  );

const isOpen = ({ outcome }: Truth) => outcome === 'lost' || outcome === 'settled';

describe('a log settles', () => {
  it('all that is open where it is whole, as it was in truth, and agrees after that', () => {
    fc.assert(
      fc.property(history, (told) => {
        const whole = [
          ...told,
          { item: 'per_9', outcome: 'billed', isBilled: true, after: 9 } as const,
        ];
        const calls = callsOf(whole);
        const { ends, ours, others, obstacle } = compareWithLog(calls, logOf(whole));
        expect([obstacle, others]).toEqual([undefined, []]);
        const settled = new Map(ends.map(({ id, after }) => [id, after !== 'cleared']));
        const open = calls.flatMap(({ id }, at) => {
          const call = whole[at];
          return call !== undefined && isOpen(call) ? [[id, call.isBilled] as const] : [];
        });
        expect(settled).toEqual(new Map(open));
        expect(ours).toHaveLength(open.length);
        const after = new Map(ends.map((end) => [end.id, end.after]));
        const then = calls.map((call) => ({
          ...call,
          outcome: after.get(call.id) ?? call.outcome,
        }));
        expect(compareWithLog(then, logOf(whole))).toMatchObject({
          ours: [],
          others: [],
          ends: [],
        });
      }),
    );
  });

  it('nothing that was billed as not billed, wherever the log is cut', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 4 }), fc.boolean(), (told, rows, isEnd) => {
        const log = logOf(told);
        const cut = isEnd ? log.slice(0, -rows) : log.slice(rows);
        const billed = callsOf(told).filter((_, index) => told[index]?.isBilled === true);
        const wrongly = clearedIn(told, cut).filter((id) => billed.some((call) => call.id === id));
        if (isEnd) expect(wrongly).toEqual([]);
        const known = billed.filter(
          ({ outcome }) => outcome === 'billed' || outcome === 'billed_lost',
        );
        const isWhole = known.every(({ at: sent }) => cut.some(({ from }) => from === sent + 500));
        if (!isWhole) expect(compareWithLog(callsOf(told), cut).ends).toEqual([]);
      }),
    );
  });

  it('nothing by a log of another key, another day, another time zone, or by none', () => {
    fc.assert(
      fc.property(history, (told) => {
        const alone = told.map((call, at) => ({ ...call, item: `per_${at}` }));
        const others = logOf(told).map((row) => ({ ...row, names: [`x-${row.names[0]}`] }));
        const shifted = [-24, -2, 1, 24].map((hours) => logOf(alone, hours * hour));
        for (const rows of [[], others, ...shifted])
          expect(compareWithLog(callsOf(alone), rows).ends).toEqual([]);
      }),
    );
  });
});
