import { expect, test } from 'vitest';
import { Pace } from '../../src/client/pace.ts';
import { RateLimiter } from '../../src/client/rate-limiter.ts';

const clock = () => performance.now();
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const stopped = expect.objectContaining({ code: 'interrupted', details: expect.objectContaining({ billed: 'no', retryable: true }) });

test('lets requests through in order of arrival, spaced by the pace', async () => {
  const gate = new RateLimiter(new Pace(200), new AbortController().signal, clock);
  const order: number[] = [];
  const times = await Promise.all(
    [0, 1, 2, 3, 4].map(async (index) => {
      const sentAt = await gate.acquire();
      order.push(index);
      return sentAt;
    }),
  );
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect((times[4] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(15);
});

test('a wait longer than any timer is a wait', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  const stop = new AbortController();
  const gate = new RateLimiter(new Pace(1e-7), stop.signal, clock);
  await gate.acquire();
  const second = gate.acquire();
  await turn();
  stop.abort();
  await expect(second).rejects.toEqual(stopped);
  await turn();
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});

test('an answer lets those go that waited for one', async () => {
  const gate = new RateLimiter(new Pace(), new AbortController().signal, clock);
  const sentAt = await gate.acquire();
  await gate.acquire();
  gate.answered(sentAt, { limited: false, limit: 2, remaining: 1, resetMs: 0 });
  let passed = false;
  const third = gate.acquire().then(() => {
    passed = true;
  });
  await turn();
  expect(passed).toBe(false);
  gate.unanswered();
  await third;
  expect(passed).toBe(true);
});

test('so does an answer that tells of more left', async () => {
  const gate = new RateLimiter(new Pace(), new AbortController().signal, clock);
  const [first, second] = [await gate.acquire(), await gate.acquire()];
  gate.answered(first, { limited: false, limit: 9, remaining: 1, resetMs: 0 });
  const third = gate.acquire();
  await turn();
  gate.answered(second, { limited: false, limit: 9, remaining: 5, resetMs: 0 });
  expect(await third).toBeGreaterThanOrEqual(second);
});

test('a 429 holds everybody until its reset', async () => {
  const gate = new RateLimiter(new Pace(), new AbortController().signal, clock);
  const sentAt = await gate.acquire();
  const refusedAt = clock();
  gate.answered(sentAt, { limited: true, limit: 100, resetMs: 30 });
  const [first] = await Promise.all([gate.acquire(), gate.acquire().catch(() => 0), gate.pause(1).then(() => gate.unanswered())]);
  expect(first - refusedAt).toBeGreaterThanOrEqual(29);
});

test('stopping wakes whoever waits, and lets nothing more through', async () => {
  const stop = new AbortController();
  const gate = new RateLimiter(new Pace(0.001), stop.signal, clock);
  await gate.acquire();
  const waiting = [gate.acquire(), gate.acquire(), gate.pause(3_600_000)].map((wait) => wait.catch((error: unknown) => error));
  await turn();
  stop.abort();
  expect(await Promise.all(waiting)).toEqual([stopped, stopped, stopped]);
  await expect(gate.acquire()).rejects.toEqual(stopped);
  await expect(gate.pause(0)).rejects.toEqual(stopped);
});

test('a thousand pauses at once leave no listener behind', async () => {
  const stop = new AbortController();
  const warnings: unknown[] = [];
  const listen = (warning: unknown) => warnings.push(warning);
  process.on('warning', listen);
  const gate = new RateLimiter(new Pace(), stop.signal, clock);
  await Promise.all(Array.from({ length: 1000 }, () => gate.pause(1)));
  await turn();
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});
