/** How far a campaign goes: a sample of its cases in `npm test`, all of them in `npm run campaign`. */
import { streamOf } from '../../src/sandbox/dataset/random.ts';

/** True under `npm run campaign`. */
export const long = process.env.PDI_CAMPAIGN === 'long';

/** Decides what is drawn; every failure names it, `PDI_CAMPAIGN_SEED` repeats it. */
export const seed = Number(process.env.PDI_CAMPAIGN_SEED ?? Math.trunc(Math.random() * 1e9));

/** Seeded luck for case number `index` of a campaign. */
export const luck = (campaign: string, index: number): (() => number) =>
  streamOf(seed, campaign, index);

/** All in the long form; else one in so many, others with each seed. */
export const sampled = <T>(all: readonly T[], every: number): readonly T[] =>
  long ? all : all.filter((_, index) => (index + seed) % every === 0);

/** `many` in the long form, `few` in the short one. */
export const amount = (few: number, many: number): number => (long ? many : few);
