import { expect, it } from 'vitest';
import { memoize } from '../../src/rows/memoize.ts';

it('remembers a value, and a promise that is kept', async () => {
  let calls = 0;
  const next = memoize(() => Promise.resolve(++calls));
  expect(await Promise.all([next(), next()])).toEqual([1, 1]);
  expect(await next()).toBe(1);
});

it('does not remember an error, thrown or rejected', async () => {
  let calls = 0;
  const thrown = memoize(() => {
    calls += 1;
    if (calls === 1) throw new Error('locked');
    return calls;
  });
  expect(thrown).toThrow('locked');
  expect(thrown()).toBe(2);
  let tries = 0;
  const rejected = memoize(async () => {
    tries += 1;
    if (tries === 1) throw new Error('locked');
    return tries;
  });
  await expect(rejected()).rejects.toThrow('locked');
  expect(await rejected()).toBe(2);
});
