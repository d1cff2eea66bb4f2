/** Killed at drawn moments, again and again: nothing lost, nothing billed twice, files whole. */
import { describe } from 'vitest';
import { campaign, drawn } from './campaign.ts';
import { amount, seed } from './effort.ts';
import { engines, type Ground } from './engines.ts';
import { configLife, feedLife, jobLife } from './kill-lives.ts';
import type { Case } from './tally.ts';

/** Two processors: more at once would only wait for each other. */
const effort = { atOnce: 3 };

describe(`kills (seed ${seed})`, () => {
  const settings = drawn(1, 10, (index) => configLife(index, amount(2, 8)));
  for (const { name, needs, ground } of engines) {
    const lives =
      (few: number, many: number, live: (index: number, ground: Ground) => Case) => async () => {
        const there = await ground();
        return drawn(few, many, (index) => live(index, there))();
      };
    const jobs = lives(2, 66, (index, there) => jobLife(index, amount(3, 6), there));
    const feeds = lives(1, 20, (index, there) => feedLife(index, amount(2, 4), there));
    campaign(`kills, of jobs, in ${name}`, { ...effort, needs }, jobs);
    campaign(`kills, of feeds, in ${name}`, { ...effort, needs }, feeds);
  }
  campaign('kills, of config set', effort, settings);
});
