/** What is nobody's failure but ours: it ends a job at once and with its own words. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Answers } from '../../src/jobs/answers.ts';
import { collected, eachOf, failingClient, inputRows, resolveOf } from './direct.ts';

const bug = new TypeError('a bug');
const broken = failingClient(async () => {
  await setImmediate();
  throw bug;
});

it('ends a job of one call an item, rows that ask the same included', async () => {
  await expect(collected(eachOf(broken, inputRows(['a', 'b', 'a', 'b', 'c'])))).rejects.toBe(bug);
});

it('ends a resolve, and leaves nobody waiting for its batch', async () => {
  const answers = new Answers({ capacity: 100 });
  await expect(collected(resolveOf(broken, [inputRows(['a', 'b'])], { answers }))).rejects.toBe(bug);
  await expect(answers.asked('id b')?.outcomeOf('id b')).rejects.toBe(bug);
});
