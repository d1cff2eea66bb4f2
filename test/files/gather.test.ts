import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gather } from '../../src/files/gather.ts';

/** Doubles numbers, and tells which came together. */
function doubling() {
  const together: (readonly number[])[] = [];
  const double = gather((numbers: readonly number[]) => {
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

  it('is done before a timer or the next turn of the event loop', async () => {
    const order: string[] = [];
    const write = gather((names: readonly string[]) => names.map((name) => order.push(name)));
    const later = [setTimeout(0).then(() => order.push('timer')), setImmediate().then(() => order.push('turn'))];
    await Promise.all([write('first'), write('second'), ...later]);
    expect(order.slice(0, 2)).toEqual(['first', 'second']);
  });
});
