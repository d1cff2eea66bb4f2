import { describe, expect, it } from 'vitest';
import { planJob } from '../../src/road/dry-run.ts';
import type { InputRow } from '../../src/rows/row.ts';

async function* inBatches(rows: readonly InputRow[], size: number): AsyncGenerator<readonly InputRow[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

const ask = (text: string) => (text.startsWith('bad') ? { invalid: 'bad' } : { key: text });
const charged = { endpoint: { billing: 'charged' }, ask, perRequest: 1 } as const;

describe('a plan', () => {
  it('of far more calls than are allowed is not counted to its end', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<readonly InputRow[]> {
      for (; given < 2_000_000; given += 1000)
        yield Array.from({ length: 1000 }, (_, at) => ({ line: given + at + 1, text: `c${given + at}` }));
    }
    const { plan, isCut } = await planJob(charged, { input: endless(), allowed: 100, keep: 0 });
    expect([isCut, plan.billable, given < 600_000]).toEqual([true, 501_000, true]);
  });

  it('takes the next column of a malformed row, where the job tries it', async () => {
    const row = (text: string, next?: string): InputRow => ({
      line: 1,
      text,
      ...(next !== undefined && { next: { line: 1, text: next } }),
    });
    const rows = [row('bad', 'a'), row('a', 'b'), row('bad', 'bad'), row('c', 'bad')];
    const planned = async (more: { readonly mayMiss?: true }) =>
      (await planJob({ ...charged, ...more }, { input: inBatches(rows, 9), keep: 9 })).plan;
    expect(await planned({ mayMiss: true })).toMatchObject({ rows: 4, distinct: 2, invalid: 1 });
    expect(await planned({})).toMatchObject({ rows: 4, distinct: 2, invalid: 2 });
  });
});
