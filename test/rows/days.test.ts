import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { plainInvestor } from '../../src/contract/investors.ts';
import {
  addDays,
  commonDays,
  type DayRange,
  firstDay,
  isWithin,
  joinedDays,
  lastDay,
} from '../../src/rows/days.ts';
import { localSeconds, parseIsoTime } from '../../src/rows/iso-time.ts';
import { parseUrl } from '../../src/rows/url.ts';

const day = fc.integer({ min: 0, max: 60 }).map((days) => addDays('2026-01-01', days));
const range = fc
  .tuple(day, day, fc.boolean(), fc.boolean())
  .map(([one, other, openStart, openEnd]): DayRange => {
    const [from, to] = one < other ? [one, other] : [other, one];
    return { from: openStart ? firstDay : from, to: openEnd ? lastDay : to };
  });
const all = Array.from({ length: 63 }, (_, days) => addDays('2025-12-31', days));
const daysIn = (ranges: readonly DayRange[]) =>
  all.filter((one) => ranges.some((days) => isWithin(one, days)));

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

  it('in both of two ranges', () =>
    fc.assert(
      fc.property(range, range, (one, other) => {
        expect(daysIn(commonDays(one, other))).toEqual(
          all.filter((each) => isWithin(each, one) && isWithin(each, other)),
        );
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

const instantOf = (text: string): string | undefined => {
  const time = parseIsoTime(text);
  return (
    time &&
    new Date((localSeconds(time) - (time.offset ?? 0)) * 1000 + time.micros / 1000).toISOString()
  );
};

describe('parseIsoTime', () => {
  test.each([
    ['2024-01-05T10:00Z', '2024-01-05T10:00:00.000Z'],
    ['2024-01-05t10:00:00z', '2024-01-05T10:00:00.000Z'],
    ['2024-01-05 10:00:00+00', '2024-01-05T10:00:00.000Z'],
    ['2024-01-05T10:00:00+0530', '2024-01-05T04:30:00.000Z'],
    ['2024-01-05T10:00:00−01:00', '2024-01-05T11:00:00.000Z'],
    ['2024-01-05 10:00:00 +01:00', '2024-01-05T09:00:00.000Z'],
    ['2024-01-05T10:00:00,25Z', '2024-01-05T10:00:00.250Z'],
    ['2024-01-05T10:00:00.123456789Z', '2024-01-05T10:00:00.123Z'],
    ['2024-01-05T10:00.5Z', '2024-01-05T10:00:30.000Z'],
    ['2024-01-05T10,255Z', '2024-01-05T10:15:18.000Z'],
    ['20240105T1059.999999999', '2024-01-05T10:59:59.999Z'],
    ['20240105T100000Z', '2024-01-05T10:00:00.000Z'],
    ['20240105T1000+02', '2024-01-05T08:00:00.000Z'],
    ['2024-01-05T10Z', '2024-01-05T10:00:00.000Z'],
    ['2024-W01-5T10:00:00Z', '2024-01-05T10:00:00.000Z'],
    ['2020W537', '2021-01-03T00:00:00.000Z'],
    ['2024-366T23:59:60Z', '2025-01-01T00:00:00.000Z'],
    ['2024-01-05T24:00:00Z', '2024-01-06T00:00:00.000Z'],
    ['20240105', '2024-01-05T00:00:00.000Z'],
    ['2024005', '2024-01-05T00:00:00.000Z'],
    ['2024-01-05', '2024-01-05T00:00:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
  ])('%s', (text, instant) => {
    expect(instantOf(text)).toBe(instant);
  });

  test.each([
    ...[
      '',
      'soon',
      '2024',
      '2024-01',
      '2024-02-30',
      '2023-366',
      '2024-000',
      '2021-W53-1',
      '2024-W00-1',
      '2024-13-01',
      '2024-01-05T',
    ],
    ...[
      '2024-01-05T10',
      '2024-01-05T25:00',
      '2024-01-05T10:60',
      '2024-01-05T24:00:01',
      '2024-01-05T24:00:00.5',
      '2024-01-05T24,5Z',
    ],
    ...['2024-0105', '10:00', '2024-01-05x', '2024-01-05T10:00:00.Z'],
  ])('%j is none', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });

  test('reads what a date writes, in any zone', () => {
    const range = {
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(instantOf(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});

/** More than it takes until the engine optimises a function. */
const often = 20_000;

describe('parseUrl', () => {
  it('gives the URL, from a base where there is one, and undefined for what is none', () => {
    expect(parseUrl('https://a.example/b')?.pathname).toBe('/b');
    expect(parseUrl('../c', 'https://a.example/b/d')?.href).toBe('https://a.example/c');
    expect(['', 'a.example', 'https://', 'https://a b/'].map((text) => parseUrl(text))).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('reads an address with an accent in the last row of a long job as in the first', () => {
    for (let row = 0; row < often; row += 1) {
      expect(parseUrl('https://münchen.example/café')?.hostname).toBe('xn--mnchen-3ya.example');
      expect(plainInvestor('website', 'münchen.example')).toEqual({ text: 'münchen.example' });
    }
  });
});
