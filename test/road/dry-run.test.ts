/** `--dry-run` for every command: what would be sent, without a key, and nobody asked. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { planJob } from '../../src/road/dry-run.ts';
import type { InputRow } from '../../src/rows/row.ts';
import { documented, everyCommand } from '../commands/every-command.ts';
import { leaves } from '../commands/tree.ts';
import { it, itWith } from '../support/it.ts';
import { newFolder } from '../support/run.ts';
import { asRecord, callsOf, errorOf, fileOf, key, linesOf, objectOf, origin, pdi as program } from '../support/service.ts';

const itDocumented = itWith(() => origin(documented));

describe.each(everyCommand)('$name --dry-run', ({ argv, method, path, billing, body, job }) => {
  itDocumented('prints the request, works without a key, and makes no call', async ({ service }) => {
    const result = await program(['--base-url', service.baseUrl, '--dry-run', ...argv.filter((word) => word !== '--yes')]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    const { dry_run, requests, requests_omitted: omitted, job: plan } = objectOf(result);
    expect([dry_run, omitted, requests]).toEqual([
      true,
      0,
      [{ method, url: `${service.baseUrl}${path}`, ...(body !== undefined && { body }), billing }],
    ]);
    const counts = { rows: 1, distinct: 1, invalid: 0, not_found: 0, in_journal: 0, in_book: 0, requests: 1 };
    if (job) expect(plan).toEqual({ ...counts, billable: billing === 'free' ? 0 : 1, cap: { limit: 100, allowed: true } });
    expect(service.requests).toEqual([]);
  });

  itDocumented('in lines on a terminal', async ({ service }) => {
    const { code, stdout, stderr } = await program(['--base-url', service.baseUrl, '--dry-run', ...argv], { terminal: true });
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout)[0]).toBe('dry run: nothing is sent');
    // What matters comes first: the plan itself is last.
    expect(linesOf(stdout).at(body === undefined ? -1 : -2)).toBe(`${method} ${service.baseUrl}${path} (${billing})`);
    expect(service.requests).toEqual([]);
  });
});

describe('--dry-run of a job', () => {
  itDocumented('counts rows, distinct and malformed ones, requests, and calls that may be billed', async ({ service }) => {
    const stdin = 'per_1\nper_2\nper_1\n..\nper_3\n';
    const result = await program(['--base-url', service.baseUrl, 'person', '-i', '-', '--dry-run'], { stdin });
    const { requests, job } = objectOf(result);
    const counts = { rows: 5, distinct: 3, invalid: 1, not_found: 0, in_journal: 0, in_book: 0, requests: 3, billable: 3 };
    expect(job).toEqual({ ...counts, cap: { limit: 100, allowed: true } });
    expect(requests).toHaveLength(3);
  });

  it.each(['person', 'resolve'])('%s tells rows that an earlier command found nothing for from malformed ones', async (command) => {
    const records = [
      { person_id: 'per_1', profnet_id: 'ada' },
      { input: 'bob', pdi_status: 'not_found', pdi_error: 'not found (404)' },
    ];
    const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const argv = ['--base-url', 'http://127.0.0.1:1/api/v1', command, '-i', '-', '--dry-run'];
    const { job } = objectOf(await program(argv, { stdin }));
    expect(asRecord(job)).toMatchObject({ rows: 2, distinct: 1, invalid: 0, not_found: 1, requests: 1 });
    const { stdout } = await program([...argv, '-o', 'table'], { stdin });
    expect(stdout).toContain('2 rows: 1 distinct, 1 not found before, 0 invalid, 0 already in the journal\n');
  });

  const ids = (command: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${command === 'person' ? 'per_' : 'slug-'}${index}\n`).join('');

  it.each([
    ['person', 24, 10, 14, '… and 14 requests more'],
    ['person', 11, 10, 1, '… and 1 request more'],
    ['person', 10, 10, 0, 'GET http://127.0.0.1:1/api/v1/people/per_9 (charged)'],
    ['resolve', 130, 1, 2, '… and 2 requests more'],
  ])('%s of %i shows %i requests and says how many it leaves out: %i', async (command, count, shown, omitted, words) => {
    const argv = ['--base-url', 'http://127.0.0.1:1/api/v1', command, '-i', '-', '--dry-run'];
    const plan = objectOf(await program(argv, { stdin: ids(command, count) }));
    expect([plan.requests, plan.requests_omitted]).toEqual([expect.objectContaining({ length: shown }), omitted]);
    const lines = linesOf((await program([...argv, '-o', 'table'], { stdin: ids(command, count) })).stdout);
    expect(lines.at(-1)).toBe(words);
  });

  it('speaks of one row and one request in the singular', async () => {
    const { stdout } = await program('--base-url http://127.0.0.1:1/api/v1 person per_1 --dry-run -o table');
    expect(linesOf(stdout).slice(1, 4)).toEqual([
      '1 row: 1 distinct, 0 invalid, 0 already in the journal',
      '1 request, 1 that may be billed',
      'cap: 100 calls: enough',
    ]);
  });

  it('is one line in ndjson', async () => {
    const { stdout } = await program('--base-url http://127.0.0.1:1/api/v1 person per_1 per_2 --dry-run -o ndjson');
    expect(linesOf(stdout).map((line) => JSON.parse(line))).toMatchObject([{ dry_run: true, requests_omitted: 0, job: { rows: 2 } }]);
  });

  it('needs a base URL, or --sandbox', async () => {
    expect((await program('person per_1 --dry-run')).code).toBe(2);
    expect((await program('--sandbox person per_1 --dry-run')).code).toBe(0);
  });
});

itDocumented('a key typed in the place of an identifier shows neither in the plan nor in the ledger', async ({ service, pdi }) => {
  const plan = await program(['--base-url', service.baseUrl, 'revenue', key, '--dry-run'], { env: { PDI_API_KEY: key } });
  expect(plan.stdout).toContain('/companies/');
  const run = await pdi(['revenue', key, '-o', 'csv']);
  expect(await callsOf(run)).toEqual([[expect.stringMatching(/^sha256:/), 'unpriced']]);
  for (const text of [plan.stdout, run.stderr]) expect(text).not.toContain(key);
});

it.each([
  ['feed --all', '/investor-interest?page=0&limit=50', null],
  ['feed --since-last --after 2026-06-01', '/investor-interest?signal_date_after=2026-06-01&page=0&limit=50', null],
  ['feed --max-pages 3 --page 2 --limit 10', '/investor-interest?page=2&limit=10', null],
  ['feed --max-pages 1', '/investor-interest', 0],
  ['feed --page 4', '/investor-interest?page=4', 0],
  ['network --all', '/network/people?page=0&limit=50', null],
])('--dry-run of pages: %s shows the request that the run begins with', async (argv, path, omitted) => {
  const { service, pdi } = await origin(() => ({ json: [] }));
  const plan = objectOf(await pdi(`${argv} --dry-run`));
  expect([plan.requests, plan.requests_omitted]).toEqual([[expect.objectContaining({ url: `${service.baseUrl}${path}` })], omitted]);
  const inLines = linesOf((await pdi(`${argv} --dry-run -o table`)).stdout);
  const request = expect.stringMatching(`^GET ${service.baseUrl}`);
  const rest =
    omitted === null
      ? ['cap: 100 calls', request, '… and one request more a page, until a page is short']
      : ['cap: 100 calls: enough', request];
  expect(inLines.slice(1)).toEqual(rest);
  await pdi(argv);
  expect(service.requests.map((request) => request.path)).toEqual([`/api/v1${path}`]);
});

describe('--dry-run of every command there is', () => {
  const others = [
    ...['config set timeout 6', 'config unset timeout', 'config get timeout', 'config path', 'config list', 'config profiles'],
    ...['config check', 'config init', 'convert -', 'bookmarks', 'bookmarks reset daily', 'spend', 'store', 'store forget per_1'],
    ...['store purge --all --yes', 'mcp', 'sandbox', 'completion bash', 'help money'],
  ].map((line) => line.split(' '));
  const lineOf = (path: string): readonly string[] | undefined => {
    const { length } = path.split(' ');
    const found = others.filter((line) => line.slice(0, length).join(' ') === path);
    return everyCommand.find(({ name }) => name === path)?.argv ?? found.at(0);
  };
  const refused = ['config set', 'config unset', 'config init', 'store forget', 'store purge', 'bookmarks reset', 'mcp', 'sandbox'];
  /** The others print what they know, and send nothing in any case: they are refused only where they would write it. */
  const asking = [...everyCommand.map(({ name }) => name), 'config check'];

  /** What lies below a folder: names, and texts of files. */
  const contents = (folder: string): readonly (readonly [string, string])[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'utf8') : ''] as const);

  itDocumented.for(leaves)('$path sends nothing and writes nothing', async ({ path }, { service }) => {
    const argv = lineOf(path);
    if (argv === undefined) throw new Error(`no command line for ${path}`);
    const home = newFolder();
    mkdirSync(join(home, 'config', 'pdi'), { recursive: true });
    const profile = { 'base-url': service.baseUrl, 'api-key': key, timeout: 5 };
    writeFileSync(join(home, 'config', 'pdi', 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
    const before = contents(home);
    for (const out of [[], ['--out', join(home, 'out')]]) {
      const result = await program([...argv, '--dry-run', ...out], { home });
      const expected = refused.includes(path) || (!asking.includes(path) && out.length > 0) ? 2 : 0;
      expect([result.code, result.stdout === ''], result.stderr).toEqual([expected, expected === 2]);
      const refusal = { code: 'usage', item: '--dry-run', message: expect.stringContaining(`pdi ${path} takes no --dry-run`) };
      if (expected === 2) expect(errorOf(result)).toMatchObject(refusal);
    }
    expect([service.requests, contents(home)]).toEqual([[], before]);
  });

  itDocumented('config check: its two questions, without a key', async ({ service }) => {
    const plan = objectOf(await program(['--base-url', service.baseUrl, 'config', 'check', '--dry-run']));
    expect(plan).toEqual({
      dry_run: true,
      requests_omitted: 0,
      requests: ['/health', '/lists/companies'].map((path) => ({ method: 'GET', url: `${service.baseUrl}${path}`, billing: 'free' })),
    });
  });
});

describe('a plan is refused where its run is', () => {
  it.for([
    ...['feed --fields nope', 'feed --all --where signal_scor', 'feed --where a[', 'feed -o json --query a[', 'feed -o csv --query a'],
    ...['feed -o csv --delimiter xx', 'feed -o json --bom', 'feed -o json --with-input', 'feed --all --since-last --fields nope'],
    ...['person per_sample1 --fields nope', 'person per_sample1 per_sample2 -o csv --explode nope'],
    ...['person per_sample1 -o json --explode experience', 'person per_sample1 -o csv --with-input'],
    ...['resolve ada-sample-1 --fields nope', 'lists companies list --fields nope', 'investors --name Harbor --fields nope'],
    'network --all -o ndjson --query a[',
  ])('refuses `pdi %s` as the run does, and makes no call', async (line, { service, pdi }) => {
    const run = errorOf(await pdi(`${line} --errors json`));
    const plan = await pdi(`${line} --dry-run --errors json`);
    expect([plan.code, plan.stdout, service.requests()]).toEqual([2, '', {}]);
    expect(errorOf(plan).message).toBe(run.message);
  });

  it('shows what a file would get, also where a terminal would get none of it', async ({ pdi }) => {
    for (const line of ['feed -o xlsx', 'person per_sample1 -o parquet'])
      expect((await pdi(`${line} --dry-run`, { terminal: true })).code).toBe(0);
  });

  it('knows the columns that only some runs have', async ({ pdi }) => {
    const file = fileOf('leads.csv', 'A,B\nada-sample-1,\n');
    const line = ['resolve', '-i', file, '-o', 'csv', '--fields', 'pdi_matched_by,person_id', '--dry-run'];
    expect((await pdi([...line, '--column', 'A,B'])).code).toBe(0);
    expect((await pdi([...line, '--column', 'A'])).code).toBe(2);
  });
});

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
