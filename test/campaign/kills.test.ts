/** Killed at drawn moments, again and again: nothing lost, nothing billed twice, files whole. */
import { describe, expect, it } from 'vitest';
import { amount, seed } from './effort.ts';
import { configLife, feedLife, jobLife } from './kill-lives.ts';
import { type Case, carryOut } from './tally.ts';

const lives = (few: number, many: number, make: (index: number) => Case): readonly Case[] =>
  Array.from({ length: amount(few, many) }, (_, index) => make(index));

/** Two processors: more at once would only wait for each other. */
const effort = { atOnce: 3, withinMs: 60_000 };

describe(`kills (seed ${seed})`, () => {
  it.for<readonly [string, readonly Case[]]>([
    ['kills, of jobs', lives(2, 66, (index) => jobLife(index, amount(3, 6)))],
    ['kills, of feeds', lives(1, 20, (index) => feedLife(index, amount(2, 4)))],
    ['kills, of config set', lives(1, 10, (index) => configLife(index, amount(2, 8)))],
  ])('%s', { timeout: 1_800_000 }, async ([name, cases], { task }) => {
    const result = await carryOut(name, cases, effort);
    task.meta.campaign = result;
    expect(result.stories).toEqual([]);
  });
});
