/** Drawn records come back from each pair of formats as they were, but for what is empty. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { isObject, type JsonObject } from '../../src/json/exact.ts';
import { fileOf, pdi, recordsOf } from '../support/service.ts';
import { amount, seed } from './effort.ts';

const kinds: Readonly<Record<string, readonly [endpoint: Endpoint, identity: string]>> = {
  person: [operations.getPerson, 'person_id'],
  revenue: [operations.getCompanyLatestRevenue, 'id'],
  feed: [operations.readInvestorInterest, 'signal_id'],
  investors: [operations.findInvestors, 'investor_id'],
  'lists companies list': [operations.listCompanyLists, 'id'],
  network: [operations.listNetworkPeople, 'person_id'],
};
const formats = ['json', 'ndjson', 'csv', 'tsv', 'xlsx'] as const;

const odd = [
  ...[
    "'tis",
    "''",
    "'=1",
    "''+1",
    "'",
    '=1+1',
    '="123"',
    '+49 170',
    '-5',
    "'-5",
    '-',
    '@x',
    '\t=x',
    '＝1',
    ' lead',
    'trail ',
    '"q"',
  ],
  ...[
    'a;b',
    'a,b',
    'line\nbreak',
    'crlf\r\nx',
    '00123',
    '1e5',
    '9007199254740993',
    'true',
    'null',
    '[]',
    '{"a":1}',
    '2026-01-02',
  ],
  ...[
    '_x000D_',
    '_x005F_',
    'n/a',
    '#N/A',
    'ok',
    '\ufeffx',
    '\u200bx',
    'e\u0301',
    '日本',
    '😀',
    '\u0085x',
    '\u2028',
    '-0',
  ],
];
const word = fc.oneof(
  fc.constantFrom(...odd),
  fc.string({
    unit: fc.constantFrom("'", '=', '-', '+', '@', ' ', '1', 'a', '"', ',', ';', 'é'),
    minLength: 1,
    maxLength: 6,
  }),
);
const times = { utc: '2026-01-02T03:04:05Z', local: '2026-01-02 03:04:05' };

/** In a workbook, a list of objects is a text for people, and a time has no zone. */
const isForPeople = ({ kind, dateTime }: Column): boolean => kind === 'json' || dateTime === 'utc';

function drawnFor({ kind, dateTime, numeric }: Column): fc.Arbitrary<unknown> {
  if (numeric === true || kind === 'count') return fc.integer({ min: 0, max: 1e9 });
  if (kind === 'number' || kind === 'usd' || kind === 'percent')
    return fc.constantFrom(0, 4.05, -4.05, 1250000.5, 0.1, 123456789012345);
  if (kind === 'flag') return fc.boolean();
  if (kind === 'date')
    return fc.constantFrom(dateTime === undefined ? '2026-01-02' : times[dateTime]);
  if (kind === 'list')
    return fc
      .array(word, { maxLength: 3 })
      .filter((words) => words.join('; ').split('; ').length === words.length);
  if (kind === 'json') return fc.array(fc.record({ name: word }), { maxLength: 2 });
  return word;
}

function withField(
  record: JsonObject,
  [name = '', ...below]: readonly string[],
  value: unknown,
): JsonObject {
  const inner = record[name];
  return {
    ...record,
    [name]: below.length === 0 ? value : withField(isObject(inner) ? inner : {}, below, value),
  };
}

const drawn = fc
  .tuple(
    fc.constantFrom(...Object.entries(kinds)),
    fc.array(fc.constantFrom(...formats), { minLength: 2, maxLength: 2 }),
  )
  .chain(([[command, [{ columns }, identity]], pair]) => {
    const own = columns.filter(
      ({ name, onlyInTable }) => name !== identity && onlyInTable !== true,
    );
    const fit = pair.includes('xlsx') ? own.filter((column) => !isForPeople(column)) : own;
    const field = fc
      .constantFrom(...fit)
      .chain((column) => fc.tuple(fc.constant(column.name), drawnFor(column)));
    const start: JsonObject = { [identity]: 'company-1' };
    const record = fc
      .array(field, { maxLength: 12 })
      .map((fields) =>
        fields.reduce((record, [name, value]) => withField(record, name.split('.'), value), start),
      );
    return fc.tuple(
      fc.constant(command),
      fc.constant(pair),
      fc.array(record, { minLength: 1, maxLength: 4 }),
    );
  });

/** Texts that look like what the guard and --text-ids write. */
const guards: JsonObject = {
  id: 'company-1',
  company_name: '="123"',
  domain: "'=1",
  revenue_type: "'-x",
};

/** Cells tell no null from nothing. */
function filled(value: unknown): unknown {
  if (!isObject(value))
    return value === '' || value === null || (Array.isArray(value) && value.length === 0)
      ? undefined
      : value;
  const fields = Object.entries(value).flatMap(([name, inner]) =>
    filled(inner) === undefined ? [] : [[name, filled(inner)] as const],
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

it(`records come back from each pair of formats (seed ${seed})`, { timeout: 1_800_000 }, () =>
  fc.assert(
    fc.asyncProperty(drawn, async ([command, pair, records]) => {
      let path = fileOf(
        'in.ndjson',
        records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      );
      for (const [step, ending] of [...pair, 'ndjson'].entries()) {
        const out = join(path, '..', `${step}.${ending}`);
        const { code, stderr } = await pdi(['convert', path, '--from', command, '--out', out]);
        expect({ code, stderr }).toMatchObject({ code: 0 });
        path = out;
      }
      expect(recordsOf(readFileSync(path, 'utf8')).map(filled)).toEqual(records.map(filled));
    }),
    { seed, numRuns: amount(20, 2000), examples: [[['revenue', ['csv', 'xlsx'], [guards]]]] },
  ),
);
