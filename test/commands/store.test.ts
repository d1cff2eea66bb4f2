/** What is kept, as `pdi store` shows, forgets and deletes it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { itWith } from '../support/it.ts';
import { anHourLater } from '../support/later.ts';
import { readParquet } from '../support/parquet.ts';
import { dated, feedPage } from '../support/records.ts';
import { keyboard, newFolder } from '../support/run.ts';
import {
  arrayOf,
  callsOf,
  errorOf,
  expectMistake,
  fileOf,
  keeping,
  newFile,
  objectOf,
  origin,
  pdi as program,
  remembered,
  saidBy,
  sandbox,
  summaryOf,
} from '../support/service.ts';

/** A home whose book has two persons, a company and an investor. */
const it = itWith(async () => {
  const served = await keeping(sandbox());
  await served.pdi('person per_sample1 per_sample2 -q');
  await served.pdi('revenue company-1 -q');
  await served.pdi(['investors', '--name', 'Sample Harbor Ventures 1', '-q']);
  return served;
});

describe('pdi store', () => {
  it('shows what is kept, of when, where, and how large', async ({ home }) => {
    const result = await program('store', { home });
    const kept = arrayOf(result);
    const counts = kept.map(({ operation, account, answers }) => `${operation} ${account} ${answers}`).sort();
    expect(counts).toEqual(['GET /companies/{companyId}/latest-revenue null 1', 'GET /investors null 1', 'GET /people/{personId} null 2']);
    for (const { base_url, oldest, latest, bytes, book } of kept) {
      expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
      expect([String(oldest) <= String(latest), Number(bytes) > 100, existsSync(String(book))]).toEqual([true, true, true]);
    }
    const words = new RegExp(`^the book is ${home}/state/pdi/book.db: \\d+\\.\\d kB of answers$`);
    expect(saidBy(result)).toEqual([{ notice: expect.stringMatching(words) }]);
  });

  it('has a line for each account and base URL, by name where it has one', async ({ home, pdi }) => {
    await pdi('person per_sample1', { env: { PDI_ACCOUNT: 'acme' } });
    const people = arrayOf(await program('store', { home })).filter(({ operation }) => operation === 'GET /people/{personId}');
    expect(people.map(({ account, answers }) => `${account} ${answers}`).sort()).toEqual(['acme 1', 'null 2']);
  });

  it('tells of calls that may have been billed without an answer', async () => {
    const { pdi, home } = await keeping(sandbox({ fault: [{ name: 'drop-after-billing', probability: 1 }] }));
    await pdi('person per_sample1');
    expect((await program('store', { home })).stderr).toContain('1 call may have been billed without an answer');
  });

  it.for(['store', 'bookmarks', 'spend'])('%s is empty where nothing is kept, and makes no book', async (word) => {
    const home = newFolder();
    expect(await program(word, { home })).toMatchObject({ code: 0, stdout: '[]\n' });
    expect((await program(`${word} --fail-if-empty`, { home })).code).toBe(4);
    expect(existsSync(join(home, 'state'))).toBe(false);
  });

  it.for(['store', 'spend', 'bookmarks'])('%s is empty where --where keeps nothing', async (word, { home, pdi }) => {
    await pdi('feed --since-last -q');
    const codeWhere = async (where: string) => (await program([word, '--fail-if-empty', '--where', where, '-o', 'table'], { home })).code;
    expect([await codeWhere("contains(keys(@), 'nobody')"), await codeWhere("!contains(keys(@), 'nobody')")]).toEqual([4, 0]);
  });
});

it('reports have days and times of their own types in parquet', async ({ home, pdi }) => {
  await pdi('feed --since-last --after 0001-01-01 -q');
  const typed = async (words: string) => {
    const file = newFile('report.parquet');
    expect(await program(`${words} --out ${file}`, { home })).toMatchObject({ code: 0 });
    const { rows, footer } = await readParquet(readFileSync(file));
    return { row: rows[0], days: footer.schema.filter(({ converted_type: type }) => type === 'DATE').map(({ name }) => name) };
  };
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  const at = expect.any(BigInt);
  expect(await typed('store')).toMatchObject({ row: { oldest: at, latest: at, pdi_extra: null }, days: [] });
  expect(await typed('bookmarks')).toMatchObject({ row: { newest: day, saved_at: at, pdi_extra: null }, days: ['newest'] });
  expect(await typed('spend --by day,month')).toMatchObject({ row: { day, month: expect.stringMatching(/^\d{4}-\d\d$/) }, days: ['day'] });
});

describe('pdi store forget', () => {
  it('forgets people, companies and investors at once; what is asked again is bought again', async ({ home, pdi, service }) => {
    const before = service.bill().length;
    const ids = ['per_sample1', 'company-1', 'Sample Harbor Ventures 1', 'per_sample9'];
    const result = await program(['store', 'forget', ...ids, '-o', 'csv'], { home });
    expect(result.stdout).toBe('id,forgotten\r\nper_sample1,1\r\ncompany-1,1\r\nSample Harbor Ventures 1,1\r\nper_sample9,0\r\n');
    expect(arrayOf(await program('store', { home }))).toEqual([
      expect.objectContaining({ operation: 'GET /people/{personId}', answers: 1 }),
    ]);
    await pdi('person per_sample1 per_sample2');
    await pdi('revenue company-1');
    expect(service.bill().length - before).toBe(2);
  });

  it('forgets for every account', async ({ home, pdi }) => {
    await pdi('person per_sample1', { env: { PDI_ACCOUNT: 'acme' } });
    expect(arrayOf(await program('store forget per_sample1', { home }))).toEqual([{ id: 'per_sample1', forgotten: 2 }]);
  });

  it('deletes the bytes of the answer at once, and leaves a hash for the id in the calls', async ({ home, pdi }) => {
    const { full_name } = objectOf(await pdi('person per_sample1'));
    expect(await remembered({ home })).toContain(full_name);
    await program('store forget per_sample1', { home });
    expect(await remembered({ home })).not.toMatch(new RegExp(`per_sample1|${full_name}`));
    expect(await callsOf({ home })).toContainEqual([expect.stringMatching(/^sha256:/), 'billed']);
  });

  it('reaches the signals that wait for a bookmark: none of them is delivered any more', async () => {
    const about = (at: number) => ({ entity_id: `per_sample${at % 10}`, person: { full_name: `Ada ${at % 10}` } });
    const signals = dated(0, 120).map((signal, at) => ({ ...signal, ...about(at) }));
    const { pdi, home, service } = await origin(({ path }) => ({ json: feedPage(path, signals) }));
    const env = { PATH: process.env.PATH ?? '' };
    const feed = ['feed', '--since-last', '--after', '0001-01-01', '-o', 'ndjson'];
    expect((await pdi([...feed, '--deliver', 'false'], { env })).code).toBe(1);
    expect(await remembered({ home })).toContain('Ada 3');
    expect(arrayOf(await program('store forget per_sample3', { home }))).toEqual([{ id: 'per_sample3', forgotten: 12 }]);
    expect(await remembered({ home })).not.toMatch(/per_sample3|Ada 3/);
    const { length } = service.requests;
    const { stdout, stderr } = await pdi([...feed, '--deliver', 'cat'], { env });
    expect([stdout, service.requests.length > length, /per_sample3|Ada 3/.test(stderr)]).toEqual(['', true, false]);
    expect(summaryOf(await pdi(feed, { env })).new_signals).toBe(0);
    expect(arrayOf(await program('bookmarks', { home }))).toMatchObject([{ waiting: 0, signals: 120 }]);
  });
});

describe('pdi store purge', () => {
  it('--all deletes every byte of the answers', async ({ home, pdi, service }) => {
    const bytes = await remembered({ home });
    expect([bytes.includes('Sample-1'), bytes.includes('Harbor')]).toEqual([true, true]);
    const before = service.bill().length;
    expect(objectOf(await program('store purge --all --yes', { home }))).toEqual({ deleted: 4, kept: 0 });
    expect(await remembered({ home })).not.toMatch(/Sample-1|Harbor/);
    await pdi('person per_sample1');
    expect(service.bill().length - before).toBe(1);
  });

  it('--older-than deletes what was bought before, and nothing else', async ({ home, pdi }) => {
    expect(objectOf(await program('store purge --older-than 1h --yes', { home }))).toEqual({ deleted: 0, kept: 4 });
    anHourLater();
    await pdi('person per_sample3 -q');
    expect(objectOf(await program('store purge --older-than 1h --yes', { home }))).toEqual({ deleted: 4, kept: 1 });
    expect(arrayOf(await program('store', { home })).map(({ answers }) => answers)).toEqual([1]);
  });

  it.for([
    ['store purge', 'say which answers to delete'],
    ['store purge --all --older-than 1d', 'say which answers to delete'],
    ['store purge --older-than soon --yes', '--older-than: expected an age'],
    ['store purge --all', 'was not confirmed'],
    ['store purge --all --no-input', 'was not confirmed'],
    ['store purge --all --yes --fields nope', 'no field is called'],
    [`store purge --all --yes --out ${fileOf('mine', '')}`, 'the file exists'],
    ['store forget per_sample1 company-1 --fields nope', 'no field is called'],
  ] as const)('%s is refused', async ([line, words], { home }) => {
    expectMistake(await program(line, { home }), 2, words);
    expect(arrayOf(await program('store', { home }))).toHaveLength(3);
  });

  it('--all names the calls that it lets be sent again, before and after; without it they stay', async () => {
    const { pdi, home, service } = await keeping(origin((_request, response) => void response.destroy()));
    const sent = async () => [(await pdi('person per_1 per_2 --retries 0 -q')).code, service.requests.length];
    expect(await sent()).toEqual([5, 2]);
    expect((await program('store purge --older-than 1h --yes', { home })).code).toBe(0);
    expect(await sent()).toEqual([8, 2]);
    const marks = 'what may have been billed without an answer is sent again from then on: 2 calls';
    expect(errorOf(await program('store purge --all', { home })).hint).toContain(`they would have to be bought again; ${marks}`);
    const { stdin, type } = keyboard();
    const asked = program('store purge --all', { home, terminal: true, stdin, onStderr: (text) => text.includes(marks) && type('no\r') });
    expect([(await asked).code, await sent()]).toEqual([2, [8, 2]]);
    expect((await program('store purge --all --yes', { home })).stderr).toContain(marks);
    expect(await sent()).toEqual([5, 4]);
  });

  it.for([
    ['yes\r', 0],
    ['no\r', 2],
    ['y\r', 2],
  ] as const)('asks a person: %j', async ([typed, code], { home }) => {
    const { stdin, type } = keyboard();
    const asked = program('store purge --all', {
      home,
      terminal: true,
      stdin,
      onStderr: (text) => text.includes('Type yes') && type(typed),
    });
    expect((await asked).code).toBe(code);
    expect(arrayOf(await program('store', { home }))).toHaveLength(code === 0 ? 0 : 3);
  });
});
