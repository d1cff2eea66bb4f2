/** Declares a campaign as a test: its cases are made when it begins, its result stands in the report, and no case may do harm. */
import { expect, it } from 'vitest';
import { amount } from './effort.ts';
import { type Case, carryOut, type Effort } from './tally.ts';

export function campaign(
  name: string,
  { needs = {}, ...effort }: Effort & { readonly needs?: object },
  cases: () => readonly Case[] | Promise<readonly Case[]>,
): void {
  it(name, { ...needs, timeout: 1_800_000 }, async ({ task }) => {
    const result = await carryOut(name, await cases(), effort);
    task.meta.campaign = result;
    expect(result.stories).toEqual([]);
  });
}

/** Cases by number: `few` in the short form, `many` in the long one. */
export const drawn = (few: number, many: number, make: (index: number) => Case) => () =>
  Array.from({ length: amount(few, many) }, (_, index) => make(index));
