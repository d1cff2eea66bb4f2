/** JSON by itself: an array of records or of bare identifiers, on one line or many, or one record. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankCell } from '../../src/contract/identifier.ts';
import { UsageError } from '../../src/errors.ts';
import {
  expectRefused,
  openFile,
  openPiped,
  resolveNames,
  rowsOf,
  rowsUntilFailure,
  textsOf,
} from './reading.ts';

const records = [
  { person_id: 'per_1', n: 'a "]", \\ b' },
  { person_id: 'per_2', deep: [[{ a: '{' }]] },
  { person_id: null },
];
const texts = ['per_1', 'per_2', undefined];

describe('one JSON text', () => {
  const forms: readonly [what: string, text: string][] = [
    ['on one line', JSON.stringify(records)],
    ['pretty-printed', `${JSON.stringify(records, null, 2)}\n`],
    ['a record a line', `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`],
    ['CRLF and tabs', JSON.stringify(records, null, '\t').replaceAll('\n', '\r\n')],
    ['a BOM before it', `\uFEFF${JSON.stringify(records)}\n`],
    ['blank lines before it', `\n \n${JSON.stringify(records)}`],
    [
      'objects that follow one another',
      records.map((record) => JSON.stringify(record, null, 2)).join('\n'),
    ],
  ];

  test.each(forms)(
    '%s: from a file, from one without a name for it, and from a pipe',
    async (_what, text) => {
      const inputs = [
        await openFile('a.json', text),
        await openFile('a', text),
        await openFile('a.txt', text, { inputFormat: 'json' }),
      ];
      for (const input of inputs) expect(await textsOf(input)).toEqual(texts);
      for (const size of [1, 7, 100_000]) {
        const input = await openPiped(text, {}, size);
        expect([input.kind, await textsOf(input)]).toEqual(['json', texts]);
      }
    },
  );

  test.each([
    ['bare texts', '["per_1", "per \\"2\\"", " per_3 "]', ['per_1', 'per "2"', 'per_3']],
    [
      'numbers with every digit',
      '[7,98765432109876543210 ,\n9007199254740993]',
      ['7', '98765432109876543210', '9007199254740993'],
    ],
    ['numbers in records', '[{"profnet_num_id":9007199254740993}]', ['9007199254740993']],
    [
      'null, true, lists and blanks',
      '[null, true, ["x"], ""]',
      [undefined, undefined, undefined, undefined],
    ],
    ['one object', '{\n "profnet_id": "ada"\n}\n', ['ada']],
    [
      'rows that are arrays',
      '[[{"profnet_id":"ada"},{"profnet_id":"eve"}],\n[],[{"profnet_id":"bob"}]]',
      ['ada', undefined, 'bob'],
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await textsOf(await openFile('a.json', text, { candidates: resolveNames }))).toEqual(
      expected,
    );
    for (const size of [1, 100_000]) {
      expect(
        await textsOf(
          await openPiped(text, { inputFormat: 'json', candidates: resolveNames }, size),
        ),
      ).toEqual(expected);
    }
  });

  test('a row tells where it begins', async () => {
    const rows = await rowsOf(
      await openPiped('[{"person_id":"é"},  "株x", 1,\n  {"person_id":""}]', {}, 3),
    );
    expect(rows).toEqual([
      { line: 1, column: 2, text: 'é', field: 'person_id' },
      { line: 1, column: 22, text: '株x' },
      { line: 1, column: 28, text: '1' },
      { line: 2, column: 3, text: undefined, field: 'person_id', label: '{"person_id":""}' },
    ]);
  });

  test('what an earlier step did not find is not found', async () => {
    const queries = ['{"profnet_id":"b"}', '{"profnet_num_id":9007199254740993}'].map(
      (query) => `{"query":${query},"matches":[]}`,
    );
    const text = `[{"input":"x","pdi_status":"not_found","pdi_error":"no match"},${queries},[]]`;
    const rows = await rowsOf(await openFile('a.json', text));
    expect(rows.map(({ label, status }) => [label, status])).toEqual([
      ['x', 'not_found'],
      ['b', 'not_found'],
      ['9007199254740993', 'not_found'],
      ['[]', 'not_found'],
    ]);
  });
});

describe('a value a line is still NDJSON', () => {
  test.each([
    [
      'a.json',
      '{"person_id":"per_1"}\n{"person_id":\n{"person_id":"per_3"}\n',
      ['per_1', undefined, 'per_3'],
    ],
    ['a.json', '"per_1"\n"per_2"\n', ['per_1', 'per_2']],
    ['a.json', '700000001\n9007199254740993\n', ['700000001', '9007199254740993']],
    ['a', '{"person_id":"per_1"}\noops\n', ['per_1', undefined]],
    [
      'a',
      '[{"person_id":"per_1"}]\n[]\n[{"person_id":"per_2"},{"person_id":"per_3"}]\n',
      ['per_1', undefined, 'per_2'],
    ],
  ])('%s: %j', async (name, text, expected) => {
    expect(await textsOf(await openFile(name, text))).toEqual(expected);
  });

  test.each([1, 24, 1000])(
    'an array is a row where another line follows it, however late (%d bytes at a time)',
    async (size) => {
      const input = await openPiped(
        '[{"person_id":"per_1"},{"person_id":"x"}]\n[{"person_id":"per_2"}]\n',
        {},
        size,
      );
      expect([input.kind, await textsOf(input)]).toEqual(['ndjson', ['per_1', 'per_2']]);
    },
  );
});

const broken: readonly [what: string, text: string, message: string, before: number][] = [
  [
    'a word',
    '[{"person_id":"per_1"},\n {"person_id": per_2}]',
    "line 2, column 16: not JSON: object value expected after ':'",
    1,
  ],
  [
    'a word, after a name that stands twice',
    '["per_1",{"a":1,"a":2,"b": x}]',
    'line 1, column 28: not JSON: object value expected',
    1,
  ],
  [
    'a bare word',
    '["per_1", per_2]',
    "line 1, column 11: not JSON: JSON value expected but got 'p'",
    1,
  ],
  ['no comma', '["per_1"\n"per_2"]', 'line 2, column 1: "\\"per_2\\"" where a comma should be', 1],
  [
    'no comma on one line',
    '[{"person_id":"é"} {}]',
    'line 1, column 20: "{" where a comma should be',
    1,
  ],
  ['a comma too many', '["per_1",]', 'line 1, column 10: "]" where a JSON value should be', 1],
  [
    'a quote that is missing',
    '["per_1", "per_2]',
    'line 1, column 11: the record that begins here does not end',
    1,
  ],
  ['no end', '[\n"per_1",\n"per_2"\n', 'line 4, column 1: the array does not end', 2],
  [
    'no end of a record',
    '[{"person_id":"per_1"},\n{"person_id":',
    'line 2, column 1: the record that begins here does not end',
    1,
  ],
  ['more after it', '["per_1"]\nper_2', 'line 2, column 1: "per_2" after the end of the JSON', 1],
  [
    'too deep',
    `["per_1",${'['.repeat(600)}${']'.repeat(600)}]`,
    'line 1, column 10: the record is nested too deep',
    1,
  ],
  [
    'no fields',
    '[{"a":1}]',
    'line 1, column 2: none of the fields person_id, matches.0.person_id; the record has: a',
    0,
  ],
];

test.each([1, 7, 100_000])(
  'arrays of files that were put together are one list (%d bytes at a time)',
  async (size) => {
    const text = '[\n{"person_id":"per_1"},\n"per_2"\n]\n[\n]\n[{"person_id":\n"per_3"}]';
    expect(await textsOf(await openPiped(text, {}, size))).toEqual(['per_1', 'per_2', 'per_3']);
    expect(await textsOf(await openFile('a.json', text))).toEqual(['per_1', 'per_2', 'per_3']);
  },
);

describe('broken JSON is told with its place', () => {
  test.each(broken)('%s: a file is refused at once', async (_what, text, message) => {
    await expectRefused(openFile('a.json', text, { inputFormat: 'json' }), `a.json, ${message}`);
  });

  test.each(broken.filter(([, , , before]) => before > 0))(
    '%s: a pipe gives the rows before it',
    async (_what, text, message, before) => {
      for (const size of [1, 7, 100_000]) {
        const opened = await openPiped(text, { inputFormat: 'json' }, size).catch(
          (error: unknown) => error,
        );
        if (opened instanceof UsageError) throw opened;
        const { rows, failure } = await rowsUntilFailure(
          await openPiped(text, { inputFormat: 'json' }, size),
        );
        expect(rows).toHaveLength(before);
        expect(failure).toHaveProperty(
          'message',
          expect.stringContaining(message.slice(0, message.indexOf(':'))),
        );
      }
    },
  );

  test.each(['NaN', '-Infinity'])(
    '%s, as Python writes it, is told with what to write',
    async (word) => {
      const text = `[{"person_id":"per_1"},{"person_id":"per_2","x":${word}}]`;
      await expectRefused(
        openFile('a.json', text),
        /line 1, column (?:49|50): not JSON/,
        /write null there/,
      );
    },
  );

  test('no array', async () => {
    await expect(openFile('a.json', '"x"', { inputFormat: 'json' })).rejects.toThrow(
      'a.json, line 1, column 1: ',
    );
  });
});

test('any value, in any layout, cut anywhere, is the row of its text', async () => {
  const identifier = fc.oneof(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .filter((text) => text.trim() === text && !isBlankCell(text)),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
  );
  const element = fc.record({ identifier, bare: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(element, { minLength: 1 }),
      fc.nat(3),
      fc.integer({ min: 1, max: 40 }),
      async (elements, indent, size) => {
        const json = (value: string | bigint) =>
          typeof value === 'bigint' ? String(value) : JSON.stringify(value);
        const gap = indent === 0 ? '' : `\n${' '.repeat(indent)}`;
        const written = elements.map(({ identifier, bare }) =>
          bare ? json(identifier) : `{"x":[1],"person_id":${gap}${json(identifier)}}`,
        );
        const input = await openPiped(
          `[${gap}${written.join(`,${gap}`)}${gap}]`,
          { inputFormat: 'json' },
          size,
        );
        expect(await textsOf(input)).toEqual(elements.map(({ identifier }) => String(identifier)));
      },
    ),
    { numRuns: 200 },
  );
});

/** NDJSON: records, groups of a resolve, bare identifiers, and lines that are none of these. */
const noMatch = 'no match in the input';
const matched = '{"query":{"profnet_id":"ada"},"matches":[{"person_id":"per_1"}]}';
const unmatched = '{"query":{"profnet_id":"bob"},"matches":[]}';
const withoutRecord = '{"input":"x y","pdi_status":"invalid","pdi_error":"contains a space"}';

describe('ndjson', () => {
  test('what resolve writes is what person reads, whichever row comes first', async () => {
    const rows = await rowsOf(await openPiped(`${withoutRecord}\n${unmatched}\n\n${matched}\n`));
    expect(rows).toEqual([
      { line: 1, text: undefined, invalid: 'no record: invalid, contains a space', label: 'x y' },
      { line: 2, text: undefined, invalid: noMatch, status: 'not_found', label: 'bob' },
      { line: 4, text: 'per_1', field: 'matches.0.person_id' },
    ]);
  });

  test.each([
    ['a record', '{"person_id":" per_1 "}', { text: 'per_1', field: 'person_id' }],
    ['a key in another case', '{"Person_ID":"per_1"}', { text: 'per_1', field: 'Person_ID' }],
    ['an empty one in another case', '{"Person_ID":""}', { text: undefined, field: 'Person_ID' }],
    ['CRLF', '{"person_id":"per_1"}\r', { text: 'per_1', field: 'person_id' }],
    ['a bare string', '"per_1"', { text: 'per_1' }],
    ['a bare number', '12345678901234567890123', { text: '12345678901234567890123' }],
    [
      'null where the identifier should be',
      '{"person_id":null}',
      { text: undefined, field: 'person_id' },
    ],
    [
      'an empty one in an answered row',
      '{"person_id":"","pdi_status":"ok"}',
      { text: undefined, field: 'person_id' },
    ],
    [
      'an unanswered row',
      '{"person_id":null,"pdi_status":"not_found","pdi_error":"x"}',
      { invalid: noMatch, status: 'not_found' },
    ],
    [
      'the first that is filled',
      '{"person_id":"","matches":[{"person_id":"per_2"}]}',
      { text: 'per_2', field: 'matches.0.person_id' },
    ],
    [
      'an object where the identifier should be',
      '{"person_id":{}}',
      { invalid: 'field person_id holds an object, not an identifier' },
    ],
    ['a list', '["per_1"]', { invalid: 'the line holds an array, not an identifier' }],
    ['true', 'true', { invalid: 'the line holds true, not an identifier' }],
    ['no JSON', '{"person_id":', { invalid: 'not JSON' }],
    [
      'a record of another kind',
      '{"id":1}',
      { invalid: 'no field person_id, matches.0.person_id' },
    ],
    ['an inherited name is no field', '{"person_id":"per_1","constructor":1}', { text: 'per_1' }],
  ])('%s', async (_what, line, expected) => {
    const rows = await rowsOf(await openFile('a.ndjson', `{"person_id":"per_0"}\n${line}\n`));
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ line: 2, ...expected });
  });

  test.each([
    ['matches.0.person_id', matched, 'per_1'],
    ['query.profnet_id', matched, 'ada'],
    ['a.b', '{"a.b":"flat","a":{"b":"nested"}}', 'flat'],
    ['a.b', '{"a":{"b":"nested"}}', 'nested'],
    ['a.b.1', '{"a":{"b":["x","y"]}}', 'y'],
    ['_source.user.id', '{"_source":{"user.id":"dotted"}}', 'dotted'],
    ['a.b.c', '{"a.b":{"c":"below"}}', 'below'],
    ['a.b.c', '{"a.b":{"x":1},"a":{"b":{"c":"nested"}}}', 'nested'],
    ['a.b.0.c.d', '{"a.b":[{"c.d":"listed"}]}', 'listed'],
    ['a.b.c', '{"a.b":{"c":null}}', undefined],
  ])('--column %s of %s', async (column, line, text) => {
    expect(await rowsOf(await openFile('a.ndjson', line, { column }))).toMatchObject([
      { text, field: column },
    ]);
  });

  test('--column that a record lacks spoils that row only', async () => {
    const rows = await rowsOf(
      await openFile('a.ndjson', '{"x":1}\n{"key":"k"}\n', { column: 'key' }),
    );
    expect(rows).toEqual([
      { line: 1, text: undefined, invalid: 'no field key', label: '{"x":1}' },
      { line: 2, text: 'k', field: 'key' },
    ]);
  });

  test('a row without an identifier is known by the beginning of its text, which ends with a whole character', async () => {
    const rows = await rowsOf(
      await openFile('a.ndjson', `"per_1"\n${'x'.repeat(199)}🦊 and more\n`),
    );
    expect(rows[1]?.label).toBe('x'.repeat(199));
  });

  test('a broken first line is a row like any other', async () => {
    expect(await textsOf(await openFile('a.ndjson', 'oops\n{"person_id":"per_2"}\n'))).toEqual([
      undefined,
      'per_2',
    ]);
  });
});
