/** What is nobody's failure but ours: it ends a job at once and with its own words. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collected, failingClient, inputRows, lookupOf, resolveOf } from './direct.ts';

const bug = new TypeError('a bug');
const broken = failingClient(async () => {
  await setImmediate();
  throw bug;
});

it('ends a job of one call an item, rows that ask the same included', async () => {
  await expect(collected(lookupOf(broken, inputRows(['a', 'b', 'a', 'b', 'c'])))).rejects.toBe(bug);
});

it('ends a resolve, rows that ask the same included', async () => {
  await expect(collected(resolveOf(broken, [inputRows(['a', 'b', 'a'])]))).rejects.toBe(bug);
});
