import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapOrdered, semaphore } from '../../src/road/map-ordered.ts';

/** Numbers in groups of this size. */
async function* counting(total: number, size = 1): AsyncGenerator<readonly number[]> {
  const numbers = Array.from({ length: total }, (_, number) => number);
  for (let from = 0; from < total; from += size) yield numbers.slice(from, from + size);
}

async function* brokenAfter(total: number): AsyncGenerator<readonly number[]> {
  yield* counting(total);
  throw new Error('the file ends in an open quote');
}

const few = fc.integer({ min: 1, max: 9 });

describe('mapOrdered', () => {
  it('gives results in the order of the source whatever order they are ready in, with a bounded number under way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(30), few, few, async (scheduler, total, window, size) => {
        const results: number[] = [];
        let started = 0;
        let most = 0;
        const work = (item: number): Promise<number> => {
          started += 1;
          most = Math.max(most, started - results.length);
          return scheduler.schedule(Promise.resolve(item * 10));
        };
        const collect = async () => {
          for await (const group of mapOrdered(counting(total, size), window, work)) results.push(...group);
        };
        await scheduler.waitFor(collect());
        expect(results).toEqual(Array.from({ length: total }, (_, item) => item * 10));
        expect(most).toBeLessThanOrEqual(window);
      }),
    );
  });

  it('keeps the window full: one slow answer does not idle the others', async () => {
    const started: number[] = [];
    const results = mapOrdered(counting(10), 4, async (item) => {
      started.push(item);
      if (item === 0) await new Promise(() => {});
      return item;
    });
    void results.next();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('hands out what is ready while the source is slow', async () => {
    async function* slow() {
      yield ['first', 'second'];
      await new Promise(() => {});
    }
    const results = mapOrdered(slow(), 8, async (item) => item);
    expect(await results.next()).toEqual({ done: false, value: ['first', 'second'] });
  });

  it('starts nothing more once its reader has left, and lets go of the source', async () => {
    let closed = false;
    let started = 0;
    async function* source() {
      try {
        yield* counting(1000);
      } finally {
        closed = true;
      }
    }
    for await (const group of mapOrdered(source(), 5, async (item) => {
      started += 1;
      return item;
    })) {
      if (group.includes(2)) break;
    }
    await setImmediate();
    expect(closed).toBe(true);
    expect(started).toBeLessThanOrEqual(3 + 5);
  });

  it('finishes what was started when its reader leaves, though some of it breaks off', async () => {
    const finished: number[] = [];
    for await (const _first of mapOrdered(
      counting(4),
      4,
      async (item) => {
        if (item === 1) throw new TypeError('a bug');
        for (let turn = 0; turn < (item + 1) * 3; turn += 1) await setImmediate();
        finished.push(item);
      },
      () => {},
    ))
      break;
    expect(finished).toEqual([0, 2, 3]);
  });

  it('treats a bug in the work as the end of its reader: nothing is left under way', async () => {
    let times = 0;
    const work = async (item: number) => {
      if (item === 1) throw new TypeError('a bug');
    };
    const tell = () => {
      times += 1;
    };
    const read = async () => {
      for await (const _result of mapOrdered(counting(4), 2, work, tell));
    };
    await expect(read()).rejects.toThrow('a bug');
    expect(times).toBe(1);
  });

  it('gives what was started before it passes on that the source broke', async () => {
    const results: number[] = [];
    const read = async () => {
      for await (const group of mapOrdered(brokenAfter(3), 8, async (item) => {
        await setImmediate();
        return item;
      }))
        results.push(...group);
    };
    await expect(read()).rejects.toThrow('open quote');
    expect(results).toEqual([0, 1, 2]);
  });
});

describe('semaphore', () => {
  it('runs at most so many at once, each of them, failures included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 25 }),
        fc.integer({ min: 1, max: 6 }),
        async (scheduler, fails, limit) => {
          const atOnce = semaphore(limit);
          let running = 0;
          let most = 0;
          const task = (fail: boolean) => async () => {
            running += 1;
            most = Math.max(most, running);
            await scheduler.schedule(Promise.resolve());
            running -= 1;
            if (fail) throw new Error('failed');
            return 'done';
          };
          const outcomes = await scheduler.waitFor(Promise.allSettled(fails.map((fail) => atOnce(task(fail)))));
          expect(outcomes.map(({ status }) => status)).toEqual(fails.map((fail) => (fail ? 'rejected' : 'fulfilled')));
          expect(most).toBe(Math.min(limit, fails.length));
        },
      ),
    );
  });
});
