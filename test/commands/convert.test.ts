/** `convert`: what a command wrote, in another format. What can be said in a session stands in convert.txt. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { isNested, isObject, parseJson } from '../../src/json/exact.ts';
import { book, bookOf, row } from '../input/book.ts';
import { columnsIn, readParquet } from '../support/parquet.ts';
import { idIn, investor } from '../support/records.ts';
import { signalling } from '../support/run.ts';
import {
  cellsButFetchedAt,
  fileOf,
  linesFile,
  linesOf,
  newFile,
  origin,
  pdi,
  sandbox,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { everyCommand, exactDigits } from './every-command.ts';

const [first, second] = ['{"person_id":"per_1"}', '{"person_id":"per_2"}'];
const table = 'person_id\nper_1\nper_2\n';
const people = row(1, 'person_id') + row(2, 'per_1');
const odd = {
  full_name: 'Ada',
  experience: [
    { title: 'T', job_order: 'first' },
    { title: 'U', job_order: 2 },
  ],
  skills: ['a', 7],
  languages: 'none',
  years_of_experience: '12',
};
const latin = (text: string) => fileOf('latin.csv', Buffer.from(text, 'latin1'));

play('test/commands/convert.txt', {
  nothing: '',
  one: first,
  second,
  many: '{"x":1}\\n'.repeat(1000),
  ones: '1\\r\\n'.repeat(999).concat('1\\r'),
  two: JSON.stringify(['inv_1', 'inv_2'].map(investor)),
  odd1: JSON.stringify({ person_id: 'per_1', ...odd }),
  odd2: JSON.stringify({ person_id: 'per_2', ...odd }),
  deep: '['.repeat(600) + ']'.repeat(600),
  latin: fileOf('x.json', Buffer.from('[{"a":"x"},\n{"a":"\xff"}]', 'latin1')),
  zoe: latin('person_id,full_name\nper_1,Zo\xeb\n'),
  packedJson: fileOf('x.json.gz', gzipSync(`[${first},${second}]`)),
  packedCsv: fileOf('x', gzipSync(table)),
  cut: fileOf('x.csv.gz', gzipSync(table).subarray(0, -4)),
  book: fileOf(
    'x.xlsx',
    bookOf({ sheets: { One: people, Two: row(1, 'person_id') + row(2, 'per_2') } }),
  ),
  hidden: fileOf(
    'x.xlsx',
    book([
      { name: 'Old', xml: '', state: 'hidden' },
      { name: 'People', xml: people.replace('<row r="2"', '<row hidden="1" r="2"') },
    ]),
  ),
});

const files = new Map<string, Promise<string>>();

/** What a command line writes in a format, in a file that is written once. */
function written(line: string, format: string): Promise<string> {
  const file = files.get(line + format) ?? newlyWritten(line, format);
  files.set(line + format, file);
  return file;
}

async function newlyWritten(line: string, format: string): Promise<string> {
  const out = newFile(`written.${format}`);
  await (await sandbox()).pdi(`${line} --out ${out} --max-billable unlimited`);
  return out;
}

async function converted(path: string, format: string): Promise<string> {
  const out = newFile(`out.${format}`);
  const result = await pdi(`convert ${path} --out ${out}`);
  expect([result.code, result.stdout], result.stderr).toEqual([0, '']);
  return out;
}

const textOf = (path: string): string => readFileSync(path, 'utf8');
const sheetOf = (path: string): string =>
  strFromU8(unzipSync(readFileSync(path))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());

/** Lists of objects are the texts that stand in their place. */
function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.some(isNested) ? expect.any(String) : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === 'matches' ? field : withTexts(field),
    ]),
  );
}

/** JSON does not say when an answer was fetched. */
async function shownIn(path: string, format: string): Promise<unknown> {
  if (format.endsWith('json')) return textOf(path);
  return cellsButFetchedAt(textOf(format === 'xlsx' ? await converted(path, 'csv') : path));
}

// NDJSON does not tell an object alone from a list of one.
const alone = [
  'person per_sample1',
  'lists investors get d0000000-0000-4000-8000-000000000002',
  'health',
];

/** Without the folder of a file, which is another each time. */
const titled = (line: string) => [line.replace(/\S+\//, ''), line] as const;

describe.each(
  [
    ...alone,
    `person -i ${linesFile(['per_sample1', 'per_nobody', 'per_sample3'])}`,
    `resolve -i ${linesFile(['ada-sample-1', 'nobody', '700000003', 'https://x'])}`,
    'revenue company-1 company-2 nix',
    'feed --limit 20',
    'investors --website investor-2.example',
  ].map(titled),
)('what %s wrote', (_title, line) => {
  it.each(['json', 'ndjson', 'csv', 'xlsx'])(
    'becomes the same %s as the command writes itself',
    async (format) => {
      const wanted = await shownIn(await written(line, format), format);
      for (const from of alone.includes(line) ? ['json'] : ['json', 'ndjson'])
        expect(await shownIn(await converted(await written(line, from), format), format)).toEqual(
          wanted,
        );
    },
  );

  it('comes back from csv as csv without a change, and as the same csv through json', async () => {
    const csv = await written(line, 'csv');
    expect(textOf(await converted(csv, 'csv'))).toBe(textOf(csv));
    expect(textOf(await converted(await converted(csv, 'ndjson'), 'csv'))).toBe(textOf(csv));
  });

  it('comes back from a workbook as from csv, but for lists of objects, and zones of times, which a sheet has not', async () => {
    const book = await written(line, 'xlsx');
    const withoutZones = (text: string) =>
      text
        .replace(/"pdi_fetched_at":(?:null|"[^"]*"),?/g, '')
        .replace(/"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.000Z"/g, '"$1 $2"');
    const recordsIn = (path: string) =>
      linesOf(withoutZones(textOf(path))).map((text) => parseJson(text.replace(',}', '}')));
    const fromCsv = recordsIn(await converted(await written(line, 'csv'), 'ndjson'));
    expect(recordsIn(await converted(book, 'ndjson'))).toEqual(fromCsv.map(withTexts));
    expect(sheetOf(await converted(book, 'xlsx'))).toBe(sheetOf(book));
  });
});

it.each(everyCommand)(
  '$name: every digit and every unknown field stay',
  async ({ answer, record = answer }) => {
    const { stdout } = await pdi('convert - -o ndjson', { stdin: record });
    const again = (await pdi('convert - -o json', { stdin: stdout })).stdout;
    for (const text of [...exactDigits, 'field_of_tomorrow'])
      expect([stdout, again]).toEqual(Array(2).fill(expect.stringContaining(text)));
  },
);

const parquetRows = async (path: string) =>
  (await readParquet(readFileSync(path))).rows.map(
    ({ input: _input, pdi_fetched_at: _at, ...row }) => row,
  );

const own = `--column id -i ${fileOf('own.csv', 'note,id\nx,per_sample1\ny,per_nobody\n')}`;
const named =
  'experience,skills,last_updated,PI\nmine,a; b,2026-01-01 00:00:00,per_sample1\nm2,c,soon,per_nobody\n';
const ofNames = `person -i ${fileOf('mine.csv', named)} --column PI --fields experience,skills,last_updated`;

describe('the parquet', () => {
  it.each(
    [
      [
        'ndjson',
        'person per_sample1 per_sample3 --explode experience --fields person_id,pdi_item,experience.title,experience.job_order',
      ],
      [
        'ndjson',
        'person per_sample1 per_sample3 --fields person_id,full_name,experience.0.job_order',
      ],
      ['csv', `person ${own}`],
      ['csv', `person ${own} --explode experience --fields person_id,pdi_item,experience.title`],
      ...['experience', 'languages', 'skills'].map((list) => [
        'csv',
        `person per_sample1 per_nobody --explode ${list} --fields person_id,pdi_item,${list}`,
      ]),
      ['csv', ofNames],
    ].map(([from = '', line = '']) => [from, ...titled(line)] as const),
  )('of the %s of %s is that of the command', async (from, _title, line) => {
    const direct = await parquetRows(await written(line, 'parquet'));
    expect(direct).not.toEqual([]);
    expect(await parquetRows(await converted(await written(line, from), 'parquet'))).toEqual(
      direct,
    );
  });
});

describe('parquet', () => {
  it.each([
    ['pdi_extra,a,pdi_extra', ['pdi_extra', 'a', 'pdi_extra_2', 'pdi_extra_3']],
    ['a,,a', ['a', 'column_2', 'a_2', 'pdi_extra']],
  ])('has names of its own for columns of a csv called %s', async (header, names) => {
    const out = await converted(fileOf('x.csv', `${header}\n1,2,3\n`), 'parquet');
    const { rows, footer } = await readParquet(readFileSync(out));
    expect(columnsIn(footer)).toEqual(names);
    expect(Object.values(rows[0] ?? {})).toEqual(['1', '2', '3', null]);
  });

  it('holds midnight of a sheet as a time in a column of times', async () => {
    const stdin =
      '{"person_id":"per_1","connected_on":"profnet","connected_at":"2026-01-01T00:00:00Z","connected_teammates":[]}';
    const book = newFile('network.xlsx');
    await pdi(`convert - --from network --out ${book}`, { stdin });
    const midnight = BigInt(Date.UTC(2026, 0, 1)) * 1000n;
    expect(await parquetRows(await converted(book, 'parquet'))).toMatchObject([
      { connected_at: midnight, pdi_extra: null },
    ]);
  });

  it('has the types of both commands of a csv that was joined twice', async () => {
    const mine = fileOf(
      'mine.csv',
      'person_id,firm\nper_sample1,company-1\nper_nobody,company-3\n',
    );
    const twice = await written(
      `revenue -i ${await written(`person -i ${mine}`, 'csv')} --column firm`,
      'csv',
    );
    expect(await parquetRows(await converted(twice, 'parquet'))).toMatchObject([
      {
        firm: 'company-1',
        years_of_experience: expect.anything(),
        est_revenue_usd: expect.any(Number),
        pdi_status: 'ok',
      },
      {
        firm: 'company-3',
        years_of_experience: null,
        est_revenue_usd: expect.any(Number),
        pdi_status: 'ok',
      },
    ]);
  });

  it('tells of fields of another type in pdi_error, as csv does', async () => {
    const { pdi: ask } = await origin(({ path }) => ({ json: { person_id: idIn(path), ...odd } }));
    const [ndjson, direct] = [newFile('out.ndjson'), newFile('out.parquet')];
    for (const out of [ndjson, direct]) await ask(`person per_1 --out ${out}`);
    const told = [{ pdi_error: expect.stringContaining('years_of_experience should be') }];
    const rows = await parquetRows(direct);
    expect(rows).toMatchObject(told);
    expect(await parquetRows(await converted(ndjson, 'parquet'))).toEqual(rows);
  });
});

it('the sheet of what was joined to columns named as those of the result is that of the command', async () =>
  expect(sheetOf(await converted(await written(ofNames, 'csv'), 'xlsx'))).toBe(
    sheetOf(await written(ofNames, 'xlsx')),
  ));

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
  expect(written).toBeGreaterThanOrEqual(2000);
  expect(sent).toBeLessThan(most);
});

it('a line may be longer than that of a list of identifiers', async () => {
  const long = `{"person_id":"per_1","about":"${'x'.repeat(1.25 * 1024 * 1024)}"}\n`;
  for (const format of ['ndjson', 'json'])
    expect(
      (await pdi(`convert - -o ndjson --input-format ${format}`, { stdin: long })).stdout,
    ).toBe(long);
  const csv = fileOf('x.csv', `person_id,about\nper_1,"${'x\n'.repeat(0.75 * 1024 * 1024)}"\n`);
  expect(linesOf((await pdi(`convert ${csv} -o ndjson`)).stdout)).toHaveLength(1);
});

it('Ctrl-C ends it, and leaves no file', async () => {
  const { send, withSignal } = signalling();
  const out = newFile('out.ndjson');
  const stdin = Readable.from(
    (async function* () {
      for (let sent = 0; sent < 1000; sent += 1) {
        if (sent === 3) send('SIGINT');
        yield Buffer.from(`${first}\n`);
        await new Promise(setImmediate);
      }
    })(),
  );
  const { code } = await pdi(`convert - --out ${out}`, { stdin, onTerminal: true, withSignal });
  expect([code, readdirSync(dirname(out))]).toEqual([130, []]);
});

it('needs no service, key or configuration, and leaves none', async () => {
  const file = fileOf('x.ndjson', '{"a":1}\n');
  const home = dirname(file);
  expect(await pdi(`convert ${file}`, { home })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(home)).toEqual(['x.ndjson']);
});
