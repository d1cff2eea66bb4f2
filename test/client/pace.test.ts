import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/client/pace.ts';
import {
  type Decide,
  fixedWindow,
  play,
  slidingWindow,
  tokenBucket,
  unlimited,
  untold,
  usedUp,
} from './limited-service.ts';

const requests = 200;

/** Each allows ten a second and ten at once: 200 requests take 19 s at least. */
const services: readonly (readonly [string, () => Decide])[] = [
  ['a bucket that tells when the next token comes', () => tokenBucket(10, 10)],
  ['a bucket that tells when it is full', () => tokenBucket(10, 10, 'full')],
  ['a window that opens with the first request', () => fixedWindow(10, 1000)],
  ['a window that opened before', () => fixedWindow(10, 1000, 370)],
  ['a window about to end', () => fixedWindow(10, 1000, 950)],
  ['a sliding window', () => slidingWindow(10, 1000)],
];
const idealMs = 19_000;

const conditions = [1, 4, 8, 16].flatMap((atOnce) =>
  [1, 50, 300].map((latencyMs) => ({ atOnce, latencyMs })),
);

/** No limit can end a course before the slowest part of it: the service's pace or the client's own hands. */
const least = ({ atOnce, latencyMs }: { atOnce: number; latencyMs: number }): number =>
  Math.max(idealMs, (requests / atOnce) * latencyMs) + latencyMs;

describe.each(services)('200 requests to %s', (_name, service) => {
  test.each(conditions)('limit told on 429 only: $atOnce at once, $latencyMs ms', (condition) => {
    const { endedAt, wasted, worst } = play({
      service: service(),
      pace: new Pace(),
      requests,
      headers: 'on429',
      ...condition,
    });
    expect(endedAt / least(condition)).toBeLessThan(1.1);
    // What was under way when the limit was met cannot be called back: few where answers are quick. One more may correct the first guess.
    expect(wasted).toBeLessThanOrEqual(
      condition.latencyMs < 10 ? 3 : Math.max(4, condition.atOnce + 1),
    );
    expect(worst).toBeLessThanOrEqual(2);
  });

  test.each(conditions)(
    'limit told on every answer: $atOnce at once, $latencyMs ms',
    (condition) => {
      const { endedAt, wasted } = play({
        service: service(),
        pace: new Pace(),
        requests,
        headers: 'always',
        ...condition,
      });
      expect(endedAt / least(condition)).toBeLessThan(1.1);
      // Sixteen sent before the first answer are more than the service takes.
      expect(wasted).toBeLessThanOrEqual(condition.atOnce > 10 ? 8 : 0);
    },
  );
});

describe('other limits', () => {
  test.each([
    ['a bucket of one', () => tokenBucket(10, 1), 19_900],
    ['a large bucket', () => tokenBucket(100, 20), 1_800],
    ['five a second', () => fixedWindow(5, 1000), 39_000],
    ['two a second, ten at once', () => tokenBucket(2, 10), 95_000],
    ['sixty a minute', () => fixedWindow(60, 60_000), 180_000],
    ['sixty a minute, late in the minute', () => fixedWindow(60, 60_000, 55_000), 125_000],
  ])('%s', (_name, service, ideal) => {
    const { endedAt, wasted } = play({
      service: service(),
      pace: new Pace(),
      requests,
      headers: 'on429',
      atOnce: 4,
      latencyMs: 50,
    });
    expect(endedAt).toBeLessThan(1.2 * ideal + 1000);
    expect(wasted).toBeLessThanOrEqual(12);
  });

  test.each(conditions)(
    'none: $atOnce at once are soon under way, $latencyMs ms',
    ({ atOnce, latencyMs }) => {
      const { endedAt } = play({
        service: unlimited,
        pace: new Pace(),
        requests,
        headers: 'on429',
        atOnce,
        latencyMs,
      });
      expect(endedAt).toBeLessThanOrEqual(
        Math.ceil(requests / atOnce) * latencyMs + 25 * (atOnce - 1),
      );
    },
  );

  test('a limit that grew is found out', () => {
    const slow = tokenBucket(10, 10);
    const fast = tokenBucket(40, 10);
    const service: Decide = (now) => (now < 60_000 ? slow(now) : fast(now));
    const { endedAt } = play({
      service,
      pace: new Pace(),
      requests: 6000,
      headers: 'on429',
      atOnce: 4,
      latencyMs: 20,
    });
    // At the old pace it would take 599 s.
    expect(endedAt).toBeLessThan(320_000);
  });
});

describe('a limit that others reached', () => {
  const plenty: Decide = () => ({ limited: false, limit: undefined, remaining: 1000, reset: 3000 });
  const four = { requests, atOnce: 4, latencyMs: 50 };

  test.each([
    ['and that is far away afterwards', usedUp(plenty, 3000), 'always', 6_000],
    ['and nobody tells what is left', usedUp(plenty, 3000), 'on429', 6_000],
    ['with no header at all', usedUp(plenty, 1000), 'never', 4_500],
    [
      'whose window is ours from then on',
      usedUp(untold(fixedWindow(50, 3000)), 3000),
      'on429',
      16_000,
    ],
    [
      'whose bucket is ours from then on',
      usedUp(untold(tokenBucket(10, 10)), 3000),
      'on429',
      25_000,
    ],
  ] as const)('%s', (_name, service, headers, most) => {
    expect(play({ service, pace: new Pace(), headers, ...four }).endedAt).toBeLessThan(most);
  });

  test('and that is ours alone after a while is soon used again', () => {
    const shared = fixedWindow(50, 5000);
    let taken = -1;
    // The other job takes all but one of each window at its beginning, for twenty seconds.
    const service: Decide = (now) => {
      const window = Math.floor(now / 5000);
      if (now < 20_000 && window !== taken) for (let calls = 0; calls < 49; calls += 1) shared(now);
      taken = window;
      return shared(now);
    };
    const { endedAt, wasted } = play({
      service,
      pace: new Pace(),
      headers: 'on429',
      ...four,
      requests: 600,
    });
    // Alone it would take a minute, and three quarters of an hour at the pace of the first seconds.
    expect(endedAt).toBeLessThan(300_000);
    expect(wasted).toBeLessThanOrEqual(12);
  });

  test.each(['always', 'on429', 'never'] as const)(
    'by a server of several that refuses whatever the pace, slows it to twice the wait it asks for: headers %s',
    (headers) => {
      let asked = 0;
      const service: Decide = () => {
        asked += 1;
        return { limited: asked % 3 === 0, limit: undefined, remaining: 0, reset: 1000 };
      };
      // 300 requests two seconds apart, of which every third is refused.
      expect(play({ service, pace: new Pace(), headers, ...four }).endedAt).toBeLessThan(600_000);
    },
  );

  // More refusals than --retries would cost a row.
  test.each([10, 2])(
    'that allows %d a second and tells no limit refuses no request often',
    (perSecond) => {
      for (const latencyMs of [20, 150])
        for (const atOnce of [4, 8, 16]) {
          const service = untold(tokenBucket(perSecond, 10));
          expect(
            play({ service, pace: new Pace(), requests, headers: 'on429', atOnce, latencyMs })
              .worst,
          ).toBeLessThanOrEqual(2);
        }
    },
  );

  test.each([
    ['always', 6_000],
    ['on429', 14_000],
    ['never', 8_000],
  ] as const)(
    'a few requests before it are no measure of what it allows: headers %s',
    (headers, most) => {
      let asked = 0;
      const service: Decide = (now) => {
        asked += 1;
        return { ...plenty(now), limited: asked === 3, reset: 2000 };
      };
      expect(play({ service, pace: new Pace(), headers, ...four }).endedAt).toBeLessThan(most);
    },
  );
});

test('never everybody waits for an answer that is not due, and no request meets many refusals', () => {
  fc.assert(
    fc.property(
      fc.record({
        atOnce: fc.integer({ min: 1, max: 20 }),
        latencyMs: fc.integer({ min: 0, max: 400 }),
        limit: fc.integer({ min: 1, max: 30 }),
        windowMs: fc.integer({ min: 50, max: 20_000 }),
        offset: fc.integer({ min: 0, max: 20_000 }),
        headers: fc.constantFrom('always' as const, 'on429' as const),
        loseEvery: fc.option(fc.integer({ min: 3, max: 9 }), { nil: undefined }),
        kind: fc.constantFrom('bucket', 'full', 'fixed', 'sliding'),
      }),
      ({ limit, windowMs, offset, kind, loseEvery, ...course }) => {
        const perSecond = (limit * 1000) / windowMs;
        const service =
          kind === 'fixed'
            ? fixedWindow(limit, windowMs, offset)
            : kind === 'sliding'
              ? slidingWindow(limit, windowMs)
              : tokenBucket(perSecond, limit, kind === 'full' ? 'full' : 'next');
        const lost = loseEvery === undefined ? {} : { loseEvery };
        expect(
          play({ service, pace: new Pace(), requests: 60, ...course, ...lost }).worst,
        ).toBeLessThanOrEqual(4);
      },
    ),
    { numRuns: 500 },
  );
});

describe('--rate', () => {
  test('spaces the sends, and 429s on top of it only slow down', () => {
    const course = {
      service: unlimited,
      requests: 41,
      headers: 'never',
      atOnce: 8,
      latencyMs: 30,
    } as const;
    const { sentAt, endedAt } = play({ ...course, pace: new Pace(20) });
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40);
    for (const [index, at] of sentAt.entries())
      expect((sentAt[index + 20] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(1000);
    expect(endedAt).toBeGreaterThanOrEqual(2000);
    expect(endedAt).toBeLessThan(2200);
  });

  test('timers that fire late do not add up', () => {
    const { endedAt } = play({
      service: unlimited,
      pace: new Pace(100),
      requests: 200,
      headers: 'never',
      atOnce: 1,
      latencyMs: 2,
    });
    expect(endedAt).toBeLessThan(2030);
  });

  test('below the limit of the service no answer is wasted', () => {
    const { wasted } = play({
      service: tokenBucket(10, 10),
      pace: new Pace(9),
      requests,
      headers: 'on429',
      atOnce: 8,
      latencyMs: 50,
    });
    expect(wasted).toBe(0);
  });

  test('above it the service decides', () => {
    const { endedAt } = play({
      service: tokenBucket(10, 10),
      pace: new Pace(50),
      requests,
      headers: 'on429',
      atOnce: 8,
      latencyMs: 50,
    });
    expect(endedAt).toBeLessThan(1.1 * idealMs);
  });
});

test('as many go at once as the service says are left', () => {
  const pace = new Pace();
  pace.sent(0);
  pace.answered(10, 0, { limited: false, remaining: 30 });
  for (let sent = 0; sent < 30; sent += 1) {
    expect(pace.delay(10)).toBe(0);
    pace.sent(10);
  }
  expect(pace.delay(10)).toBe(Number.POSITIVE_INFINITY);
});

test('no more go at once than there are connections, so that none runs out of time in a queue', () => {
  const pace = new Pace(undefined, 2);
  pace.sent(0);
  pace.sent(0);
  expect(pace.delay(100)).toBe(Number.POSITIVE_INFINITY);
  pace.answered(200, 0, { limited: false, remaining: 30 });
  expect(pace.delay(200)).toBe(0);
});

test('requests go as often as a limit that was met allows, however many are under way', () => {
  const pace = new Pace();
  pace.sent(0);
  pace.answered(10, 0, { limited: true, limit: 1000, resetMs: 0 });
  pace.sent(20);
  pace.answered(30, 20, { limited: false });
  for (let now = 40; now < 60; now += 2) {
    expect(pace.delay(now)).toBe(0);
    pace.sent(now);
  }
});

test('after a 429 one request asks, then the others go', () => {
  const pace = new Pace();
  pace.sent(0);
  pace.answered(10, 0, { limited: true, limit: 100, resetMs: 100 });
  pace.sent(110);
  expect(pace.delay(2000)).toBe(Number.POSITIVE_INFINITY);
  pace.answered(2000, 110, { limited: false });
  expect(pace.delay(2000)).toBe(0);
});
