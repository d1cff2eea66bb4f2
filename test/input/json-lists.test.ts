/** A list inside an object is named, with what gives its records alone. */

import { describe, expect, it, test } from 'vitest';
import { failureOf } from '../support/failure.ts';
import { expectRefused, openFile, openPiped, rowsOf, textsOf } from './reading.ts';

const candidates = ['company_id'];

describe.each([
  [
    'a list',
    '{"total":2,"contacts":[{"company_id":"c-1"},{"company_id":"c-2"}]}',
    'contacts holds 2 records',
    '.contacts[]',
  ],
  [
    'a list of one',
    '{"total":1,"contacts":[{"company_id":"c-1"}]}',
    'contacts holds 1 record',
    '.contacts[]',
  ],
  [
    'a nested list',
    '{"data":{"items":[{"company_id":"c-1"}],"next":null}}',
    'data.items holds 1 record',
    '.data.items[]',
  ],
  [
    'lists in a list',
    '{"a":[{"b":"a","rows":[{"company_id":"c-1"}]},{"rows":[{},{}]}]}',
    'a.rows holds 3 records',
    '.a[].rows[]',
  ],
  [
    'the list that is wanted',
    '{"tags":[{"x":1}],"rows":[{"company_id":"c-1"},{}]}',
    'rows holds 2 records',
    '.rows[]',
  ],
  [
    'a name that is no word',
    '{"my list":[{"company_id":"c-1"}]}',
    'my list holds 1 record',
    '.["my list"][]',
  ],
])('%s inside an object', (_what, content, size, filter) => {
  it.each(['a.json', 'a.ndjson', 'a', 'a.txt'])('is named in %s', async (name) => {
    const failure = await failureOf(openFile(name, `${content}\n`, { candidates }));
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`line 1(, column 1)?: none of the fields company_id; ${size}$`),
      ),
      details: { hint: `Give what is in the list: jq -c '${filter}' FILE | pdi … -i -` },
    });
  });

  it('is named in a pipe', async () => {
    await expect(openPiped(content, { candidates })).rejects.toThrow(size);
  });
});

it.each([
  ['ids', '{"ids":["c-1","c-2"]}', 'ids holds 2 values; the record has: ids', '--column', '.ids[]'],
  [
    'other records',
    '{"items":[{"id":1},{"id":2}]}',
    'items holds 2 records; the record has: items',
    '--column',
    '.items[]',
  ],
  [
    'parts',
    '{"a":[{"b":"a"}],"entity_id":"per_1"}',
    'a holds 1 record; the record has: entity_id, a',
    '--column entity_id',
    '.a[]',
  ],
])(
  'a list of %s is named beside the fields of the record, the likeliest first',
  async (_what, content, what, column, filter) => {
    expect(
      await failureOf(openFile('a.ndjson', `${content}\n`, { candidates: ['person_id'] })),
    ).toMatchObject({
      message: expect.stringMatching(new RegExp(`line 1: none of the fields person_id; ${what}$`)),
      details: {
        hint: `Name the field that holds the identifier with ${column}, dotted where it is nested; or give what is in the list: jq -c '${filter}' FILE | pdi … -i -`,
      },
    });
  },
);

it.each(['a.json', 'a.ndjson', 'a'])(
  'a list that holds the field of --column is named too, in %s',
  async (name) => {
    const read = (content: string) => openFile(name, content, { candidates, column: 'url' });
    expect(
      await failureOf(read('{"next":null,"contacts":[{"id":1},{"url":"c-1"}]}\n')),
    ).toMatchObject({
      message: expect.stringMatching(
        /line 1(, column 1)?: no field url; contacts holds 2 records$/,
      ),
      details: { hint: "Give what is in the list: jq -c '.contacts[]' FILE | pdi … -i -" },
    });
    expect(await textsOf(await read('{"contacts":[{"id":1}]}\n{"url":"c-1"}\n'))).toEqual([
      undefined,
      'c-1',
    ]);
  },
);

test('a later line of such kind is invalid, and says so', async () => {
  const rows = await rowsOf(
    await openFile('a.ndjson', '{"company_id":"c-1"}\n{"rows":[{"company_id":"c-2"},{}]}\n', {
      candidates,
    }),
  );
  expect(rows.map(({ text, invalid }) => [text, invalid])).toEqual([
    ['c-1', undefined],
    [undefined, 'no field company_id; rows holds 2 records'],
  ]);
});

describe('--column into a list', () => {
  const read = async (content: string, column: string) => {
    const remarks: string[] = [];
    const input = await openFile('a.ndjson', content, {
      candidates,
      column,
      notice: (remark) => remarks.push(remark),
    });
    return { texts: await textsOf(input), remarks };
  };

  it('says once that it takes one of several', async () => {
    const line = '{"contacts":[{"x":"c-1"},{"x":"c-2"}]}\n';
    const { texts, remarks } = await read(line + line, 'contacts.0.x');
    expect(texts).toEqual(['c-1', 'c-1']);
    expect(remarks).toEqual([
      expect.stringMatching(
        /line 1: contacts holds 2 records, of which --column contacts\.0\.x takes one$/,
      ),
    ]);
  });

  it.each([
    [
      'contacts.x',
      '{"contacts":[{"x":"c-1"},{"x":"c-2"}]}',
      'no field contacts.x; contacts holds 2 records',
    ],
    [
      'data.items.x',
      '{"data":{"items":[{"x":"c-1"}]}}',
      'no field data.items.x; data.items holds 1 record',
    ],
    ['contacts.5.x', '{"contacts":[{"x":"c-1"}]}', undefined],
    ['contacts.x', '{"contacts":null}', undefined],
  ])(
    '%s of %s takes none, and says so where it has no place in the list',
    async (column, line, invalid) => {
      const [row] = await rowsOf(await openFile('a.ndjson', `${line}\n`, { candidates, column }));
      expect([row?.text, row?.invalid]).toEqual([undefined, invalid]);
    },
  );

  it('says nothing of a list of one, or of a field that is called so', async () => {
    expect((await read('{"contacts":[{"x":"c-1"}]}\n', 'contacts.0.x')).remarks).toEqual([]);
    expect((await read('{"contacts.0.x":"c-1","contacts":"x"}\n', 'contacts.0.x')).remarks).toEqual(
      [],
    );
  });
});

test('of a list of records where one is read, the first is asked for, with one notice', async () => {
  const list = '[{"company_id":"c-1"},{"company_id":"c-2"}]';
  for (const [file, content] of [
    ['a.json', `[${list},${list},[{"company_id":"c-3"}]]`],
    ['a.ndjson', `${list}\n${list}\n[{"company_id":"c-3"}]\n`],
  ] as const) {
    const remarks: string[] = [];
    const input = await openFile(file, content, {
      candidates,
      notice: (remark) => remarks.push(remark),
    });
    expect(await textsOf(input)).toEqual(['c-1', 'c-1', 'c-3']);
    expect(remarks).toEqual([
      expect.stringMatching(/line 1.*: a list of 2 records, of which the first is asked for$/),
    ]);
  }
});

/** A whole table in one JSON value, as pandas' `to_json` writes it by default, is no list of records. */
const tables: readonly [orient: string, content: string][] = [
  ['columns', '{"company_id":{"0":"c-1","1":"c-2"},"name":{"0":"a","1":null}}'],
  ['columns, of one row', '{"company_id":{"0":"c-1"}}'],
  [
    'columns, with a name for each row',
    '{"company_id":{"a":"c-1","b":"c-2"},"name":{"a":"x","b":"y"}}',
  ],
  ['columns, of no row', '{"company_id":{},"name":{}}'],
  ['columns, none of them wanted', '{"id":{"0":"c-1","1":"c-2"}}'],
  ['index', '{"0":{"company_id":"c-1"},"1":{"company_id":"c-2"}}'],
  ['split', '{"columns":["company_id"],"index":[0,1],"data":[["c-1"],["c-2"]]}'],
];

describe.each(tables)('a table by %s', (_orient, content) => {
  const words = /is JSON of a whole table, not a list of records$/;

  it.each(['a.json', 'a.ndjson', 'a', 'a.txt'])(
    'is refused in %s, with what to do',
    async (name) => {
      await expectRefused(
        openFile(name, `${content}\n`, { candidates }),
        words,
        /orient="records"/,
      );
    },
  );

  it('is refused with --column, and in a pipe', async () => {
    await expectRefused(openFile('a.json', content, { candidates, column: 'company_id' }), words);
    await expect(openPiped(content, { candidates })).rejects.toThrow(words);
  });
});

it('a list of lists is refused too', async () => {
  await expectRefused(
    openFile('a.json', '[["c-1","a"],["c-2","b"]]', { candidates }),
    /not a list of records$/,
    /orient="records"/,
  );
});

describe('a record of objects is read', () => {
  it.each([
    ['by a path', '{"old":{"id":"c-1"},"new":{"id":"c-2"}}', 'new.id', 'c-2'],
    ['by a path of numbers', '{"0":{"id":"c-1"},"1":{"id":"c-2"}}', '1.id', 'c-2'],
  ])('%s', async (_how, content, column, text) => {
    expect(await textsOf(await openFile('a.json', content, { candidates, column }))).toEqual([
      text,
    ]);
  });

  it('of DynamoDB, which names the type of each value', async () => {
    const line = '{"company_id":{"S":"c-1"},"name":{"S":"a"}}\n';
    expect(
      await textsOf(await openFile('a.ndjson', line, { candidates, column: 'company_id.S' })),
    ).toEqual(['c-1']);
    expect(await textsOf(await openFile('a.ndjson', line, { candidates }))).toEqual([undefined]);
  });

  it('below the first record, where it spoils its row alone', async () => {
    const rows = '{"company_id":"c-1"}\n{"company_id":{"0":"c-2"}}\n{"company_id":"c-3"}\n';
    expect(await textsOf(await openFile('a.ndjson', rows, { candidates }))).toEqual([
      'c-1',
      undefined,
      'c-3',
    ]);
  });
});
