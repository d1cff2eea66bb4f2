import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billedAfter, mayRetry, NoAnswer } from '../../src/client/failure.ts';
import { backoff, resetDelay, retryAfterDelay } from '../../src/client/pace.ts';
import type { Billing } from '../../src/contract/price.ts';

const status = (code: number, outOfCredits = false) =>
  new NoAnswer('status', '', { status: code, outOfCredits });

/** What happened; then for free, charged and unstated operations: sent again (R) or given up (-), and what it may have cost. */
const table: readonly (readonly [
  string,
  NoAnswer,
  free: string,
  charged: string,
  unstated: string,
])[] = [
  ['refused connection', new NoAnswer('refused', ''), 'R no', 'R no', 'R no'],
  ['unreachable host', new NoAnswer('unreachable', ''), '- no', '- no', '- no'],
  ['lost answer', new NoAnswer('lost', ''), 'R no', '- unknown', '- unknown'],
  ['misshapen body', new NoAnswer('misshapen', ''), '- no', '- unknown', '- unknown'],
  ['304', status(304), '- no', '- no', '- no'],
  ['400', status(400), '- no', '- no', '- no'],
  ['401', status(401), '- no', '- no', '- no'],
  ['402', status(402), '- no', '- no', '- no'],
  ['403', status(403), '- no', '- no', '- no'],
  ['404', status(404), '- no', '- no', '- no'],
  ['409', status(409), '- no', '- no', '- no'],
  ['422', status(422), '- no', '- no', '- no'],
  ['429', status(429), 'R no', 'R no', 'R no'],
  ['500', status(500), 'R no', '- unknown', '- unknown'],
  ['502', status(502), 'R no', '- unknown', '- unknown'],
  ['503', status(503), 'R no', 'R no', 'R no'],
  ['504', status(504), 'R no', '- unknown', '- unknown'],
  ['599', status(599), 'R no', '- unknown', '- unknown'],
  ['out of credits, 200', status(200, true), '- no', '- no', '- no'],
  ['out of credits, 402', status(402, true), '- no', '- no', '- no'],
  ['out of credits, 429', status(429, true), '- no', '- no', '- no'],
  ['out of credits, 500', status(500, true), '- no', '- no', '- no'],
  ['out of credits, 503', status(503, true), '- no', '- no', '- no'],
];

const verdict = (billing: Billing, why: NoAnswer): string =>
  `${mayRetry({ billing }, why) ? 'R' : '-'} ${billedAfter({ billing }, why)}`;

test.each(table)('%s', (_name, why, free, charged, unstated) => {
  expect([verdict('free', why), verdict('charged', why), verdict('unstated', why)]).toEqual([
    free,
    charged,
    unstated,
  ]);
});

test('nothing that may have been billed is ever sent again', () => {
  const causes = fc.oneof(
    fc.constantFrom(
      new NoAnswer('refused', ''),
      new NoAnswer('unreachable', ''),
      new NoAnswer('lost', ''),
      new NoAnswer('misshapen', ''),
    ),
    fc
      .tuple(fc.integer({ min: 200, max: 599 }), fc.boolean())
      .map(([code, outOfCredits]) => status(code, outOfCredits)),
  );
  fc.assert(
    fc.property(fc.constantFrom<Billing>('free', 'charged', 'unstated'), causes, (billing, why) => {
      expect(mayRetry({ billing }, why) && billedAfter({ billing }, why) !== 'no').toBe(false);
    }),
  );
});

test.each([
  [1, 125, 250],
  [2, 250, 500],
  [3, 500, 1000],
  [6, 4000, 8000],
  [7, 4000, 8000],
  [2000, 4000, 8000],
])('backoff after attempt %d: from %d to %d ms', (attempt, least, most) => {
  expect(backoff(attempt, () => 0)).toBe(least);
  expect(backoff(attempt, () => 1)).toBe(most);
});

test.each([
  ['0.25', 250],
  ['12', 12_000],
  ['1.5e1', 15_000],
  [' 2.5 ', 2500],
  ['0', 0],
  ['-0.4', -400],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['60.001', 60_001],
  ['1e300', 1e303],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['NaN', undefined],
  ['Wed, 21 Oct 2065 07:28:00 GMT', undefined],
  ['2065-10-21', undefined],
  ['1,5', undefined],
  ['3s', undefined],
  ['', undefined],
  ['  ', undefined],
  [undefined, undefined],
])('how long X-RateLimit-Reset asks to wait: %j', (header, milliseconds) => {
  expect(resetDelay(header)).toBe(milliseconds);
});

const today = Date.UTC(2026, 5, 1, 12, 0, 0);
const date = 'Mon, 01 Jun 2026 12:00:00 GMT';

test.each([
  ['12', date, 12_000],
  [' 0 ', undefined, 0],
  ['3600', undefined, 3_600_000],
  ['Mon, 01 Jun 2026 12:00:07 GMT', date, 7000],
  ['Mon, 01 Jun 2026 12:00:07 GMT', undefined, 7000],
  ['Monday, 01-Jun-26 12:00:07 GMT', date, 7000],
  // The service's clock is an hour behind ours.
  ['Mon, 01 Jun 2026 11:00:07 GMT', 'Mon, 01 Jun 2026 11:00:00 GMT', 7000],
  ['Mon, 01 Jun 2026 12:00:07 GMT', 'noon', 7000],
  ['Mon, 01 Jun 2026 11:59:00 GMT', date, -60_000],
  ['Mon, 01 Jun 2027 12:00:00 GMT', date, 31_536_000_000],
  ['Mon, 41 Jun 2026 12:00:07 GMT', date, undefined],
  ['1.5', date, undefined],
  ['-1', date, undefined],
  ['1,5', date, undefined],
  ['2027', date, 2_027_000],
  ['2027-06-01', date, undefined],
  ['soon', date, undefined],
  ['', date, undefined],
  [undefined, date, undefined],
])('how long Retry-After asks to wait: %j, answered %j', (header, answered, milliseconds) => {
  expect(retryAfterDelay(header, answered, today)).toBe(milliseconds);
});
