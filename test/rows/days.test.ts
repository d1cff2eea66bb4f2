import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  commonDays,
  type DayRange,
  dayOf,
  daysWithout,
  firstDay,
  isWithin,
  joinedDays,
  lastDay,
  monthOf,
} from '../../src/rows/days.ts';

const day = fc.integer({ min: 0, max: 60 }).map((days) => addDays('2026-01-01', days));
const range = fc.tuple(day, day, fc.boolean(), fc.boolean()).map(([one, other, openStart, openEnd]): DayRange => {
  const [from, to] = one < other ? [one, other] : [other, one];
  return { from: openStart ? firstDay : from, to: openEnd ? lastDay : to };
});
const all = Array.from({ length: 63 }, (_, days) => addDays('2025-12-31', days));
const daysIn = (ranges: readonly DayRange[]) => all.filter((one) => ranges.some((days) => isWithin(one, days)));

describe('days', () => {
  it.each([
    ['2026-02-28', 1, '2026-03-01'],
    ['2024-02-28', 1, '2024-02-29'],
    ['2026-01-01', -1, '2025-12-31'],
    ['2026-03-29', 7, '2026-04-05'],
    [firstDay, -7, firstDay],
    [lastDay, 1, lastDay],
    ['0000-01-03', -7, firstDay],
  ])('%s and %i days is %s', (from, days, expected) => expect(addDays(from, days)).toBe(expected));

  it('are cut from a time', () => expect([dayOf('2026-06-30T23:59:59Z'), monthOf('2026-06-30')]).toEqual(['2026-06-30', '2026-06']));

  it('in both of two ranges', () =>
    fc.assert(
      fc.property(range, range, (one, other) => {
        expect(daysIn(commonDays(one, other))).toEqual(all.filter((each) => isWithin(each, one) && isWithin(each, other)));
      }),
    ));

  it('of ranges without those of another', () =>
    fc.assert(
      fc.property(fc.array(range, { maxLength: 3 }), range, (ranges, taken) => {
        expect(daysIn(daysWithout(ranges, taken))).toEqual(daysIn(ranges).filter((each) => !isWithin(each, taken)));
      }),
    ));

  it('joined are the same days in ranges that do not touch, the newest first', () =>
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), (ranges) => {
        const joined = joinedDays(ranges);
        expect(daysIn(joined)).toEqual(daysIn(ranges));
        for (const [at, { from }] of joined.entries()) {
          const older = joined[at + 1];
          if (older !== undefined) expect(addDays(older.to, 1) < from).toBe(true);
        }
      }),
    ));
});
