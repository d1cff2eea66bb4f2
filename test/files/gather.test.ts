import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gather } from '../../src/files/gather.ts';

/** Doubles numbers, and tells which came together. */
function doubling() {
  const together: (readonly number[])[] = [];
  const double = gather(async (numbers: readonly number[]) => {
    together.push(numbers);
    return numbers.map((number) => number * 2);
  });
  return { double, together };
}

describe('gather', () => {
  it('does what is asked for at one moment at once, and gives each its own result', async () => {
    const { double, together } = doubling();
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(await double(4)).toBe(8);
    expect(together).toEqual([[1, 2, 3], [4]]);
  });

  it('takes those that ask in answer to one result together', async () => {
    const { double, together } = doubling();
    await Promise.all([1, 2, 3].map(async (number) => double(await double(number))));
    expect(together).toEqual([
      [1, 2, 3],
      [2, 4, 6],
    ]);
  });

  it('is done at the end of the turn of the event loop, with all that came in it', async () => {
    const { double, together } = doubling();
    const later = Promise.resolve().then(() => double(2));
    expect(await Promise.all([double(1), later])).toEqual([2, 4]);
    await setImmediate();
    await double(3);
    expect(together).toEqual([[1, 2], [3]]);
  });

  it('fails for each where it fails', async () => {
    const broken = gather(() => Promise.reject(new Error('no')));
    const all = await Promise.allSettled([broken(1), broken(2)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
