/** `-o parquet`: what is in a file, as other programs read it. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { isNumber } from '../../src/json/exact.ts';
import { parquetFormatter } from '../../src/output/parquet.ts';
import { type ResultRow, readRecord } from '../../src/rows/row.ts';
import { documented, everyCommand } from '../commands/every-command.ts';
import { it, itWith } from '../support/it.ts';
import { columnsIn, type ParquetRow, readParquet } from '../support/parquet.ts';
import { asRecord, fileOf, linesOf, newFile, origin, type Pdi, pdi } from '../support/service.ts';
import { layoutOf } from './support.ts';

/** What a command writes as parquet. */
async function written(ask: Pdi, argv: readonly string[]) {
  const out = newFile('out.parquet');
  const result = await ask([...argv, '--out', out]);
  return { ...result, ...(await readParquet(readFileSync(out))) };
}

/** What `pdi convert` makes of records. */
const converted = (records: string, ...flags: readonly string[]) =>
  written(pdi, ['convert', fileOf('records.ndjson', records), ...flags]);

const itDocumented = itWith(() => origin(documented));

type Values = Record<string, unknown>;

const dateTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|)$/;

/** Every number by its digits, an instant in microseconds, and nothing that is null: for what a file cannot tell apart. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint' || isNumber(value)) return String(value);
  if (typeof value === 'string') {
    const [whole, day, time, fraction = ''] = dateTime.exec(value) ?? [];
    return whole === undefined
      ? value
      : `${BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))}`;
  }
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const fields = Object.entries(value).map(([name, field]) => [name, plain(field)] as const);
  const filled = fields.filter(
    ([, field]) =>
      field !== undefined &&
      !(typeof field === 'object' && !Array.isArray(field) && isEmpty(field)),
  );
  return Object.fromEntries(filled);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const isContainer = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null;

/** The record that a row and its `pdi_extra` tell together. */
function restored({ pdi_extra: extra, ...row }: ParquetRow): unknown {
  const record: Values = structuredClone(row);
  for (const [path, value] of Object.entries(
    typeof extra === 'string' ? asRecord(readRecord(extra).value) : {},
  )) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const holder = steps.reduce<Values>((at, step) => {
      const below = at[step];
      return isContainer(below) ? below : at;
    }, record);
    holder[last] = value;
  }
  return plain(record);
}

it('keeps an undocumented field, however it is called', async () => {
  const { rows } = await converted(
    '{"signal_id":"s1","__proto__":1,"constructor":2}\n',
    '--from',
    'feed',
  );
  expect(rows[0]?.pdi_extra).toBe('{"__proto__":1,"constructor":2}');
});

describe('each command of the contract', () => {
  itDocumented.for(
    everyCommand.filter(
      ({ name }) =>
        !/^(?:resolve|lists (?:people modify|investors get)|lists .* delete)$/.test(name),
    ),
  )(
    '$name: the record, whole, in typed columns and pdi_extra',
    async ({ argv, record, answer, kept, job }, { pdi: ask }) => {
      const { rows, code, stdout } = await written(ask, argv);
      expect([code, stdout]).toEqual([0, '']);
      const sent = readRecord(record ?? answer).value;
      const [row = {}] = rows;
      const {
        input,
        pdi_status: status,
        pdi_error: error,
        pdi_fetched_at: fetched,
        ...columns
      } = row;
      expect(rows).toHaveLength(1);
      expect(restored(columns)).toEqual(plain(Array.isArray(sent) ? sent[0] : sent));
      expect(typeof fetched).toBe(kept === true ? 'bigint' : 'undefined');
      expect([input === undefined, status, error]).toEqual(
        job ? [false, 'ok', null] : [true, undefined, undefined],
      );
    },
  );

  itDocumented.for(everyCommand)(
    '$name: the columns of csv, its objects as one',
    async ({ argv, columns, kept, job }, { pdi: ask }) => {
      const { footer } = await written(ask, argv);
      const tops = [
        ...new Set(columns.map((name) => name.split('.')[0])),
        ...(kept === true ? ['pdi_fetched_at'] : []),
      ];
      expect(columnsIn(footer)).toEqual(
        job ? ['input', ...tops, 'pdi_status', 'pdi_error', 'pdi_extra'] : [...tops, 'pdi_extra'],
      );
    },
  );

  it.for([
    [
      'lists investors get d0000000-0000-4000-8000-000000000002',
      'investor_id',
      ['inv_sample2', 'inv_sample3', 'inv_sample4'],
    ],
    ['resolve ada-sample-1 nobody', 'person_id', ['per_sample1', null]],
    ['feed --after 2030-01-01', 'signal_id', []],
  ] as const)('%s: a row each', async ([words, column, values], { pdi: ask }) => {
    expect((await written(ask, words.split(' '))).rows.map((row) => row[column])).toEqual(values);
  });
});

describe('types', () => {
  const record = {
    person_id: 'per_a1',
    last_updated: '2026-04-01 18:00:00',
    full_name: 'Zoë 株 \ud83d\ude80',
    profnet_num_id: 700000001,
    years_of_experience: 16,
    current_tenure: 1.5,
    skills: ['a', 'b; c'],
    experience: [
      {
        title: 'Engineer',
        start_date: '2024-02-29',
        is_current: true,
        tech_verticals: [['A', 'B'], []],
      },
      {},
    ],
    languages: [],
  };

  it('are those of the contract', async () => {
    const { rows, footer, stderr } = await converted(JSON.stringify(record));
    expect(stderr).toBe('');
    expect(rows[0]).toMatchObject({
      last_updated: BigInt(Date.parse('2026-04-01T18:00:00Z')) * 1000n,
      full_name: record.full_name,
      profnet_num_id: 700000001n,
      years_of_experience: 16n,
      current_tenure: 1.5,
      skills: record.skills,
      languages: [],
      pdi_extra: null,
    });
    expect(rows[0]?.experience).toMatchObject([
      {
        title: 'Engineer',
        start_date: '2024-02-29',
        is_current: true,
        tech_verticals: [['A', 'B'], []],
      },
      { title: null, start_date: null },
    ]);
    const typeOf = (wanted: string) => {
      const { type, logical_type } = footer.schema.find(({ name }) => name === wanted) ?? {};
      return logical_type === undefined ? type : logical_type;
    };
    expect(typeOf('profnet_num_id')).toBe('INT64');
    expect(typeOf('current_tenure')).toBe('DOUBLE');
    expect(typeOf('start_date')).toEqual({ type: 'DATE' });
    expect(typeOf('last_updated')).toEqual({
      type: 'TIMESTAMP',
      isAdjustedToUTC: false,
      unit: 'MICROS',
    });
    expect(typeOf('experience')).toEqual({ type: 'LIST' });
  });

  it.each([
    ['2026-03-24T12:00:00.000Z', '2026-03-24T12:00:00Z', 0n],
    ['2026-03-24T12:00:00.123456Z', '2026-03-24T12:00:00.123Z', 456n],
    ['2026-03-24T00:30:00+02:00', '2026-03-23T22:30:00Z', 0n],
    ['2024-01-05T10:00:00', '2024-01-05T10:00:00Z', 0n],
    ['2024-01-05', '2024-01-05T00:00:00Z', 0n],
  ])('%s is an instant in UTC', async (sent, instant, micros) => {
    const member = JSON.stringify({
      list_id: 'l',
      list_name: 'n',
      person_id: 'per_a1',
      created_at: sent,
    });
    const { rows, footer } = await converted(member, '--from', 'lists people modify');
    expect(rows[0]?.created_at).toBe(BigInt(Date.parse(instant)) * 1000n + micros);
    expect(footer.schema.find(({ name }) => name === 'created_at')?.logical_type).toMatchObject({
      isAdjustedToUTC: true,
    });
  });

  it.each([
    ...[
      '9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      '1152921504606847000',
      '1152921504606846976',
    ],
    ...['5.0', '1e3', '-0.0'],
  ])('the integer %s keeps its digits', async (digits) => {
    const { rows } = await converted(
      `{"person_id":"per_a1","profnet_num_id":${digits}}`,
      '--from',
      'person',
    );
    expect(rows[0]).toMatchObject({
      profnet_num_id: /^-?\d+$/.test(digits) ? BigInt(digits) : BigInt(Number(digits)),
      pdi_extra: null,
    });
  });
});

it.each([
  ['33.3333333333333333', 33.333333333333336],
  ['1234567.8900000000000001', 1234567.89],
  ['-0.0', 0],
  ['1e-7', 1e-7],
])('the decimal %s is the nearest double', async (digits, double) => {
  const { rows, stderr } = await converted(
    `{"person_id":"per_a1","current_tenure":${digits}}`,
    '--from',
    'person',
  );
  expect(rows[0]).toMatchObject({ current_tenure: double, pdi_extra: null });
  expect(Object.is(rows[0]?.current_tenure, -0)).toBe(false);
  expect(stderr).toBe('');
});

describe('what does not fit', () => {
  it.each([
    ['profnet_num_id', '9223372036854775808'],
    ['profnet_num_id', '"700"'],
    ['years_of_experience', '1.5'],
    ['current_tenure', '1e400'],
    ['full_name', '5'],
    ['skills', '"a"'],
    ['experience', '{"title":"a"}'],
    ['last_updated', '"2026-02-30 00:00:00"'],
    ['last_updated', '"yesterday"'],
    ['last_updated', '"2026-00-15 00:00:00"'],
  ])('%s: %s is null, kept in pdi_extra, with one notice', async (name, json) => {
    const { rows, stderr, code } = await converted(
      `{"person_id":"per_a1","${name}":${json}}`,
      '--from',
      'person',
    );
    expect(rows[0]).toMatchObject({ person_id: 'per_a1', pdi_extra: `{"${name}":${json}}` });
    expect(rows[0]?.[name] ?? null).toBeNull();
    expect([code, linesOf(stderr)]).toEqual([
      0,
      [expect.stringMatching(/^pdi: 1 record has a value that does not fit .*pdi_extra$/)],
    ]);
  });

  it('is found deep in lists, whose other values stay', async () => {
    const record =
      '{"person_id":"per_a1","experience":[{"title":"a"},{"title":"b","founded_year":"about 1990","more":{"x":1}}],"skills":["a",7]}';
    const { rows } = await converted(`${record}\n${record}`, '--from', 'person');
    expect(rows[1]?.pdi_extra).toBe(
      '{"experience.1.founded_year":"about 1990","experience.1.more":{"x":1},"skills.1":7}',
    );
    expect(rows[1]?.skills).toEqual(['a', null]);
    expect(rows[1]?.experience).toMatchObject([{ title: 'a' }, { title: 'b', founded_year: null }]);
  });

  it('counts records in one notice; a field that nobody documents is kept without one', async () => {
    const records = [
      '{"person_id":"a","full_name":1,"skills":2}',
      '{"person_id":"b","full_name":3}',
      '{"person_id":"c","new":[1.10]}',
    ];
    const { rows, stderr } = await converted(records.join('\n'), '--from', 'person');
    expect(linesOf(stderr)).toEqual([
      expect.stringContaining('pdi: 2 records have values that do not fit'),
    ]);
    expect(rows[2]?.pdi_extra).toBe('{"new":[1.10]}');
    expect((await converted(records[2] ?? '', '--from', 'person')).stderr).toBe('');
  });

  it('nothing is lost, whatever is sent', async () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('2026-01-02', '2026-13-01', '', '9'),
    );
    const anything = fc.oneof(text, number, fc.boolean(), fc.constant(null));
    const of = (...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, anything]));
    const departments = fc.oneof(anything, fc.array(anything, { maxLength: 3 }));
    const job = fc.record(
      { ...of('title', 'founded_year', 'start_date', 'more'), departments },
      { requiredKeys: [] },
    );
    const lists = {
      skills: fc.oneof(anything, fc.array(anything)),
      experience: fc.oneof(anything, fc.array(fc.oneof(job, anything), { maxLength: 3 })),
      unheard_of: fc.oneof(anything, fc.array(job)),
    };
    const scalars = of(
      'full_name',
      'years_of_experience',
      'current_tenure',
      'last_updated',
      'education',
    );
    const record = fc.record({ ...scalars, ...lists }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), async (drawn) => {
        const records = drawn.map((one) => ({ ...one, person_id: 'per_a1' }));
        const text = records.map((one) => JSON.stringify(one)).join('\n');
        const { rows } = await converted(text, '--from', 'person');
        const told = rows.map(
          ({ input: _input, pdi_status: _status, pdi_error: _error, ...columns }) =>
            restored(columns),
        );
        expect(told).toEqual(linesOf(text).map((line) => plain(readRecord(line).value)));
      }),
      { numRuns: 25 },
    );
  });
});

describe('rows of a job', () => {
  it('own columns stay text, in front, and no name stands twice', async ({ pdi: ask }) => {
    const input = fileOf(
      'in.csv',
      'a,A,person_id,experience,pdi_extra,\n007,=1+1,per_sample1,x,y,z\n,,per_nobody,,,\n',
    );
    const { code, rows, footer } = await written(ask, ['person', '-i', input]);
    expect(code).toBe(8);
    const names = columnsIn(footer);
    expect(names.slice(0, 7)).toEqual([
      'a',
      'A_2',
      'person_id',
      'experience',
      'pdi_extra',
      'column_6',
      'person_person_id',
    ]);
    expect(names.slice(-3)).toEqual(['pdi_status', 'pdi_error', 'person_pdi_extra']);
    expect(new Set(names).size).toBe(names.length);
    expect(rows[0]).toMatchObject({ a: '007', A_2: '=1+1', experience: 'x', column_6: 'z' });
    expect(rows[0]).toMatchObject({ person_person_id: 'per_sample1', pdi_status: 'ok' });
    expect(rows[1]).toMatchObject({
      a: '',
      person_person_id: null,
      pdi_status: 'not_found',
      pdi_error: expect.stringContaining('404'),
    });
  });

  it('an id that stands in the own columns is not left over', async ({ pdi: ask }) => {
    const input = newFile('ids.csv');
    await ask(`person per_sample1 --out ${input}`);
    const { rows, footer } = await written(ask, ['person', '-i', input]);
    expect(columnsIn(footer).filter((name) => name.endsWith('person_id'))).toEqual(['person_id']);
    expect(rows).toMatchObject([{ person_id: 'per_sample1', pdi_extra: null }]);
  });

  it('--fields names the columns, --explode gives a row an element', async ({ pdi: ask }) => {
    const chosen = await written(ask, [
      'feed',
      '--limit',
      '3',
      '--fields',
      'company,company.name,signal_date',
    ]);
    expect(columnsIn(chosen.footer)).toEqual([
      'company',
      'company.name',
      'signal_date',
      'pdi_extra',
    ]);
    const name = chosen.rows[1]?.['company.name'];
    expect(asRecord(chosen.rows[1]?.company).name).toBe(name);
    const first = await written(ask, [
      'person',
      'per_sample1',
      '--fields',
      'experience.0,experience.0.title',
    ]);
    expect(columnsIn(first.footer)).toEqual([
      'input',
      'experience.0',
      'experience.0.title',
      'pdi_status',
      'pdi_error',
      'pdi_extra',
    ]);
    expect(asRecord(first.rows[0]?.['experience.0']).title).toBe(
      first.rows[0]?.['experience.0.title'],
    );
    const { rows } = await written(ask, ['person', 'per_sample1', '--explode', 'experience']);
    expect(rows.map(({ pdi_item, experience }) => [pdi_item, asRecord(experience).title])).toEqual([
      [1n, 'Staff Engineer'],
      [2n, 'Staff Engineer'],
    ]);
  });

  it('a csv that was joined keeps the names of its columns', async () => {
    const joined = fileOf(
      'joined.csv',
      'first.name,first,full_name,pdi_status,pdi_error\nA,B,Ada,ok,\n',
    );
    const { rows } = await written(pdi, ['convert', joined]);
    expect(rows[0]).toMatchObject({
      'first.name': 'A',
      first: 'B',
      full_name: 'Ada',
      pdi_status: 'ok',
    });
  });

  it('records of nobody keep their own fields, whatever these are', async () => {
    const { rows } = await converted('{"a":1,"b":{"c":[1.50]},"d":"x","e":true}');
    expect(rows[0]).toMatchObject({
      a: '1',
      b: '{"c":[1.50]}',
      d: 'x',
      e: 'true',
      pdi_extra: null,
    });
  });
});

describe('the file', () => {
  const groupsOf = async (
    texts: readonly string[],
    room?: { rows: number; characters: number },
  ) => {
    const formatter = parquetFormatter(
      layoutOf([{ name: 'about', kind: 'text', inTable: true }]),
      room,
    );
    const rows = texts.map(
      (about): ResultRow => ({ record: readRecord(JSON.stringify({ about })), status: 'ok' }),
    );
    const { footer, rows: read } = await readParquet(
      Buffer.concat([formatter.rows(rows), formatter.end()].map((part) => Buffer.from(part))),
    );
    expect(read.map(({ about }) => about)).toEqual(texts);
    return footer.row_groups.map(({ num_rows }) => Number(num_rows));
  };

  it('is cut into groups by rows, and by size', async () => {
    expect(await groupsOf(Array(9).fill('a'), { rows: 4, characters: 1000 })).toEqual([4, 4, 1]);
    expect(await groupsOf(Array(5).fill('x'.repeat(90)), { rows: 4, characters: 160 })).toEqual([
      2, 2, 1,
    ]);
    expect(await groupsOf(Array(9).fill('a'))).toEqual([9]);
  });

  itDocumented('goes to a pipe, and not to a terminal', async ({ pdi: ask, service }) => {
    const shown = await ask('revenue company-1 -o parquet', { terminal: true });
    expect([shown.code, shown.stderr]).toEqual([
      2,
      expect.stringMatching(
        /a parquet file is not for a terminal\n.*hint:.* name a file with --out/,
      ),
    ]);
    expect(service.requests).toEqual([]);
    expect((await ask('revenue company-1 -o parquet')).stdout).toMatch(/^PAR1/);
  });
});
