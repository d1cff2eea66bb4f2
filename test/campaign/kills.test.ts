/** Killed at drawn moments, again and again: nothing lost, nothing billed twice, files whole. */
import { describe } from 'vitest';
import { campaign, drawn } from './campaign.ts';
import { amount, seed } from './effort.ts';
import { configLife, feedLife, jobLife } from './kill-lives.ts';

/** Two processors: more at once would only wait for each other. */
const effort = { atOnce: 3 };

describe(`kills (seed ${seed})`, () => {
  const jobs = drawn(2, 66, (index) => jobLife(index, amount(3, 6)));
  const feeds = drawn(1, 20, (index) => feedLife(index, amount(2, 4)));
  const settings = drawn(1, 10, (index) => configLife(index, amount(2, 8)));
  campaign('kills, of jobs', effort, jobs);
  campaign('kills, of feeds', effort, feeds);
  campaign('kills, of config set', effort, settings);
});
