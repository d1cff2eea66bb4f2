/** A variable that begins as those of pdi do, and is none. */
import { expect, test } from 'vitest';
import { newFolder, run } from '../support/run.ts';

const health = (name: string) =>
  run(['--sandbox', 'health'], { home: newFolder(), env: { [name]: '5' } });

test.each([
  ['PDI_MAXBILLABLE', 'PDI_MAX_BILLABLE'],
  ['PDI_MAX_BILABLE', 'PDI_MAX_BILLABLE'],
  ['pdi_max_billable', 'PDI_MAX_BILLABLE'],
  ['PDI_BUDGETS', 'PDI_BUDGET'],
  ['PDI_SANDBOXED', 'PDI_SANDBOX'],
])('near a guard is refused: %s', async (name, meant) => {
  const { code, stderr } = await health(name);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is no variable of pdi`)]);
  expect(stderr).toContain(`write ${meant}`);
});

test.each([
  ['PDI_TIMEOUTS', 'did you mean PDI_TIMEOUT?'],
  ['PDI_BASEURL', 'did you mean PDI_BASE_URL?'],
  ['PDI_SOMETHING_OF_OURS', 'see pdi help environment'],
])('another gets a notice: %s', async (name, words) => {
  const { code, stderr } = await health(name);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`${name} is no variable of pdi: ${words}`),
  ]);
});

test.each(['PDI_OUTPUT_DIRECTORY_OF_OURS', 'MY_PDI_BUDGET', 'PDIBUDGET'])(
  'what only looks like one is none of our business: %s',
  async (name) => {
    const { code } = await health(name);
    expect(code).toBe(0);
  },
);
