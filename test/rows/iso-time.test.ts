import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localSeconds, parseIsoTime } from '../../src/rows/iso-time.ts';

const instantOf = (text: string): string | undefined => {
  const time = parseIsoTime(text);
  return time && new Date((localSeconds(time) - (time.offset ?? 0)) * 1000 + time.micros / 1000).toISOString();
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
    '2024-01-05T10',
    '2024-01-05T25:00',
    '2024-01-05T10:60',
    '2024-01-05T24:00:01',
    '2024-0105',
    '10:00',
    '2024-01-05x',
    '2024-01-05T10:00:00.Z',
  ])('%j is none', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });

  test('reads what a date writes, in any zone', () => {
    const range = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(instantOf(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});
