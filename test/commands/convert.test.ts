import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect } from 'vitest';
import { isObject } from '../../src/json/exact.ts';
import { book, bookOf, row } from '../input/book.ts';
import { it } from '../support/it.ts';
import { columnsIn, readParquet } from '../support/parquet.ts';
import { idIn, investor } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import {
  arrayOf,
  cellsButFetchedAt,
  cellsOf,
  errorOf,
  expectRefused,
  fileOf,
  linesFile,
  linesOf,
  newFile,
  objectOf,
  origin,
  pdi,
  recordsOf,
  rowsOf,
  sandbox,
} from '../support/service.ts';

import { everyCommand, exactDigits } from './every-command.ts';

const files = new Map<string, Promise<string>>();

/** What a command writes in a format, in a file of that name, which is written once. */
function written(argv: readonly string[], format: string): Promise<string> {
  const line = [...argv, format].join(' ');
  const file = files.get(line) ?? newlyWritten(argv, format);
  files.set(line, file);
  return file;
}

async function newlyWritten(argv: readonly string[], format: string): Promise<string> {
  const { pdi: asked } = await sandbox();
  const out = newFile(`written.${format}`);
  await asked([...argv, '--out', out, '--max-billable', 'unlimited']);
  return out;
}

it('says how to give what must be unpacked first', async () => {
  const result = await pdi(['convert', fileOf('a.csv', 'BZh9\u0001')]);
  expect([result.code, errorOf(result).hint]).toEqual([2, 'unpack it, for example: bunzip2 -c FILE | pdi convert -']);
});

it('refuses by name what might be notes above a header', async () => {
  const result = await pdi(['convert', fileOf('a.yaml', '- person_id: per_1\n  name: Ada\n- person_id: per_2\n')]);
  expect([result.code, errorOf(result).message]).toEqual([2, expect.stringMatching(/a\.yaml is YAML$/)]);
});

const textOf = (path: string): string => readFileSync(path, 'utf8');
const parquetRows = async (path: string) => (await readParquet(readFileSync(path))).rows;
const sheetOf = (path: string): string => strFromU8(unzipSync(readFileSync(path))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());

async function converted(path: string, name: string, more: readonly string[] = []): Promise<string> {
  const out = newFile(name);
  const result = await pdi(['convert', path, '--out', out, ...more]);
  expect([result.code, result.stdout], result.stderr).toEqual([0, '']);
  return out;
}

/** JSON does not say when an answer was fetched. */
async function shownIn(path: string, format: string): Promise<unknown> {
  if (format.endsWith('json')) return textOf(path);
  return cellsButFetchedAt(textOf(format === 'xlsx' ? await converted(path, 'shown.csv') : path));
}

const investorList = 'd0000000-0000-4000-8000-000000000001';
const peopleList = 'b0000000-0000-4000-8000-000000000001';

/** The text of a cell, as far as a sheet shows it. */
const textIn = (record: unknown, name: string): string => String(isObject(record) ? (record[name] ?? '') : '').slice(0, 10);

const job = ['-i', linesFile(['per_sample1', 'per_nobody', 'per_sample3'])];
const kinds = {
  person: ['person', ...job],
  'one person': ['person', 'per_sample1'],
  resolve: ['resolve', '-i', linesFile(['ada-sample-1', 'nobody', '700000003', 'https://x'])],
  revenue: ['revenue', 'company-1', 'company-2', 'nix'],
  feed: ['feed', '--limit', '20'],
  'lists investors get': ['lists', 'investors', 'get', 'd0000000-0000-4000-8000-000000000002'],
  investors: ['investors', '--website', 'investor-2.example'],
  health: ['health'],
} as const;

describe.each(Object.entries(kinds))('what %s wrote', (kind, argv) => {
  it.each(['json', 'ndjson', 'csv', 'xlsx'])('becomes the same %s as the command writes itself', async (format) => {
    const wanted = await written(argv, format);
    // NDJSON does not tell an object alone from a list of one.
    for (const from of kind.startsWith('one ') || ['health', 'lists investors get'].includes(kind) ? ['json'] : ['json', 'ndjson']) {
      expect(await shownIn(await converted(await written(argv, from), `out.${format}`), format)).toEqual(await shownIn(wanted, format));
    }
  });

  it('comes back from csv as csv without a change, and as the same csv through json', async () => {
    const csv = await written(argv, 'csv');
    expect(textOf(await converted(csv, 'out.csv'))).toBe(textOf(csv));
    const json = await converted(csv, 'out.ndjson');
    expect(textOf(await converted(json, 'back.csv'))).toBe(textOf(csv));
  });

  it('comes back from a workbook as from csv, but for the zones of times, which a sheet has not', async () => {
    const book = await written(argv, 'xlsx');
    const withoutZones = (text: string) =>
      text.replace(/"pdi_fetched_at":(?:null|"[^"]*"),?/g, '').replace(/"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.000Z"/g, '"$1 $2"');
    const fromCsv = textOf(await converted(await written(argv, 'csv'), 'out.ndjson'));
    expect(withoutZones(textOf(await converted(book, 'out.ndjson')))).toBe(withoutZones(fromCsv));
    expect(sheetOf(await converted(book, 'again.xlsx'))).toBe(sheetOf(book));
  });
});

describe('records', () => {
  it.each(everyCommand.map(({ answer, record, ...one }) => ({ ...one, sent: record ?? answer })))(
    '$name: every digit and every unknown field stay',
    async ({ sent }) => {
      const { stdout } = await pdi('convert - -o ndjson', { stdin: sent });
      expect(linesOf(stdout).length).toBeGreaterThan(0);
      for (const digits of exactDigits) {
        expect(stdout).toContain(digits);
        expect((await pdi('convert - -o json', { stdin: stdout })).stdout).toContain(digits);
      }
      expect(stdout).toContain('field_of_tomorrow');
    },
  );

  it('one line of ndjson is the text that was read', async () => {
    const line = '{"zz":1.50,"person_id":"per_1","big":9007199254740993,"e":1e400,"text":"Z\\u00fcrich"}';
    expect((await pdi('convert - -o ndjson', { stdin: `${line}\n` })).stdout).toBe(line.replace('\\u00fc', 'ü').concat('\n'));
  });

  it('have the columns of their command, whatever the first one holds', async () => {
    const stdin = '{"person_id":"per_1"}\n{"person_id":"per_2","skills":["a","b"],"new":1}\n';
    const { stdout } = await pdi('convert - -o csv', { stdin });
    const { columns } = everyCommand.find(({ name }) => name === 'person') ?? { columns: [] };
    expect(Object.keys(rowsOf(stdout)[0] ?? {})).toEqual(['input', ...columns, 'pdi_status', 'pdi_error']);
    expect(cellsOf(stdout, 'input', 'skills', 'pdi_status')).toEqual(['per_1 |  | ok', 'per_2 | a; b | ok']);
  });

  it('that no command explains have all their fields', async () => {
    const stdin = '[{"day":"2026-01-01","billed":1},{"day":"2026-01-02","what":{"deep":[1]}}]';
    expect((await pdi('convert - -o csv', { stdin })).stdout).toBe('day,billed,what\r\n2026-01-01,1,\r\n2026-01-02,,"{""deep"":[1]}"\r\n');
  });

  it('have the columns of their command also where a field that nobody documents has a dot', async () => {
    const stdin = '{"person_id":"per_1","full_name":"A","skills":["a"],"field.of.tomorrow":1}\n';
    const { stdout } = await pdi('convert - -o csv', { stdin });
    expect(cellsOf(stdout, 'input', 'last_updated', 'skills', 'pdi_status')).toEqual(['per_1 |  | a | ok']);
  });

  it('have no field that only every object of JavaScript has', async () => {
    const stdin = '[{"constructor":1,"a.toString":2},{"a":3,"b":4}]';
    expect((await pdi('convert - -o csv', { stdin })).stdout.split('\r\n')[2]).toBe(',,3,4');
  });

  it('are of a command only if most of their fields are', async () => {
    const person = await pdi('convert - -o csv', { stdin: '{"person_id":"per_1","full_name":"A"}' });
    expect(person.stdout).toMatch(/^input,person_id,last_updated,/);
    expect((await pdi('convert - -o csv', { stdin: '{"person_id":"x","foo":1,"bar":2}' })).stdout).toBe('person_id,foo,bar\r\nx,1,2\r\n');
  });

  it('are of a command also where fields are of other types, as a job shows them', async () => {
    const stdin = '{"person_id":"per_1","full_name":"A","years_of_experience":"5"}\n{"person_id":"per_2","full_name":7}\n';
    const { stdout, stderr } = await pdi('convert - -o csv', { stdin });
    expect(stdout).toMatch(/^input,person_id,last_updated,/);
    expect(cellsOf(stdout, 'person_id', 'full_name', 'years_of_experience', 'pdi_status', 'pdi_error')).toEqual([
      'per_1 | A |  | ok | years_of_experience should be a number, and is a string: "5"',
      'per_2 | 7 |  | ok | full_name should be a string, and is a number: 7',
    ]);
    expect(stderr).toContain('in 1 record years_of_experience should be a number, and is a string');
  });

  it('have the same text in a cell of a workbook as in csv where a list holds other scalars than texts', async () => {
    const stdin = '{"person_id":"per_1","skills":["a",1.50,null,true,12345678901234567890],"highlights":[null],"languages":[]}\n';
    const out = newFile('odd.xlsx');
    await pdi(['convert', '-', '--from', 'person', '--fields', 'person_id,skills,highlights,languages', '--out', out], { stdin });
    expect(textOf(await converted(out, 'out.csv'))).toContain('per_1,a; 1.50; ; true; 12345678901234567890,,,ok,');
  });

  it('that several commands explain say so, and --from tells', async () => {
    const stdin = '{"id":"c0000000-0000-4000-8000-000000000001","name":"A"}\n';
    const unsure = await pdi('convert - -o csv', { stdin });
    expect(unsure.stdout).toBe('id,name\r\nc0000000-0000-4000-8000-000000000001,A\r\n');
    expect(unsure.stderr).toContain('"lists investors get"');
    const sure = await pdi(['convert', '-', '-o', 'csv', '--from', 'lists investors get'], { stdin });
    expect([linesOf(sure.stdout)[0], sure.stderr]).toEqual(['list_id,list_name,investor_id,created_at\r', '']);
  });

  it('of --fields lose nothing where --from names their command', async () => {
    const feed = ['feed', '--limit', '3', '--fields', 'company.industry.0,signal_investors.0'];
    const csv = await converted(await written(feed, 'ndjson'), 'out.csv', ['--from', 'feed']);
    expect(textOf(csv)).toBe(textOf(await written(feed, 'csv')));
    const list = await written(['lists', 'investors', 'get', investorList, '--fields', 'list_id,investor_id'], 'ndjson');
    const members = await converted(list, 'out.ndjson', ['--from', 'lists investors get', '--fields', 'list_id,investor_id']);
    expect(textOf(members)).toBe(textOf(list));
  });

  it('of --fields without their id have the columns and status of the job', async () => {
    const argv = ['person', 'per_sample1', 'per_sample3', '--fields', 'full_name,skills'];
    const rows = (path: string) => cellsOf(textOf(path), 'full_name', 'pdi_status');
    const csv = await converted(await written(argv, 'ndjson'), 'out.csv');
    expect(rows(csv)).toEqual(rows(await written(argv, 'csv')));
  });

  it.each([
    ['dotted names', ['feed', '--limit', '3'], 'signal_id,company.name'],
    ['network', ['network', '--limit', '3'], 'person_id,full_name,connected_at'],
    ['members of an investor list', ['lists', 'investors', 'get', investorList], 'investor_id,created_at'],
    ['members with their list', ['lists', 'investors', 'get', investorList], 'list_id,investor_id'],
    ['members of a people list', ['lists', 'people', 'modify', peopleList, '--add', 'per_sample1'], 'person_id,created_at'],
    ['a summary of other fields', ['feed', '--limit', '3'], 'signal_id,subject'],
    ['where an answer came from', ['person', 'per_sample1'], 'person_id,full_name,pdi_source'],
  ])('of --fields lose none of them: %s', async (_what, argv, fields) => {
    const given = recordsOf(textOf(await written([...argv, '--fields', fields], 'ndjson')));
    for (const format of ['json', 'ndjson', 'csv'])
      for (const to of ['csv', 'xlsx']) {
        const file = await converted(await written([...argv, '--fields', fields], format), `out.${to}`);
        const rows = rowsOf(textOf(to === 'csv' ? file : await converted(file, 'read.csv')));
        expect(rows.length, `${format} to ${to}`).toBe(given.length);
        if (fields.includes('.')) expect(Object.keys(rows[0] ?? {})).toEqual(fields.split(','));
        for (const name of fields.split(','))
          expect(rows.map((row) => row[name]?.slice(0, 10))).toEqual(given.map((one) => textIn(one, name)));
      }
  });

  it('of a summary from csv have it under its own name in json', async () => {
    const csv = await written(['feed', '--limit', '3', '--fields', 'signal_id,subject'], 'csv');
    const json = await written(['feed', '--limit', '3', '--fields', 'signal_id,subject'], 'json');
    expect(JSON.parse(textOf(await converted(csv, 'out.json')))).toEqual(JSON.parse(textOf(json)));
  });

  it('of resolve say in csv which column matched', async () => {
    const input = fileOf('two.csv', 'a,b\nnobody,ada-sample-1\n');
    const argv = ['resolve', '-i', input, '--column', 'a,b'];
    const [row] = rowsOf(textOf(await converted(await written(argv, 'ndjson'), 'out.csv')));
    expect(row).toMatchObject({ person_id: 'per_sample1', pdi_matched_by: 'b' });
  });

  it('without a record after many with one are refused where no column is made for their status', async () => {
    const stdin = '{"x":1}\n'.repeat(1000).concat('{"input":"y","pdi_status":"failed","pdi_error":"why"}\n');
    const result = await pdi('convert - -o csv', { stdin });
    expect([result.code, linesOf(result.stdout).length]).toEqual([2, 1001]);
    expect(result.stderr).toContain('--from COMMAND');
    expect((await pdi('convert - -o ndjson', { stdin })).stdout).toBe(stdin);
  });

  it('without a record are rows with a status in csv, and the same objects in json', async () => {
    const stdin = '{"input":"x","pdi_status":"invalid","pdi_error":"why"}\n';
    expect((await pdi('convert - -o csv', { stdin })).stdout).toBe('input,pdi_status,pdi_error\r\nx,invalid,why\r\n');
    expect((await pdi('convert - -o ndjson', { stdin })).stdout).toBe(stdin);
    const csv = (await pdi('convert - -o csv --from person', { stdin })).stdout;
    expect((await pdi('convert - -o ndjson', { stdin: csv })).stdout).toBe(stdin);
  });

  it('of one row that found several are told of, as the command tells them', async () => {
    const found = (id: string) => JSON.stringify(investor(id));
    const stdin = `[${found('inv_1')},${found('inv_2')}]\n{"input":"x","pdi_status":"not_found","pdi_error":"no match"}\n`;
    const { stdout, stderr } = await pdi('convert - -o csv --fields investor_id,pdi_matches', { stdin });
    expect(stdout).toBe('input,investor_id,pdi_matches,pdi_status,pdi_error\r\n,inv_1,2,ok,\r\nx,,,not_found,no match\r\n');
    expect(stderr).toMatch(/1 row found several records.*-o json or ndjson shows all\n$/);
    expect(await pdi('convert - -o ndjson', { stdin })).toMatchObject({ stdout: stdin, stderr: '' });
  });

  it('an object alone stays one, and two are a list', async () => {
    const one = '{\n  "person_id": "per_1"\n}\n';
    expect((await pdi('convert - -o json', { stdin: one })).stdout).toBe(one);
    expect(arrayOf(await pdi('convert - -o json', { stdin: one + one }))).toHaveLength(2);
  });
});

describe('fields of another type', () => {
  const experience = [
    { title: 'T', job_order: 'first' },
    { title: 'U', job_order: 2 },
  ];
  const odd = { experience, skills: ['a', 7], languages: 'none', years_of_experience: '12' };
  const people = () => origin(({ path }) => ({ json: { person_id: idIn(path), full_name: 'Ada', ...odd } }));
  const convertedFrom = async (argv: readonly string[], format: string, more: readonly string[] = []) => {
    const out = newFile(`out.${format}`);
    await (await people()).pdi(['person', 'per_1', 'per_2', ...argv, '--out', out]);
    return pdi(['convert', out, '-o', 'csv', ...more]);
  };

  it.each(['ndjson', 'json'])('of --fields with dots stay out of typed columns, and pdi_error says so: %s', async (format) => {
    const { stdout, stderr } = await convertedFrom(['--fields', 'person_id,years_of_experience,languages,experience.0.job_order'], format);
    const error = (name: string, text: string, type = 'a number') => `${name} should be ${type}, and is a string: "${text}"`;
    const told = [error('years_of_experience', '12'), error('languages', 'none', 'an array'), error('experience.0.job_order', 'first')];
    const [, row] = rowsOf(stdout);
    expect(Object.values(row ?? {})).toEqual(['per_2', 'per_2', '', 'none', '', 'ok', told.join('; ')]);
    expect(stderr).toContain('in 2 records years_of_experience should be a number, and is a string');
  });

  it.each([[], ['--from', 'person']])('hide no elements of a list, and stay out of their columns %j', async (...from) => {
    const { stdout } = await convertedFrom(['--explode', 'experience'], 'ndjson', from);
    const shown = cellsOf(stdout, 'input', 'pdi_item', 'experience.title', 'experience.job_order', 'years_of_experience');
    expect(shown).toEqual(['per_1', 'per_2'].flatMap((id) => [`${id} | 1 | T |  | `, `${id} | 2 | U | 2 | `]));
    expect(rowsOf(stdout)[0]?.pdi_error).toContain('experience.job_order should be a number, and is a string: "first"');
    const skills = await convertedFrom(['--explode', 'skills'], 'ndjson', from);
    expect(cellsOf(skills.stdout, 'skills')).toEqual(['a', '7', 'a', '7']);
  });

  it.each([
    ['elements in more records', ['{"title":"T"},"skills":"go"', '{"title":"U"},"skills":null'], ['T', 'U']],
    ['no record that has it as a list', ['{"title":"T"},"skills":"go"', 'null,"skills":"go"', 'null,"skills":["a","b"]'], ['T', '', '']],
  ])('are no elements: those are of the list with %s', async (_what, lists, titles) => {
    const stdin = lists.map((list, at) => `{"person_id":"per_${at}","full_name":"Ada","experience":${list},"pdi_item":1}\n`).join('');
    expect(cellsOf((await pdi('convert - -o csv', { stdin })).stdout, 'experience.title')).toEqual(titles);
  });

  it('are told of the members of a list, too', async () => {
    const stdin = JSON.stringify({ id: investorList, name: 'L', investors: [{ investor_id: 'inv_1', created_at: 5 }] });
    const { stdout, stderr } = await pdi('convert - -o csv', { stdin });
    expect(rowsOf(stdout)).toMatchObject([{ investor_id: 'inv_1', created_at: '' }]);
    expect(stderr).toContain('created_at should be a string, and is a number');
  });

  it('are told in the pdi_error of parquet as of csv', async () => {
    const [ndjson, direct] = [newFile('out.ndjson'), newFile('out.parquet')];
    const { pdi: ask } = await people();
    for (const out of [ndjson, direct]) await ask(['person', 'per_1', '--out', out]);
    const errors = async (path: string) => (await parquetRows(path)).map(({ pdi_error }) => pdi_error);
    expect(await errors(await converted(ndjson, 'out.parquet'))).toEqual(await errors(direct));
    expect(await errors(direct)).toEqual([expect.stringContaining('years_of_experience should be')]);
  });

  it.each([
    ['person', 'per_sample1 --fields full_name,skills'],
    ['feed', '--limit 3 --fields company'],
    ['investors', '--website investor-2.example --fields investor_name,domain'],
    ['lists investors get', `${investorList} --fields created_at,investor_id`],
  ])('are not those that --fields left out: %s', async (words, argv) => {
    const file = await written([...words.split(' '), ...argv.split(' ')], 'ndjson');
    for (const from of [[], ['--from', words]])
      expect(await pdi(['convert', file, '-o', 'csv', ...from])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('what --with-input added', () => {
  const convertedRows = async (input: string, name: string) => {
    const [ndjson, { pdi: ask }] = [newFile('with.ndjson'), await sandbox()];
    await ask(['person', '-i', fileOf(name, input), '--with-input', '--fields', 'full_name', '--out', ndjson]);
    return (await pdi(['convert', ndjson, '-o', 'csv', '--from', 'person'])).stdout;
  };

  it('is a column where it is no table, beside the status of each row', async () => {
    const csv = await convertedRows('{"person_id":"per_sample1","n":1.50}\n{"person_id":"per_nobody"}\nbroken\n', 'in.ndjson');
    expect(cellsOf(csv, 'full_name', 'pdi_input', 'pdi_status', 'input')).toEqual([
      'Ada Sample-1 | {"person_id":"per_sample1","n":1.50} | ok | ',
      ' | {"person_id":"per_nobody"} | not_found | per_nobody',
      ' | broken | invalid | broken',
    ]);
  });

  it('has all own columns, whatever the first row holds', async () => {
    const csv = await convertedRows('[{"person_id":"per_sample1"},{"person_id":"per_nobody","note":"mine"}]', 'in.json');
    expect(cellsOf(csv, 'person_id', 'note', 'pdi_status')).toEqual(['per_sample1 |  | ok', 'per_nobody | mine | not_found']);
  });
});

it.each([
  ['elements', ['--explode', 'experience', '--fields', 'person_id,full_name,pdi_item,experience.title,experience.job_order']],
  ['paths into lists', ['--fields', 'person_id,full_name,experience.0.job_order']],
])('%s that --fields chose tell their command by their names', async (_what, flags) => {
  const argv = ['person', 'per_sample1', 'per_sample3', ...flags];
  const rows = async (path: string) => (await parquetRows(path)).map(({ input: _, ...row }) => row);
  const direct = await rows(await written(argv, 'parquet'));
  expect(await rows(await converted(await written(argv, 'ndjson'), 'out.parquet'))).toEqual(direct);
  const types = await converted(await written(argv, 'csv'), 'out.ndjson');
  expect(textOf(types)).toMatch(/"(?:experience\.0\.)?job_order":1[,}]/);
});

it('elements of --fields, and of a join that became json, keep their columns where --from names the command', async () => {
  const fields = ['--explode', 'experience', '--fields', 'person_id,pdi_item,experience.title'];
  const chosen = await written(['person', 'per_sample1', ...fields], 'ndjson');
  const join = await written(['person', '-i', fileOf('own.csv', 'note,id\nx,per_sample1\n'), '--column', 'id', ...fields], 'csv');
  for (const [file, own] of [
    [chosen, {}],
    [await converted(join, 'join.ndjson'), { note: 'x', pdi_status: 'ok' }],
  ] as const) {
    const [row] = rowsOf(textOf(await converted(file, 'out.csv', ['--from', 'person'])));
    expect(row).toMatchObject({ ...own, person_id: 'per_sample1', pdi_item: '1', 'experience.title': 'Staff Engineer' });
  }
});

it('a row without a record has no list in the parquet of a joined csv either', async () => {
  const argv = ['person', '-i', fileOf('own.csv', 'note,id\nx,per_sample1\ny,per_nobody\n'), '--column', 'id'];
  const [, row] = await parquetRows(await converted(await written(argv, 'csv'), 'out.parquet'));
  expect(row).toEqual((await parquetRows(await written(argv, 'parquet')))[1]);
});

it('a row of resolve --fields without a match is not found', async () => {
  const argv = ['resolve', '-i', linesFile(['ada-sample-1', 'nobody']), '--fields'];
  for (const fields of ['person_id,full_name', 'person_id', 'full_name']) {
    const from = fields.includes(',') ? [] : ['--from', 'resolve'];
    const { stdout } = await pdi(['convert', await written([...argv, fields], 'ndjson'), '-o', 'csv', ...from]);
    expect(cellsOf(stdout, 'pdi_status', 'pdi_error')).toEqual(['ok | ', 'not_found | no match']);
  }
});

it('a row of resolve --fields without a match is not found beside what --with-input added, too', async () => {
  const input = fileOf('in.ndjson', '{"slug":"ada-sample-1","n":1}\n{"slug":"nobody","n":2}\n');
  const file = await written(['resolve', '-i', input, '--column', 'slug', '--with-input', '--fields', 'person_id,full_name'], 'ndjson');
  const rows = cellsOf((await pdi(['convert', file, '-o', 'csv'])).stdout, 'pdi_input', 'pdi_status');
  expect(rows).toEqual(['{"slug":"ada-sample-1","n":1} | ok', '{"slug":"nobody","n":2} | not_found']);
});

it.each(['experience', 'languages', 'skills'])('%s of a csv, an element a row, has its own type in parquet', async (list) => {
  const argv = ['person', 'per_sample1', 'per_nobody', '--explode', list, '--fields', `person_id,pdi_item,${list}`];
  const rows = await parquetRows(await converted(await written(argv, 'csv'), 'out.parquet'));
  expect(rows).toEqual(await parquetRows(await written(argv, 'parquet')));
});

it.each([
  ['pdi_extra,a,pdi_extra', ['pdi_extra', 'a', 'pdi_extra_2', 'pdi_extra_3']],
  ['a,,a', ['a', 'column_2', 'a_2', 'pdi_extra']],
])('columns of a csv called %s have names of their own in parquet', async (header, names) => {
  const out = await converted(fileOf('x.csv', `${header}\n1,2,3\n`), 'out.parquet');
  const { rows, footer } = await readParquet(readFileSync(out));
  expect(columnsIn(footer)).toEqual(names);
  expect(Object.values(rows[0] ?? {})).toEqual(['1', '2', '3', null]);
});

it('the parquet of a joined csv with dotted columns holds them once', async () => {
  const input = fileOf('own.csv', 'note,key\nx,per_sample1\n');
  const elements = ['--explode', 'experience', '--fields', 'person_id,pdi_item,experience.title'];
  const argv = ['person', '-i', input, '--column', 'key', ...elements];
  const out = await converted(await written(argv, 'csv'), 'out.parquet');
  expect((await parquetRows(out)).map(({ pdi_extra }) => pdi_extra)).toEqual([null, null]);
});

it('midnight of a sheet is a time in a column of times', async () => {
  const stdin = '[{"person_id":"per_1","connected_on":"profnet","connected_at":"2026-01-01T00:00:00Z","connected_teammates":[]}]';
  const book = newFile('network.xlsx');
  await pdi(['convert', '-', '--from', 'network', '--out', book], { stdin });
  expect(rowsOf(textOf(await converted(book, 'out.csv')))[0]?.connected_at).toBe('2026-01-01 00:00:00');
  const [row] = await parquetRows(await converted(book, 'out.parquet'));
  expect([row?.connected_at, row?.pdi_extra]).toEqual([BigInt(Date.UTC(2026, 0, 1)) * 1000n, null]);
  for (const text of ['2026-02-30', '1899-12-31']) {
    const argv = ['convert', '-', '--from', 'network', '--out', book, '--force'];
    await pdi(argv, { stdin: stdin.replace('2026-01-01T00:00:00Z', text) });
    expect(rowsOf(textOf(await converted(book, 'out.csv')))[0]?.connected_at).toBe(text);
  }
});

describe('a csv', () => {
  const own = fileOf('own.csv', 'account,person_id,note\nA,per_sample1,=1+1\nB,per_nobody,"x, y"\nC,per_sample3,\n');

  it('that was joined keeps every cell, and its line ends', async () => {
    const joined = await written(['person', '-i', own], 'csv');
    expect(textOf(await converted(joined, 'out.csv'))).toBe(textOf(joined));
    const result = await pdi(['convert', joined, '-o', 'csv', '--fields', 'note,person_person_id,pdi_status']);
    expect(result.stdout).toBe('note,person_person_id,pdi_status\n=1+1,per_sample1,ok\n"x, y",,not_found\n,per_sample3,ok\n');
    const [first, second] = arrayOf(await pdi(['convert', joined, '-o', 'json']));
    const ids = { person_id: 'per_sample1', person_person_id: 'per_sample1' };
    expect(first).toMatchObject({ account: 'A', note: '=1+1', ...ids, pdi_status: 'ok' });
    expect(second).toMatchObject({ account: 'B', full_name: null, pdi_status: 'not_found' });
    const sheet = sheetOf(await converted(joined, 'out.xlsx'));
    expect(sheet).toContain('9007199254740993');
    expect(sheet).not.toContain('person_id_2');
  });

  it('shows a column that is called input in a table and a card', async () => {
    const path = fileOf('a.csv', 'input,person_id\nasked,per_1\nother,per_2\n');
    expect((await pdi(['convert', path, '-o', 'table'])).stdout).toMatch(/asked +per_1\nother +per_2\n$/);
    expect((await pdi(['convert', path, '-o', 'table', '--first', '1'])).stdout).toMatch(/^input +asked$/m);
  });

  it('that was joined has the fields within its cells, which are written anew', async () => {
    const joined = await written(['person', '-i', own], 'csv');
    const fields = ['--fields', 'note,experience.0.title,skills.1'];
    const direct = objectOf(
      await (await sandbox()).pdi(['person', 'per_sample1', '-o', 'json', ...fields.with(1, 'experience.0.title,skills.1')]),
    );
    const [first] = arrayOf(await pdi(['convert', joined, '-o', 'json', ...fields]));
    expect(first).toEqual({ note: '=1+1', ...direct });
    const { stdout } = await pdi(['convert', joined, '-o', 'csv', ...fields]);
    expect(stdout.split('\r\n', 2)).toEqual(['note,experience.0.title,skills.1', `'=1+1,${Object.values(direct).join(',')}`]);
    expect((await pdi(['convert', joined, '-o', 'csv', '--fields', 'note.0.title'])).code).toBe(2);
  });

  const typed =
    'input,person_id,last_updated,about,profnet_num_id,years_of_experience,current_tenure,experience,skills,pdi_status,pdi_error';

  it('gets the types of its columns again in json', async () => {
    const cells = [`"=""9007199254740993"""`, '7', '1.50', '"[{""title"":""T"",""is_current"":true}]"', 'a; b', 'ok', ''];
    const stdin = `${typed}\r\nper_1,per_1,2026-01-01 00:00:00,'=SUM(1),${cells.join(',')}\r\n`;
    const { stdout } = await pdi('convert - -o ndjson', { stdin });
    expect(stdout).toBe(
      '{"person_id":"per_1","last_updated":"2026-01-01 00:00:00","about":"=SUM(1)","profnet_num_id":9007199254740993,"years_of_experience":7,"current_tenure":1.50,"experience":[{"title":"T","is_current":true}],"skills":["a","b"]}\n',
    );
  });

  it.each([
    ['an empty cell of a list', 'x.csv', 'person_id,experience,skills\nper_1,,\n', { person_id: 'per_1', experience: [], skills: [] }],
    ['one without an id', 'x.csv', 'investor_name,fund_details\nAcme,\n', { investor_name: 'Acme', fund_details: [] }],
    ['a list alone, without further cells', 'skills.csv', 'talent_signal_ids\r\na; b\r\n', { talent_signal_ids: ['a', 'b'] }],
    ['a path alone', 'titles.csv', 'experience.0.title\r\na; b|c\r\n', { 'experience.0.title': 'a; b|c' }],
    ['a text alone, between tabs', 'names.tsv', 'full_name\r\nA, B\r\n', { full_name: 'A, B' }],
    ['an object in one cell', 'x.csv', 'signal_id,company\ns,"{""name"":""C""}"\n', { signal_id: 's', company: { name: 'C' } }],
    ['a job of a command that has jobs', 'x.csv', 'input,id,name,pdi_status,pdi_error\r\n9,9,A,ok,\r\n', { id: 9, name: 'A' }],
    ['digits of no command', 'x.csv', 'a,b\n1,true\n', { a: '1', b: 'true' }],
    ['what any table may be', 'x', '\ufeffperson_id;full_name\r\n\r\nper_1;"A, B";;\r\n', { person_id: 'per_1', full_name: 'A, B' }],
  ])('has the types of its columns in json: %s', async (_what, name, text, record) => {
    expect(objectOf(await pdi(['convert', fileOf(name, text), '-o', 'ndjson']))).toEqual(record);
  });

  it('leaves text what is not of its kind, and an apostrophe that guards nothing', async () => {
    const stdin = `${typed}\r\nper_1,per_1,,'quoted',007,many,,none,,ok,\r\n`;
    expect((await pdi('convert - -o ndjson', { stdin })).stdout).toBe(
      `{"person_id":"per_1","last_updated":null,"about":"'quoted'","profnet_num_id":"007","years_of_experience":"many","current_tenure":null,"experience":"none","skills":[]}\n`,
    );
  });

  it.each([':', ' ', '~', 'é'])('is read with the %j that --delimiter put between its cells', async (delimiter) => {
    const feed = ['feed', '--limit', '5'];
    const csv = await written([...feed, '--delimiter', delimiter], 'csv');
    expect(textOf(await converted(csv, 'out.csv', ['--delimiter', ',']))).toBe(textOf(await written(feed, 'csv')));
  });

  it('is read with a rare --delimiter beside own columns, whatever their names hold', async () => {
    const job = ['resolve', '-i', fileOf('own.csv', 'Account Name (CRM),profnet_id\nA & B,ada-sample-1\n')];
    const csv = await written([...job, '--delimiter', '^'], 'csv');
    expect(rowsOf(textOf(await converted(csv, 'out.csv', ['--delimiter', ','])))).toEqual(rowsOf(textOf(await written(job, 'csv'))));
  });

  it('that was joined knows its own columns from those of the same name, also where it was joined twice', async () => {
    const fields = 'full_name,skills,years_of_experience';
    const mine = fileOf('mine.csv', "full_name,person_id,skills,note\n'=mine,per_sample1,a; b,x\n");
    const once = await written(['person', '-i', mine, '--fields', fields], 'csv');
    expect(arrayOf(await pdi(['convert', once, '-o', 'json']))[0]).toMatchObject({
      full_name: "'=mine",
      skills: 'a; b',
      person_full_name: 'Ada Sample-1',
      person_skills: expect.arrayContaining(['Hiring']),
      years_of_experience: expect.any(Number),
    });
    const twice = await written(['person', '-i', once, '--column', 'person_id', '--fields', fields], 'csv');
    expect(arrayOf(await pdi(['convert', twice, '-o', 'json']))[0]).toMatchObject({
      skills: 'a; b',
      person_skills: expect.stringContaining('Hiring'),
      person_skills_2: expect.arrayContaining(['Hiring']),
      person_years_of_experience: expect.any(Number),
      person_pdi_status: 'ok',
    });
  });

  it('that was joined twice has the types of both commands, and the lists of the first', async () => {
    const mine = fileOf('mine.csv', 'person_id,firm\nper_sample1,company-1\nper_nobody,company-3\n');
    const twice = await written(['revenue', '-i', await written(['person', '-i', mine], 'csv'), '--column', 'firm'], 'csv');
    expect(await parquetRows(await converted(twice, 'out.parquet'))).toMatchObject([
      { firm: 'company-1', years_of_experience: expect.anything(), est_revenue_usd: expect.any(Number), revenue_pdi_status: 'ok' },
      { firm: 'company-3', years_of_experience: null, est_revenue_usd: expect.any(Number), pdi_status: 'not_found' },
    ]);
    const { stdout } = await pdi(['convert', twice, '-o', 'csv', '--explode', 'experience']);
    expect(rowsOf(stdout)[0]).toMatchObject({
      firm: 'company-1',
      pdi_item: '1',
      'experience.title': 'Staff Engineer',
      company_name: expect.any(String),
    });
  });

  describe('that was joined to columns named as lists and dates of the result', () => {
    const mine = fileOf('mine.csv', 'experience,skills,last_updated,PI\nmine,a; b,2026-01-01 00:00:00,per_sample1\nm2,c,soon,per_nobody\n');
    const job = ['person', '-i', mine, '--column', 'PI', '--fields', 'experience,skills,last_updated'];

    it('becomes the parquet and the sheet that the command writes itself', async () => {
      const joined = await written(job, 'csv');
      const rows = await parquetRows(await converted(joined, 'out.parquet'));
      expect(rows[0]).toEqual((await parquetRows(await written(job, 'parquet')))[0]);
      expect(rows).toMatchObject([
        { experience: 'mine', last_updated: '2026-01-01 00:00:00' },
        { skills: 'c', person_last_updated: null },
      ]);
      expect(sheetOf(await converted(joined, 'out.xlsx'))).toBe(sheetOf(await written(job, 'xlsx')));
    });

    it('gives --explode the lists of the result, and keeps the own columns', async () => {
      const joined = await written(job, 'csv');
      const rowsWith = async (...argv: readonly string[]) =>
        rowsOf((await pdi(['convert', joined, '-o', 'csv', '--explode', ...argv])).stdout);
      expect(await rowsWith('person_experience')).toMatchObject([
        { experience: 'mine', pdi_item: '1', 'person_experience.title': 'Staff Engineer' },
        { experience: 'mine', pdi_item: '2', 'person_experience.title': 'Staff Engineer' },
        { experience: 'm2', pdi_item: '', pdi_status: 'not_found' },
      ]);
      const [first] = await rowsWith('person_skills');
      expect(first).toMatchObject({ skills: 'a; b', pdi_item: '1', person_skills: 'Statistics' });
      const refused = await pdi(['convert', joined, '-o', 'csv', '--explode', 'skills']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('person_experience, person_skills')]);
    });
  });

  it("with one name twice has the user's column first, as text", async () => {
    const stdin = 'skills,person_id,skills,pdi_status,pdi_error\na; b,per_1,c; d,ok,\n';
    const [row] = arrayOf(await pdi('convert - -o json', { stdin }));
    expect(row).toMatchObject({ skills: 'a; b', skills_2: ['c', 'd'] });
  });

  it.each(['', '\ufeff'])('whose header comes again, as files were put together, has no row of it: %j', async (mark) => {
    const stdin = ['per_1', 'per_2'].map((id) => `${mark}person_id,full_name\r\n${id},A\r\n`).join('');
    expect(arrayOf(await pdi('convert - -o json', { stdin })).map(({ person_id }) => person_id)).toEqual(['per_1', 'per_2']);
  });

  it.for([
    ['paths into lists', ['feed', '--limit', '3', '--fields', 'signal_investors.0.name']],
    ['a report', ['config', 'list']],
    ['sums', ['spend', '--by', 'month', '--sandbox']],
  ] as const)('in a pipe is one also without the columns of a record: %s', async ([_what, argv], { pdi: asked }) => {
    const { stdout } = await asked([...argv, '-o', 'csv']);
    expect(await pdi('convert - -o csv', { stdin: stdout })).toMatchObject({ code: 0, stdout });
  });

  it('in a pipe may begin with a name in brackets', async () => {
    const stdin = '[Account],person_id,pdi_status,pdi_error\nA,per_1,ok,\n';
    expect((await pdi('convert - -o ndjson', { stdin })).stdout).toMatch(/^{"\[Account]":"A","person_id":"per_1",/);
  });

  it('nests dotted columns, and what is empty is no object', async () => {
    const stdin = 'signal_id,company.name,company.hq.city,person.full_name\ns,C,,\n';
    expect((await pdi('convert - -o ndjson', { stdin })).stdout).toBe('{"signal_id":"s","company":{"name":"C","hq":null},"person":null}\n');
    expect(objectOf(await pdi('convert - -o ndjson --fields company', { stdin }))).toEqual({ company: { name: 'C', hq: null } });
    const blank = 'company.name,person.full_name\n,\n';
    expect((await pdi('convert - -o ndjson', { stdin: blank })).stdout).toBe('{"company":null,"person":null}\n');
  });
});

describe('the options of the output', () => {
  const ndjson = fileOf('in.ndjson', '{"person_id":"per_1","full_name":"=A","profnet_num_id":7}\n{"person_id":"per_2"}\n');

  it('--query', async () => {
    expect((await pdi(['convert', ndjson, '-o', 'ndjson', '--query', 'full_name'])).stdout).toBe('"=A"\n');
    expect((await pdi(['convert', ndjson, '--query', '[].person_id'])).stdout).toBe('[\n  "per_1",\n  "per_2"\n]\n');
    expect((await pdi(['convert', ndjson, '-o', 'csv', '--query', 'x'])).code).toBe(2);
  });

  it('a terminal gets the table, and the card of one record', async () => {
    expect((await pdi(['convert', ndjson, '--no-color'], { terminal: true })).stdout).toMatch(/^person_id .*\nper_1 /m);
    const one = fileOf('one.json', '{"person_id":"per_1","full_name":"Ada","tagline":"T"}');
    expect((await pdi(['convert', one, '--no-color'], { terminal: true })).stdout).toMatch(/^Ada\nT\n/);
  });

  it('a terminal gets names of fields whole, and without control characters', async () => {
    const file = fileOf('a.csv', '名前\u001b[31m,国\na,b\nc,d\n');
    expect((await pdi(['convert', file, '-o', 'table'])).stdout).toBe('名前  国\na     b\nc     d\n');
    expect((await pdi(['convert', file, '-o', 'table', '--first', '1'])).stdout).toBe('名前  a\n国    b\n');
  });

  it('--out never replaces the input, nor another file without --force', async () => {
    const before = textOf(ndjson);
    const over = await pdi(['convert', ndjson, '--out', ndjson, '--force']);
    expect([over.code, errorOf(over).message, textOf(ndjson)]).toEqual([2, expect.stringContaining('it is the input file'), before]);
    const other = fileOf('x.csv', 'mine');
    expect([(await pdi(['convert', ndjson, '--out', other])).code, textOf(other)]).toEqual([2, 'mine']);
    expect((await pdi(['convert', ndjson, '--out', other, '--force'])).code).toBe(0);
    expect(textOf(other)).toMatch(/^input,person_id,/);
  });
});

describe('a file that is broken', () => {
  const good = '{"person_id":"per_1"}\n';

  it.each([
    ['a line that is torn', 'x.ndjson', `${good}${good}{"person_id":"pe`, 3, 2],
    ['a line that is no record', 'x.ndjson', `${good}"x"\n`, 2, 1],
    ['an array that is torn in a record', 'x.json', '[\n  {\n    "person_id": "per_1"\n  },\n  {\n    "person_id": "pe', 5, 1],
    ['an array that is torn between records', 'x.json', '[\n  {"person_id": "per_1"},\n', 3, 1],
    ['an array of numbers', 'x.json', '[\n1]', 2, 0],
    ['a record that is no JSON', 'x.json', '[{"person_id":"per_1"},\n{"a" 1}]', 2, 1],
    ['a record that is nested too deep', 'x.ndjson', `${good}{"a":${'['.repeat(600)}${']'.repeat(600)}}\n`, 2, 1],
    ['bytes that are no UTF-8', 'x.json', Buffer.from('[{"a":"x"},\n{"a":"\xff"}]', 'latin1'), 2, 1],
    ['a row with more cells than the header', 'x.csv', 'person_id,full_name\nper_1,A\nper_2,B,C\n', 3, 1],
    ['a row that is torn', 'x.csv', 'person_id,full_name\nper_1,A\nper_2', 3, 1],
    ['a row over two lines that is torn', 'x.csv', 'person_id,full_name,about\nper_1,A,x\nper_2,"B\nC"', 3, 1],
    ['a quote that is torn', 'x.csv', 'person_id,full_name\nper_1,A\nper_2,"B', 3, 1],
    ['text', 'x.txt', 'per_1\nper_2\n', 1, 0],
    ['an empty csv', 'x.csv', '', 1, 0],
    ['an empty json', 'x.json', ' \n', 1, 0],
  ])('%s: 2, the line, the whole rows before it, and no file', async (_what, name, text, line, whole) => {
    const path = fileOf(name, text);
    const result = await pdi(['convert', path, '-o', 'ndjson']);
    expect([result.code, linesOf(result.stdout).length]).toEqual([2, whole]);
    expect(errorOf(result).message).toMatch(new RegExp(`^${path}, line ${line}(?:, column \\d+)?: `));
    const asArray = await pdi(['convert', path, '-o', 'json']);
    expect(asArray.stdout === '' ? [] : arrayOf(asArray)).toHaveLength(whole);
    const out = newFile('out.csv');
    expect((await pdi(['convert', path, '--out', out])).code).toBe(2);
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  it('a last row of a csv may lack its line end, if it is whole', async () => {
    const stdin = 'person_id,full_name\nper_1\nper_2,B';
    expect(linesOf((await pdi('convert - -o ndjson', { stdin })).stdout)).toHaveLength(2);
  });

  it('an empty ndjson and an empty pipe hold no records', async () => {
    expect(await pdi(['convert', fileOf('x.ndjson', ''), '-o', 'json'])).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await pdi('convert - -o csv')).toMatchObject({ code: 0, stdout: '' });
    expect((await pdi('convert - -o csv --from health')).stdout).toBe('status,relational_store,analytics_store\r\n');
    expect((await pdi('convert - --fail-if-empty')).code).toBe(4);
  });

  it.each([
    ['no-such-file.json', 'no such file'],
    ['- --from weather', { message: '--from: no command "weather" reads records', item: '--from' }],
    ['- --from feed --fields signal_id', 'no field of that command'],
    [`${fileOf('people.csv', 'input,person_id,pdi_status\na,per_1,ok\n')} --from revenue`, 'no field of that command'],
    ['- --input-format lines', 'allowed choices'],
    ['', 'missing required argument'],
  ])('convert %s: 2', (argv, words) => expectRefused(`convert ${argv}`.trim(), words, { stdin: good }));
});

describe('what a file is', () => {
  const [first, second] = ['{"person_id":"per_1"}', '{"person_id":"per_2"}'];

  it.each([
    ['x.json', `${first}\n${second}\n`],
    ['x.json', `[${first},${second}]`],
    ['x.data', `[\n${first},\n${second}\n]`],
    ['x.data', `{\n"person_id":"per_1"}\n${second}`],
    ['x.data', `${first}\r\n${second}\r\n`],
    ['x.jsonl', `${first}\n\n${second}`],
    ['x', 'person_id\nper_1\nper_2\n'],
  ])('is told by name or first bytes: %s %j', async (name, text) => {
    expect((await pdi(['convert', fileOf(name, text), '-o', 'ndjson'])).stdout).toBe(`${first}\n${second}\n`);
  });

  it('--input-format decides: lines of arrays are rows, as investors -i writes them', async () => {
    const stdin = '[{"a":1},{"a":2}]\n';
    expect(linesOf((await pdi('convert - -o ndjson', { stdin })).stdout)).toHaveLength(2);
    expect((await pdi('convert - -o ndjson --input-format ndjson', { stdin })).stdout).toBe(stdin);
    expect((await pdi('convert - -o ndjson', { stdin: stdin + stdin })).stdout).toBe(stdin + stdin);
  });

  it('is unpacked where it is gzip, and what stands before .gz in its name tells', async () => {
    for (const [name, text] of [
      ['x.json.gz', `[${first},${second}]`],
      ['x', 'person_id\nper_1\nper_2\n'],
    ] as const)
      expect((await pdi(['convert', fileOf(name, gzipSync(text)), '-o', 'ndjson'])).stdout).toBe(`${first}\n${second}\n`);
    const cut = fileOf('x.csv.gz', gzipSync('person_id\nper_1\nper_2\n').subarray(0, -4));
    const out = newFile('out.csv');
    const result = await pdi(['convert', cut, '--out', out, '--errors', 'json']);
    expect([result.code, errorOf(result).message]).toEqual([2, `${cut}, line 4: the gzip ends too early, it was cut off`]);
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  it('is a sheet of a workbook, the first or the one that --sheet names', async () => {
    const sheets = { One: row(1, 'person_id') + row(2, 'per_1'), Two: row(1, 'person_id') + row(2, 'per_2') };
    const book = fileOf('x.xlsx', bookOf({ sheets }));
    expect((await pdi(['convert', book, '-o', 'ndjson'])).stdout).toBe(`${first}\n`);
    expect((await pdi(['convert', book, '-o', 'ndjson', '--sheet', 'Two'])).stdout).toBe(`${second}\n`);
    expect((await pdi(['convert', book, '--sheet', 'Three'])).code).toBe(2);
  });

  it('is what a person sees of a workbook: another sheet than the first, and rows that are hidden, are told', async () => {
    const xml = row(1, 'person_id') + row(2, 'per_1').replace('<row', '<row hidden="1"');
    const old = { name: 'Old', xml: '', state: 'hidden' } as const;
    const shown = fileOf('x.xlsx', book([old, { name: 'People', xml }]));
    const { stdout, stderr } = await pdi(['convert', shown, '-o', 'ndjson', '--errors', 'json']);
    expect(stdout).toBe(`${first}\n`);
    expect(linesOf(stderr).map((line): unknown => JSON.parse(line))).toEqual([
      { notice: `${shown}: the sheet "People" is read, the first that shows a table` },
      { notice: `${shown}: 1 row that a filter or a person hid is taken too` },
    ]);
  });

  it('--encoding names what is no UTF-8', async () => {
    const latin = fileOf('x.csv', Buffer.from('person_id,full_name\nper_1,Zo\xeb\n', 'latin1'));
    expect((await pdi(['convert', latin, '-o', 'ndjson', '--encoding', 'windows-1252'])).stdout).toContain('Zoë');
  });
});

describe('memory', () => {
  it.each([
    ['json', 'ndjson', '[', '{"person_id":"per_1"},\n'],
    ['json', 'csv', '[', '{"person_id":"per_1"},\n'],
    ['ndjson', 'json', '', '{"person_id":"per_1"}\n'],
    ['csv', 'ndjson', 'person_id\n', 'per_1\n'],
    ['csv', 'xlsx', 'person_id\n', 'per_1\n'],
  ])('rows of %s are written as %s long before the input ends', async (from, to, start, record) => {
    let [written, sent] = [0, 0];
    const most = 100_000;
    const stdin = Readable.from(
      (function* () {
        yield Buffer.from(start);
        for (; written < 2000 && sent < most; sent += 1) yield Buffer.from(record);
      })(),
    );
    const onStdout = (text: string) => {
      written += text.length;
    };
    await pdi(['convert', '-', '--input-format', from, '-o', to], { stdin, onStdout });
    expect([written >= 2000, sent < most]).toEqual([true, true]);
  });

  it('a line may be longer than that of a list of identifiers', async () => {
    const long = `{"person_id":"per_1","about":"${'x'.repeat(1.25 * 1024 * 1024)}"}\n`;
    expect((await pdi('convert - -o ndjson --input-format ndjson', { stdin: long })).stdout).toBe(long);
    expect((await pdi('convert - -o ndjson --input-format json', { stdin: long })).stdout).toBe(long);
    const csv = fileOf('x.csv', `person_id,about\nper_1,"${'x\n'.repeat(0.75 * 1024 * 1024)}"\n`);
    expect(linesOf((await pdi(['convert', csv, '-o', 'ndjson'])).stdout)).toHaveLength(1);
  });
});

it('Ctrl-C ends it, and leaves no file', async () => {
  const { send, withSignal } = signalling();
  const out = join(dirname(newFile()), 'out.ndjson');
  const stdin = Readable.from(
    (async function* () {
      for (let sent = 0; sent < 1000; sent += 1) {
        if (sent === 3) send('SIGINT');
        yield Buffer.from('{"person_id":"per_1"}\n');
        await new Promise(setImmediate);
      }
    })(),
  );
  const { code } = await pdi(['convert', '-', '--out', out], { stdin, onTerminal: true, withSignal });
  expect([code, readdirSync(dirname(out))]).toEqual([130, []]);
});

it('needs no service, key or configuration, and leaves none', async () => {
  const home = dirname(newFile());
  writeFileSync(join(home, 'x.ndjson'), '{"a":1}\n');
  const result = await pdi(['convert', join(home, 'x.ndjson')], { home });
  expect([result.code, result.stderr, readdirSync(home)]).toEqual([0, '', ['x.ndjson']]);
});
