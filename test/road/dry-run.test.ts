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
import {
  callsOf,
  errorOf,
  fileOf,
  key,
  linesOf,
  objectOf,
  origin,
  pdi as program,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

const itDocumented = itWith(() => origin(documented));

describe.each(everyCommand)('$name --dry-run', ({ argv, method, path, billing, body, job }) => {
  itDocumented(
    'prints the request, works without a key, and makes no call',
    async ({ service }) => {
      const result = await program([
        '--base-url',
        service.baseUrl,
        '--dry-run',
        ...argv.filter((word) => word !== '--yes'),
      ]);
      expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
      const { dry_run, requests, requests_omitted: omitted, job: plan } = objectOf(result);
      expect([dry_run, omitted, requests]).toEqual([
        true,
        0,
        [
          {
            method,
            url: `${service.baseUrl}${path}`,
            ...(body !== undefined && { body }),
            billing,
          },
        ],
      ]);
      const counts = {
        rows: 1,
        distinct: 1,
        invalid: 0,
        not_found: 0,
        in_journal: 0,
        in_book: 0,
        requests: 1,
      };
      if (job)
        expect(plan).toEqual({
          ...counts,
          billable: billing === 'free' ? 0 : 1,
          cap: { limit: 100, allowed: true },
        });
      expect(service.requests).toEqual([]);
    },
  );

  itDocumented('in lines on a terminal', async ({ service }) => {
    const { code, stdout, stderr } = await program(
      ['--base-url', service.baseUrl, '--dry-run', ...argv],
      { terminal: true },
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout)[0]).toBe('dry run: nothing is sent');
    // What matters comes first: the plan itself is last.
    expect(linesOf(stdout).at(body === undefined ? -1 : -2)).toBe(
      `${method} ${service.baseUrl}${path} (${billing})`,
    );
    expect(service.requests).toEqual([]);
  });
});

const lines = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join('\\n');

describe('--dry-run', () =>
  play('test/road/dry-run.txt', {
    today: new Date().toISOString().slice(0, 10),
    ...{
      people24: lines(24, 'per_'),
      people11: lines(11, 'per_'),
      people10: lines(10, 'per_'),
      slugs130: lines(130, 'slug-'),
    },
  }));

itDocumented(
  'a key typed in the place of an identifier shows neither in the plan nor in the ledger',
  async ({ service, pdi }) => {
    const plan = await program(['--base-url', service.baseUrl, 'revenue', key, '--dry-run'], {
      env: { PDI_API_KEY: key },
    });
    expect(plan.stdout).toContain('/companies/');
    const run = await pdi(['revenue', key, '-o', 'csv']);
    expect(await callsOf(run)).toEqual([[expect.stringMatching(/^sha256:/), 'unpriced']]);
    for (const text of [plan.stdout, run.stderr]) expect(text).not.toContain(key);
  },
);

describe('--dry-run of every command there is', () => {
  const people = fileOf('people.csv', 'person_id,full_name\nper_1,Ada\n');
  const others = [
    ...[
      'config set timeout 6',
      'config unset timeout',
      'config get timeout',
      'config path',
      'config list',
      'config profiles',
    ],
    ...[
      'config check',
      'config init',
      'api GET /x',
      'convert -',
      `diff ${people} ${people}`,
      'bookmarks',
      'bookmarks reset daily',
      'book',
      'book backup b.db',
      'book move b.db',
      'spend',
      'store',
      'store export person',
      'diff person --since 7d',
      'store forget per_1',
    ],
    ...[
      'store purge --all --yes',
      'mcp',
      'sandbox',
      'sandbox signal',
      'completion bash',
      'help money',
    ],
  ].map((line) => line.split(' '));
  const lineOf = (path: string): readonly string[] | undefined => {
    const { length } = path.split(' ');
    const found = others.filter((line) => line.slice(0, length).join(' ') === path);
    return everyCommand.find(({ name }) => name === path)?.argv ?? found.at(0);
  };
  const refused = [
    'config set',
    'config unset',
    'config init',
    'store forget',
    'store purge',
    'book backup',
    'book move',
    'bookmarks reset',
    'mcp',
    'sandbox',
    'sandbox signal',
  ];
  /** The others print what they know, and send nothing in any case: they are refused only where they would write it. */
  const asking = [...everyCommand.map(({ name }) => name), 'api', 'config check'];

  /** What lies below a folder: names, and texts of files. */
  const contents = (folder: string): readonly (readonly [string, string])[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map(
        (name) =>
          [
            name,
            statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), 'utf8') : '',
          ] as const,
      );

  itDocumented.for(leaves)(
    '$path sends nothing and writes nothing',
    async ({ path }, { service }) => {
      const argv = lineOf(path);
      if (argv === undefined) throw new Error(`no command line for ${path}`);
      const home = newFolder();
      mkdirSync(join(home, 'config', 'pdi'), { recursive: true });
      const profile = { 'base-url': service.baseUrl, 'api-key': key, timeout: 5 };
      writeFileSync(
        join(home, 'config', 'pdi', 'config.json'),
        JSON.stringify({ profiles: { default: profile } }),
        { mode: 0o600 },
      );
      const before = contents(home);
      for (const out of [[], ['--out', join(home, 'out')]]) {
        const result = await program([...argv, '--dry-run', ...out], { home });
        const expected =
          refused.includes(path) || (!asking.includes(path) && out.length > 0) ? 2 : 0;
        expect([result.code, result.stdout === ''], result.stderr).toEqual([
          expected,
          expected === 2,
        ]);
        const refusal = {
          code: 'usage',
          item: '--dry-run',
          message: expect.stringContaining(`pdi ${path} takes no --dry-run`),
        };
        if (expected === 2) expect(errorOf(result)).toMatchObject(refusal);
      }
      expect([service.requests, contents(home)]).toEqual([[], before]);
    },
  );
});

describe('a plan is refused where its run is', () => {
  it.for([
    ...[
      'feed --fields nope',
      'feed --all --where signal_scor',
      'feed --where a[',
      'feed -o json --query a[',
      'feed -o csv --query a',
    ],
    ...[
      'feed -o csv --delimiter xx',
      'feed -o json --bom',
      'feed -o json --with-input',
      'feed --all --since-last --fields nope',
    ],
    ...['person per_sample1 --fields nope', 'person per_sample1 per_sample2 -o csv --explode nope'],
    ...[
      'person per_sample1 -o json --explode experience',
      'person per_sample1 -o csv --with-input',
    ],
    ...[
      'resolve ada-sample-1 --fields nope',
      'lists companies list --fields nope',
      'investors --name Harbor --fields nope',
    ],
    'network --all -o ndjson --query a[',
  ])('refuses `pdi %s` as the run does, and makes no call', async (line, { service, pdi }) => {
    const run = errorOf(await pdi(`${line} --errors json`));
    const plan = await pdi(`${line} --dry-run --errors json`);
    expect([plan.code, plan.stdout, service.requests()]).toEqual([2, '', {}]);
    expect(errorOf(plan).message).toBe(run.message);
  });
});

async function* inBatches(
  rows: readonly InputRow[],
  size: number,
): AsyncGenerator<readonly InputRow[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

const ask = (text: string) => (text.startsWith('bad') ? { invalid: 'bad' } : { key: text });
const charged = { endpoint: { billing: 'charged' }, ask, perRequest: 1 } as const;

describe('a plan', () => {
  it('of far more calls than are allowed is not counted to its end', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<readonly InputRow[]> {
      for (; given < 2_000_000; given += 1000)
        yield Array.from({ length: 1000 }, (_, at) => ({
          line: given + at + 1,
          text: `c${given + at}`,
        }));
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
