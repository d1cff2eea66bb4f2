/** What is kept, as `pdi store` shows, forgets and deletes it. */
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { actors } from '../support/actor.ts';
import { itWith } from '../support/it.ts';
import { anHourLater } from '../support/later.ts';
import { readParquet } from '../support/parquet.ts';
import { dated, feedPage, profile } from '../support/records.ts';
import {
  arrayOf,
  callsOf,
  linesOf,
  newFile,
  objectOf,
  origin,
  pdi as program,
  remembered,
  spoilBook,
  summaryOf,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { kept, store, versions } from './sessions.ts';

const it = itWith(() => kept());

play(...store());
play(...versions);

it.for([600, 30_000])(
  'says how many of %i past their age are still there, which go at the end of any run',
  async (count, { home, pdi }) => {
    const old = 'run, owner, operation, at - 1000, at - 500, 500, missing, bytes, body';
    const numbers = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})`;
    const columns = 'key, run, owner, operation, at, until, max_age, missing, bytes, body';
    const one = 'SELECT * FROM answer ORDER BY id LIMIT 1';
    await spoilBook(
      { home },
      `INSERT INTO answer (${columns}) ${numbers} SELECT 'old ' || n, ${old} FROM number, (${one})`,
    );
    const said = async () =>
      /; (\d+) answers past/.exec((await program('store', { home })).stderr)?.[1];
    const shown = arrayOf(await program('store', { home }));
    expect([await said(), shown.reduce((sum, { answers }) => sum + Number(answers), 0)]).toEqual([
      String(count),
      4,
    ]);
    await pdi('person per_sample1 -q');
    expect(Number((await said()) ?? 0)).toBeLessThan(count);
    // The time of a run bounds how many go with it.
    while (count === 600 && (await said()) !== undefined) await pdi('person per_sample1 -q');
    expect(arrayOf(await program('store', { home }))).toEqual(shown);
  },
);

it('reports have days and times of their own types in parquet', async ({ home, pdi }) => {
  await pdi('feed --since-last --after 0001-01-01 -q');
  const typed = async (words: string) => {
    const file = newFile('report.parquet');
    expect(await program(`${words} --out ${file}`, { home })).toMatchObject({ code: 0 });
    const { rows, footer } = await readParquet(readFileSync(file));
    return {
      row: rows[0],
      days: footer.schema
        .filter(({ converted_type: type }) => type === 'DATE')
        .map(({ name }) => name),
    };
  };
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  const at = expect.any(BigInt);
  expect(await typed('store')).toMatchObject({
    row: { oldest: at, latest: at, pdi_extra: null },
    days: [],
  });
  expect(await typed('bookmarks')).toMatchObject({
    row: { newest: day, saved_at: at, pdi_extra: null },
    days: ['newest'],
  });
  expect(await typed('spend --by day,month')).toMatchObject({
    row: { day, month: expect.stringMatching(/^\d{4}-\d\d$/) },
    days: ['day'],
  });
});

it('export leaves out what is past its age, and one that another program has spoilt, by name', async ({
  home,
  pdi,
}) => {
  const { stdout: before } = await pdi('store export person -o ndjson');
  await pdi('person per_sample3 --max-age 1h -q');
  anHourLater();
  expect((await pdi('store export person -o ndjson')).stdout).toBe(before);
  await spoilBook({ home }, "UPDATE answer SET body = 'x' WHERE body LIKE '%per_sample1\"%'");
  const { stdout, stderr } = await pdi('store export person -o ndjson');
  expect([stdout, stderr]).toEqual([
    before.slice(before.indexOf('\n') + 1),
    expect.stringContaining('passed over: a damaged answer in the book'),
  ]);
});

it('versions stay past their age, in whichever run it ends, and none is taken', async () => {
  const { pdi, service } = await origin(({ path }) => profile(path));
  const env = { PDI_MAX_AGE: '1h', PDI_KEEP_VERSIONS: '2' };
  await pdi('person per_1 -q', { env });
  anHourLater();
  await pdi('person per_2 -q', { env: { PDI_MAX_AGE: '1h' } });
  const versions = async () =>
    linesOf((await pdi('store export person --all-versions -o ndjson')).stdout).length;
  expect([await versions(), linesOf((await pdi('store export person -o ndjson')).stdout)]).toEqual([
    2,
    [expect.stringContaining('per_2')],
  ]);
  await pdi('person per_1 -q', { env });
  expect([await versions(), service.requests.length]).toEqual([3, 3]);
});

describe('pdi store forget', () => {
  it('deletes the bytes of the answer at once, and leaves a hash for the id in the calls', async ({
    home,
    pdi,
  }) => {
    const { full_name } = objectOf(await pdi('person per_sample1'));
    expect(await remembered({ home })).toContain(full_name);
    await program('store forget per_sample1', { home });
    expect(await remembered({ home })).not.toMatch(new RegExp(`per_sample1|${full_name}`));
    expect(await callsOf({ home })).toContainEqual([expect.stringMatching(/^sha256:/), 'billed']);
  });

  it('reaches the signals that wait for a bookmark: none of them is delivered any more', async () => {
    const about = (at: number) => ({
      entity_id: `per_sample${at % 10}`,
      person: { full_name: `Ada ${at % 10}` },
    });
    const signals = dated(0, 120).map((signal, at) => ({ ...signal, ...about(at) }));
    const { pdi, home, service } = await origin(({ path }) => ({ json: feedPage(path, signals) }));
    const env = { PATH: process.env.PATH ?? '' };
    const feed = 'feed --since-last --after 0001-01-01 -o ndjson';
    expect((await pdi(`${feed} --deliver false`, { env })).code).toBe(1);
    expect(await remembered({ home })).toContain('Ada 3');
    expect(arrayOf(await program('store forget per_sample3', { home }))).toEqual([
      { id: 'per_sample3', forgotten: 12 },
    ]);
    expect(await remembered({ home })).not.toMatch(/per_sample3|Ada 3/);
    const { length } = service.requests;
    const { stdout, stderr } = await pdi(`${feed} --deliver cat`, { env });
    expect([stdout, service.requests.length > length, /per_sample3|Ada 3/.test(stderr)]).toEqual([
      '',
      true,
      false,
    ]);
    expect(summaryOf(await pdi(feed, { env })).new_signals).toBe(0);
    expect(arrayOf(await program('bookmarks', { home }))).toMatchObject([{ waiting: 0 }]);
  });
});

describe('pdi store purge', () => {
  it('--all names also what a killed run may have bought', async () => {
    const path = newFile('book.db');
    await (await (await actors()).act('send', path)).kill();
    const { code, stderr } = await program('store purge --all', { env: { PDI_BOOK: path } });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('is sent again from then on: 1 call'),
    ]);
  });

  it('--all deletes every byte of the answers', async ({ home, pdi, service }) => {
    const bytes = await remembered({ home });
    expect([bytes.includes('Sample-1'), bytes.includes('Harbor')]).toEqual([true, true]);
    const before = service.bill().length;
    expect(objectOf(await program('store purge --all --yes', { home }))).toEqual({
      deleted: 4,
      kept: 0,
    });
    expect(await remembered({ home })).not.toMatch(/Sample-1|Harbor/);
    await pdi('person per_sample1');
    expect(service.bill().length - before).toBe(1);
  });

  it('--older-than deletes what was bought before, and nothing else', async ({ home, pdi }) => {
    expect(objectOf(await program('store purge --older-than 1h --yes', { home }))).toEqual({
      deleted: 0,
      kept: 4,
    });
    anHourLater();
    await pdi('person per_sample3 -q');
    expect(objectOf(await program('store purge --older-than 1h --yes', { home }))).toEqual({
      deleted: 4,
      kept: 1,
    });
    expect(arrayOf(await program('store', { home })).map(({ answers }) => answers)).toEqual([1]);
  });
});
