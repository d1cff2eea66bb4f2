import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cap } from '../../src/book/cap.ts';

/** Whether there was a place for one call, and it is taken now. */
function hasReserved(cap: Cap): boolean {
  try {
    cap.reserve();
    return true;
  } catch {
    return false;
  }
}

describe('the cap', () => {
  test('never has more places taken than it allows, whatever the order', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.boolean(), { maxLength: 100 }), (limit, steps) => {
        const cap = new Cap(limit);
        let taken = 0;
        for (const reserve of steps) {
          if (reserve) {
            expect(hasReserved(cap)).toBe(taken < limit);
            taken = Math.min(taken + 1, limit);
          }
          expect(cap.left).toBe(limit - taken);
        }
      }),
    );
  });

  test('holds for callers that run at once', async () => {
    const cap = new Cap(7);
    const callers = Array.from({ length: 40 }, async () => {
      await Promise.resolve();
      return hasReserved(cap);
    });
    expect((await Promise.all(callers)).filter(Boolean)).toHaveLength(7);
  });

  test('says what to do when it is reached', () => {
    const cap = new Cap(1);
    cap.reserve();
    const failure = cap.refusal();
    expect(failure).toMatchObject({ code: 'credits', message: 'the cap of 1 call that may be billed is reached' });
    expect(failure.details).toMatchObject({ billed: 'no', rerun: expect.stringContaining('--max-billable') });
    expect(cap.left).toBe(0);
  });

  test('refuses a job that cannot fit, and takes no place for it', () => {
    const cap = new Cap(100);
    expect(cap.refusalOfJob(100)).toBeUndefined();
    expect(cap.refusalOfJob(101)).toMatchObject({
      code: 'credits',
      message: 'this job needs 101 calls that may be billed; the cap is 100',
    });
    cap.reserve();
    expect(cap.refusalOfJob(100)).toMatchObject({
      message: 'this job needs 100 calls that may be billed; the cap is 100, of which 1 are used',
      details: { hint: expect.stringContaining('--max-billable 101 ') },
    });
    expect(cap.left).toBe(99);
  });

  test('unlimited refuses nothing', () => {
    const cap = new Cap('unlimited');
    expect(cap.refusalOfJob(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    cap.reserve();
    expect(cap.left).toBe(Number.POSITIVE_INFINITY);
  });

  test('gives no place that is not there', () => {
    expect(() => new Cap(0).reserve()).toThrow(RangeError);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is no %s', (limit) => {
    expect(() => new Cap(limit)).toThrow(RangeError);
  });
});
