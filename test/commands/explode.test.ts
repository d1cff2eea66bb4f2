/** `--explode LIST`: a row for each element of a list, in every format that has rows. */
import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect } from 'vitest';
import { it, itWith } from '../support/it.ts';
import { readParquet } from '../support/parquet.ts';
import { investor } from '../support/records.ts';
import { cellsButFetchedAt, expectRefused, fileOf, newFile, origin, pdi, recordsOf, rowsOf, summaryOf } from '../support/service.ts';
import { everyCommand } from './every-command.ts';

const jobs = [
  { title: 'Founder', company_name: '=Sum Ltd', departments: ['A', 'B'], more: 1 },
  { title: 'Engineer', company_name: 'Example', industry: ['Energy'] },
];
const people: Readonly<Record<string, object>> = {
  per_a1: { person_id: 'per_a1', full_name: 'Ada', experience: jobs, skills: ['one', 'two; three'], languages: [] },
  per_b2: { person_id: 'per_b2', full_name: 'Bo' },
};
const itOfPeople = itWith(() =>
  origin(({ path }) => {
    const person = people[path.replace(/^.*\//, '')];
    return person === undefined ? { status: 404, json: {} } : { json: person };
  }),
);
const ids = ['per_a1', 'per_b2', 'per_c3'];
const investorList = 'd0000000-0000-4000-8000-000000000002';
const fields = 'full_name,pdi_item,experience.title';

describe('--explode in each format', () => {
  itOfPeople('csv: the columns of the element stand where the list stood, and texts are guarded', async ({ pdi: ask }) => {
    const { stdout } = await ask(['person', 'per_a1', '-o', 'csv', '--explode', 'experience']);
    const names = Object.keys(rowsOf(stdout)[0] ?? {});
    const columns: readonly string[] = everyCommand.find(({ name }) => name === 'person')?.columns ?? [];
    const at = names.indexOf('pdi_item');
    expect(names.slice(1, at)).toEqual(columns.slice(0, columns.indexOf('experience')));
    expect(names.slice(at + 1, at + 3)).toEqual(['experience.company_name', 'experience.profnet_url']);
    expect(names.filter((name) => !/^(?:input|pdi_\w+|experience\..*)$/.test(name))).toEqual(
      columns.filter((name) => name !== 'experience'),
    );
    expect(rowsOf(stdout)[0]).toMatchObject({
      'experience.company_name': "'=Sum Ltd",
      'experience.departments': 'A; B',
      skills: 'one; two; three',
    });
  });

  itOfPeople('a list of scalars is one column of its name, which holds the element', async ({ pdi: ask }) => {
    const argv = ['person', 'per_a1', '--explode', 'skills', '--fields', 'pdi_item,skills'];
    expect((await ask([...argv, '-o', 'ndjson'])).stdout).toBe('{"pdi_item":1,"skills":"one"}\n{"pdi_item":2,"skills":"two; three"}\n');
    const table = (await ask([...argv, '-o', 'table'])).stdout;
    const lines = table
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
    expect(lines).toEqual(['input | pdi_item | skills', 'per_a1 | 1 | one', 'per_a1 | 2 | two; three']);
  });

  it('table: the elements stand behind the columns that tell the record', async ({ pdi: ask }) => {
    const { stdout } = await ask('feed --limit 3 --explode signal_investors -o table');
    expect(stdout.replace(/\n[^\n]*\n(?=Ada)/, '')).toMatch(/^ *signal_\n *signal_ +pdi_ +investors\. +signal_/);
  });

  itOfPeople('xlsx: typed cells for each row', async ({ pdi: ask }) => {
    const out = newFile('people.xlsx');
    await ask(['person', 'per_a1', '--explode', 'experience', '--fields', fields, '--out', out]);
    const sheet = strFromU8(unzipSync(readFileSync(out))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet.match(/<v>\d+<\/v>/g)).toEqual(['<v>1</v>', '<v>2</v>']);
    expect(sheet.match(/Founder|Engineer/g)).toEqual(['Founder', 'Engineer']);
  });

  it.each(['experience -o json', 'experience,skills -o json', 'experience'])('json has no rows, and says what has: %s', (lists) =>
    expectRefused(`person per_a1 --explode ${lists}`, { item: '--explode', hint: expect.stringMatching(/-o .*ndjson.*csv.*--query/) }),
  );
});

describe('--explode and other flags', () => {
  itOfPeople.for(['skills,skills', ' skills ,', 'skills,'])('%j is one list', async (list, { pdi: ask }) => {
    const argv = ['person', 'per_a1', '-o', 'ndjson', '--fields', 'skills', '--explode', list];
    expect((await ask(argv)).stdout).toBe('{"skills":"one"}\n{"skills":"two; three"}\n');
  });

  itOfPeople('a joined CSV: own columns repeat as they were, and no name is there twice', async ({ pdi: ask }) => {
    const input = fileOf('in.csv', 'pdi_item,id\n"=a, b",per_a1\nx,per_b2\n');
    const { stdout } = await ask(`person -i ${input} --column id -o csv --explode skills --fields pdi_item,skills`);
    const rows = ['"=a, b",per_a1,1,one,ok,', '"=a, b",per_a1,2,two; three,ok,', 'x,per_b2,,,ok,'];
    expect(stdout).toBe(`${['pdi_item,id,person_pdi_item,skills,pdi_status,pdi_error', ...rows].join('\n')}\n`);
  });

  itOfPeople('the summary counts rows of the input', async ({ pdi: ask }) => {
    const result = await ask(['person', ...ids, '-o', 'ndjson', '--explode', 'experience', '--on-error', 'continue']);
    expect(summaryOf(result)).toMatchObject({ rows: 3, ok: 2, not_found: 1 });
  });

  itOfPeople('--fields goes into the element, also by deep paths; --query sees the record with its element', async ({ pdi: ask }) => {
    const argv = ['person', 'per_a1', '-o', 'ndjson', '--explode', 'experience'];
    const chosen = await ask([...argv, '--fields', 'experience,experience.departments.1,experience.industry.0,skills.0']);
    expect(recordsOf(chosen.stdout)).toEqual([
      { experience: jobs[0], 'experience.departments.1': 'B', 'experience.industry.0': null, 'skills.0': 'one' },
      { experience: jobs[1], 'experience.departments.1': null, 'experience.industry.0': 'Energy', 'skills.0': 'one' },
    ]);
    expect((await ask([...argv, '--query', '[pdi_item, experience.title]'])).stdout).toBe('[1,"Founder"]\n[2,"Engineer"]\n');
  });

  it.each(['experience.0.title', 'experience.titel'])('--fields %s is no column of an element: 2', (name) =>
    expectRefused(['person', 'per_a1', '-o', 'ndjson', '--explode', 'experience', '--fields', name], {
      hint: expect.stringContaining('experience.title'),
    }),
  );

  it('of several matches the first is shown, in ndjson too, with a notice', async () => {
    const withFunds = (name: string) => ({ ...investor(name), fund_details: [{ name: `${name} I` }, { name: `${name} II` }] });
    const { pdi: ask } = await origin(() => ({ json: ['A', 'B'].map(withFunds) }));
    const argv = ['investors', '-i', fileOf('in.txt', 'Harbor\n'), '--explode', 'fund_details'];
    const shown = ['--fields', 'investor_name,pdi_matches,pdi_item,fund_details.name'];
    const csv = await ask([...argv, ...shown, '-o', 'csv']);
    expect(csv.stdout).toContain('\r\nHarbor,A,2,1,A I,ok,\r\nHarbor,A,2,2,A II,ok,\r\n');
    const ndjson = await ask([...argv, ...shown, '-o', 'ndjson']);
    expect(ndjson.stdout).toContain('\n{"investor_name":"A","pdi_matches":2,"pdi_item":2,"fund_details.name":"A II"}\n');
    expect(ndjson.stderr).toContain('-o json or ndjson without --explode shows all');
  });
});

describe('a list that is not there', () => {
  it.each(everyCommand)('$name: 2, before any request', ({ argv }) =>
    expectRefused([...argv, '-o', 'ndjson', '--explode', 'experiense'], {
      message: expect.stringContaining('no list is called "experiense"'),
      ...(argv[0] === 'person' && { hint: expect.stringContaining('experience') }),
    }),
  );

  it.each(['spend', 'bookmarks', 'store', 'config list'])('%s has none: 2', (words) =>
    expectRefused(`${words} -o csv --explode experience --errors json`, { hint: expect.stringContaining('hold no list') }),
  );

  it.each(['ndjson', 'csv'])('the members of a list are rows already: %s', (format) =>
    expectRefused(`lists investors get ${investorList} --explode investors --errors json -o ${format}`, {
      hint: expect.stringContaining('rows anyway'),
    }),
  );
});

it('a list below an object takes the place of the list, in flat records too', async ({ pdi: ask }) => {
  const out = newFile('feed.csv');
  await ask(['feed', '--limit', '6', '--out', out]);
  const argv = ['--explode', 'company.industry', '--fields', 'signal_id,company.name,pdi_item,company.industry', '-o', 'csv'];
  const direct = (await ask(['feed', '--limit', '6', ...argv])).stdout;
  expect(direct).toMatch(/,Example \w+ \d+ Ltd,2,\w+\r\n/);
  expect(direct).toMatch(/^[\w-]+,,,\r$/m);
  expect((await pdi(['convert', out, ...argv])).stdout).toBe(direct);
});

describe('convert', () => {
  const parquetRows = async (path: string) => (await readParquet(readFileSync(path))).rows;

  itOfPeople('reads exploded rows back with their types, and explodes them no second time', async ({ pdi: ask }) => {
    const argv = ['person', 'per_a1', 'per_b2', '--explode', 'experience'];
    const out = newFile('exploded.csv');
    await ask([...argv, '--out', out]);
    const [first] = recordsOf((await pdi(['convert', out, '-o', 'ndjson'])).stdout);
    expect(first).toMatchObject({
      person_id: 'per_a1',
      pdi_item: 1,
      experience: { company_name: '=Sum Ltd', departments: ['A', 'B'] },
      skills: ['one', 'two', 'three'],
    });
    expect((await pdi(['convert', out, '-o', 'csv'])).stdout).toBe(readFileSync(out, 'utf8'));
    const again = await pdi(['convert', out, '-o', 'csv', '--explode', 'languages']);
    expect(again).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('elements already') });
  });

  it.for([
    ['feed --limit 6', 'company.industry'],
    ['feed --limit 6', 'company.tech_verticals'],
    ['feed --limit 6', 'source_types'],
    ['person per_sample3 per_nobody', 'experience'],
    ['person per_sample3 per_nobody', 'skills'],
  ] as const)('%s --explode %s: its ndjson becomes what the command writes', async ([words, list], { pdi: ask }) => {
    const argv = [...words.split(' '), '--explode', list, '--errors', 'text'];
    const out = newFile('elements.ndjson');
    await ask([...argv, '--out', out]);
    const direct = (await ask([...argv, '-o', 'csv'])).stdout;
    for (const from of [[], ['--from', words.split(' ')[0] ?? '']]) {
      const again = (await pdi(['convert', out, '-o', 'csv', ...from])).stdout;
      expect(cellsButFetchedAt(again)).toEqual(cellsButFetchedAt(direct));
    }
    const again = await pdi(['convert', out, '-o', 'csv', '--explode', list]);
    expect(again).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('elements already') });
    const [typed, expected] = [newFile('converted.parquet'), newFile('direct.parquet')];
    await pdi(['convert', out, '--out', typed]);
    await ask([...argv, '--out', expected]);
    const rows = async (path: string) => (await parquetRows(path)).map(({ pdi_fetched_at: _at, ...row }) => row);
    expect(await rows(typed)).toEqual(await rows(expected));
  });

  it.for(['company.industry', 'company.tech_verticals', 'source_types'])(
    '%s of a csv stands in its place in parquet',
    async (list, { pdi: ask }) => {
      const [csv, typed, expected] = [newFile('feed.csv'), newFile('converted.parquet'), newFile('direct.parquet')];
      await ask(['feed', '--limit', '6', '--out', csv]);
      await pdi(['convert', csv, '--explode', list, '--out', typed]);
      await ask(['feed', '--limit', '6', '--explode', list, '--out', expected]);
      expect(await parquetRows(typed)).toEqual(await parquetRows(expected));
    },
  );

  itOfPeople('a row of a job without a record has no list in parquet', async ({ pdi: ask }) => {
    const [csv, typed] = [newFile('people.csv'), newFile('people.parquet')];
    await ask(['person', ...ids, '--out', csv]);
    expect((await pdi(['convert', csv, '--explode', 'skills', '--out', typed])).stderr).toBe('');
    const rows = await parquetRows(typed);
    expect(rows.map(({ skills }) => skills)).toEqual(['one', 'two', 'three', null, null]);
    expect(rows.map(({ pdi_extra }) => String(pdi_extra)).join()).not.toContain('skills');
  });

  itOfPeople.for(['person_id,pdi_item,skills', 'skills,person_id,pdi_item'])(
    'an element of a csv with %s is no list in json',
    async (chosen, { pdi: ask }) => {
      const csv = newFile('skills.csv');
      await ask(['person', 'per_a1', '--explode', 'skills', '--fields', chosen, '--out', csv]);
      const [, second] = recordsOf((await pdi(['convert', csv, '-o', 'ndjson'])).stdout);
      expect(second).toEqual({ person_id: 'per_a1', pdi_item: 2, skills: 'two; three' });
    },
  );

  it('an empty file has no list that is unknown', async () => {
    const { code, stdout } = await pdi('convert - -o csv --explode experience', { stdin: '[]' });
    expect([code, stdout]).toEqual([0, '']);
  });
});
