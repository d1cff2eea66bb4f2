/** Jobs whose answers are lost, settled by the log of the service: judged by what it billed. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actors } from '../support/actor.ts';
import { personIds } from '../support/records.ts';
import {
  arrayOf,
  billedBy,
  cellsOf,
  fileOf,
  keeping,
  linesFile,
  newFile,
  pdi as program,
  saidBy,
  sandbox,
} from '../support/service.ts';

const ids = personIds(100);

/** A job of which some calls are lost, another call behind it, and the rows of its csv. */
async function lossy(seed: number, hasFile: boolean) {
  const sick = new Set(ids);
  // Each call is lost once at most.
  const faultRule = ({ item, number }: { readonly item: string; readonly number: number }) =>
    !sick.delete(item) || (number * seed) % 5 > 1
      ? undefined
      : (number * seed) % 5 === 0
        ? 'reset'
        : 'drop-after-billing';
  const served = await keeping(sandbox({ faultRule, people: 400 }));
  const { service, pdi } = served;
  const out = newFile('people.csv');
  const argv = ['person', '-i', linesFile(ids), '-o', 'csv', '--fields', 'person_id'];
  const limits = ['--max-billable', 'unlimited', '--on-error', 'continue'];
  const job = async (...more: readonly string[]) => {
    const { stdout, stderr } = await pdi([
      ...argv,
      ...limits,
      ...(hasFile ? ['--out', out] : []),
      ...more,
      '--errors',
      'json',
    ]);
    return { csv: hasFile ? readFileSync(out, 'utf8') : stdout, stdout, stderr };
  };
  const against = (log: readonly object[]) =>
    pdi(['spend', '--against', fileOf('bill.json', JSON.stringify(log)), '-o', 'json']);
  await job();
  await pdi('person per_sample300');
  return { ...served, job, against, bill: () => service.bill() };
}

const unknownIn = (csv: string) =>
  cellsOf(csv, 'input', 'pdi_status', 'pdi_error').filter((row) => row.includes(' | unknown | '));

describe.for([
  [3, true],
  [3, false],
  [7, true],
  [7, false],
] as const)('of seed %i, with --out: %s', ([seed, hasFile]) => {
  it('what was not billed is bought by the next run, what was is named, and nothing is bought twice', async () => {
    const { service, job, against, bill } = await lossy(seed, hasFile);
    const cleared = ids.length + 1 - bill().length;
    expect([cleared > 10, (await against(bill())).code]).toEqual([true, 8]);
    const plan = await job('--dry-run');
    expect(plan.stdout).toContain(`, ${cleared} that may be billed`);
    const { csv } = await job();
    expect(new Set(billedBy(service)).size).toBe(ids.length + 1);
    expect(billedBy(service)).toHaveLength(ids.length + 1);
    const left = unknownIn(csv);
    expect(left.length).toBeGreaterThan(10);
    for (const row of left) expect(row).toContain("was billed, as the service's log has it");
    expect((await against(bill())).code).toBe(0);
    const again = await job('--retry-unknown');
    expect(saidBy(again).some(({ notice }) => String(notice).includes('a second time'))).toBe(true);
    expect([unknownIn(again.csv), bill().length]).toEqual([[], ids.length + 1 + left.length]);
  });
});

it('what is under way is not compared, and what a killed run had under way is lost', async () => {
  const path = newFile('book.db');
  const { kill } = await (await actors()).act('send', path);
  const base = 'https://api.example.test/api/v1';
  const env = { PDI_BOOK: path, PDI_BASE_URL: base, PDI_API_KEY: 'k' };
  const log = fileOf('log.csv', `item,at\nper_1,${new Date().toISOString()}\n`);
  const against = () => program(['spend', '--against', log, '-o', 'json'], { env });
  expect(arrayOf(await against())).toEqual([]);
  await kill();
  const told = { item: 'per_1', book: 'lost', log: 'billed', becomes: 'billed' };
  const { stdout } = await program(['spend', '--against', log, '-o', 'json', '--dry-run'], { env });
  expect(JSON.parse(stdout)).toMatchObject([told]);
  expect(arrayOf(await against())).toMatchObject([told]);
  expect(arrayOf(await against())).toEqual([]);
  expect(arrayOf(await program('spend', { env }))).toMatchObject([{ billed: 1, lost: 0 }]);
});

it('a log that was cut, of another key, or that ends a day early settles nothing', async () => {
  const { job, against, bill, pdi } = await lossy(3, true);
  const log = bill();
  const dayBefore = (at: string) => new Date(Date.parse(at) - 24 * 3_600_000).toISOString();
  const logs = [
    log.slice(0, log.length / 2),
    log.slice(log.length / 2),
    log.filter((_, at) => at % 2 === 0),
    log.slice(0, -1),
    log.map((row) => ({ ...row, key: '0042' })),
    log.map((row) => ({ ...row, at: dayBefore(row.at) })),
    log.map((row) => ({ ...row, item: `${row.item}0`, path: `${row.path}0` })),
  ];
  const { stdout: before } = await pdi('spend');
  for (const one of logs) {
    expect((await against(one)).stderr).toContain('nothing was settled');
    expect((await pdi('spend')).stdout).toBe(before);
  }
  await job();
  expect(bill()).toHaveLength(log.length);
});
