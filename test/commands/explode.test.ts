/** `--explode LIST`: a row for each element of a list, in every format that has rows. */
import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { expect } from 'vitest';
import { it, itWith } from '../support/it.ts';
import { readParquet } from '../support/parquet.ts';
import { investor } from '../support/records.ts';
import {
  cellsButFetchedAt,
  expectRefused,
  newFile,
  origin,
  pdi,
  rowsOf,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { everyCommand } from './every-command.ts';

const jobs = [
  { title: 'Founder', company_name: '=Sum Ltd', departments: ['A', 'B'], more: 1 },
  { title: 'Engineer', company_name: 'Example', industry: ['Energy'] },
];
const people: Readonly<Record<string, object>> = {
  per_a1: {
    person_id: 'per_a1',
    full_name: 'Ada',
    experience: jobs,
    skills: ['one', 'two; three'],
    languages: [],
  },
  per_b2: { person_id: 'per_b2', full_name: 'Bo' },
};
const served = () =>
  origin(({ path }) => {
    const person = people[path.replace(/^.*\//, '')];
    return person === undefined ? { status: 404, json: {} } : { json: person };
  });
const itOfPeople = itWith(served);
const withFunds = (name: string) => ({
  ...investor(name),
  fund_details: [{ name: `${name} I` }, { name: `${name} II` }],
});

play(
  'test/commands/explode.txt',
  {
    founder: JSON.stringify(jobs[0]),
    engineer: JSON.stringify(jobs[1]),
    funds: JSON.stringify(['A', 'B'].map(withFunds)),
  },
  { people: served },
);

itOfPeople(
  'csv: the columns of the element stand where the list stood, and texts are guarded',
  async ({ pdi: ask }) => {
    const { stdout } = await ask('person per_a1 -o csv --explode experience');
    const names = Object.keys(rowsOf(stdout)[0] ?? {});
    const columns: readonly string[] =
      everyCommand.find(({ name }) => name === 'person')?.columns ?? [];
    const at = names.indexOf('pdi_item');
    expect(names.slice(1, at)).toEqual(columns.slice(0, columns.indexOf('experience')));
    expect(names.slice(at + 1, at + 3)).toEqual([
      'experience.company_name',
      'experience.profnet_url',
    ]);
    expect(names.filter((name) => !/^(?:input|pdi_\w+|experience\..*)$/.test(name))).toEqual(
      columns.filter((name) => name !== 'experience'),
    );
    expect(rowsOf(stdout)[0]).toMatchObject({
      'experience.company_name': "'=Sum Ltd",
      'experience.departments': 'A; B',
      skills: 'one; two; three',
    });
  },
);

itOfPeople('xlsx: typed cells for each row', async ({ pdi: ask }) => {
  const out = newFile('people.xlsx');
  await ask([
    'person',
    'per_a1',
    '--explode',
    'experience',
    '--fields',
    'full_name,pdi_item,experience.title',
    '--out',
    out,
  ]);
  const sheet = strFromU8(
    unzipSync(readFileSync(out))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
  );
  expect(sheet.match(/<v>\d+<\/v>/g)).toEqual(['<v>1</v>', '<v>2</v>']);
  expect(sheet.match(/Founder|Engineer/g)).toEqual(['Founder', 'Engineer']);
});

it.each(everyCommand)('$name: 2, before any request', ({ argv }) =>
  expectRefused([...argv, '-o', 'ndjson', '--explode', 'experiense'], {
    message: expect.stringContaining('no list is called "experiense"'),
    ...(argv[0] === 'person' && { hint: expect.stringContaining('experience') }),
  }),
);

const parquetRows = async (path: string) => (await readParquet(readFileSync(path))).rows;

it.for([
  ['feed --limit 6', 'company.industry'],
  ['feed --limit 6', 'company.tech_verticals'],
  ['feed --limit 6', 'source_types'],
  ['person per_sample3 per_nobody', 'experience'],
  ['person per_sample3 per_nobody', 'skills'],
] as const)(
  '%s --explode %s: its ndjson becomes what the command writes',
  async ([words, list], { pdi: ask }) => {
    const argv = [...words.split(' '), '--explode', list, '--errors', 'text'];
    const out = newFile('elements.ndjson');
    await ask([...argv, '--out', out]);
    const direct = (await ask([...argv, '-o', 'csv'])).stdout;
    for (const from of [[], ['--from', words.split(' ')[0] ?? '']]) {
      const again = (await pdi(['convert', out, '-o', 'csv', ...from])).stdout;
      expect(cellsButFetchedAt(again)).toEqual(cellsButFetchedAt(direct));
    }
    const again = await pdi(['convert', out, '-o', 'csv', '--explode', list]);
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('elements already'),
    });
    const [typed, expected] = [newFile('converted.parquet'), newFile('direct.parquet')];
    await pdi(['convert', out, '--out', typed]);
    await ask([...argv, '--out', expected]);
    const rows = async (path: string) =>
      (await parquetRows(path)).map(({ pdi_fetched_at: _at, ...row }) => row);
    expect(await rows(typed)).toEqual(await rows(expected));
  },
);

it.for(['company.industry', 'company.tech_verticals', 'source_types'])(
  '%s of a csv stands in its place in parquet',
  async (list, { pdi: ask }) => {
    const [csv, typed, expected] = [
      newFile('feed.csv'),
      newFile('converted.parquet'),
      newFile('direct.parquet'),
    ];
    await ask(`feed --limit 6 --out ${csv}`);
    await pdi(['convert', csv, '--explode', list, '--out', typed]);
    await ask(['feed', '--limit', '6', '--explode', list, '--out', expected]);
    expect(await parquetRows(typed)).toEqual(await parquetRows(expected));
  },
);

itOfPeople('a row of a job without a record has no list in parquet', async ({ pdi: ask }) => {
  const [csv, typed] = [newFile('people.csv'), newFile('people.parquet')];
  await ask(`person per_a1 per_b2 per_c3 --out ${csv}`);
  expect((await pdi(['convert', csv, '--explode', 'skills', '--out', typed])).stderr).toBe('');
  const rows = await parquetRows(typed);
  expect(rows.map(({ skills }) => skills)).toEqual(['one', 'two', 'three', null, null]);
  expect(rows.map(({ pdi_extra }) => String(pdi_extra)).join()).not.toContain('skills');
});
