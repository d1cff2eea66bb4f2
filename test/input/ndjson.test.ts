/** NDJSON: records, groups of a resolve, bare identifiers, and lines that are none of these. */
import { describe, expect, test } from 'vitest';
import { openFile, openPiped, rowsOf, textsOf } from './reading.ts';

const matched = '{"query":{"profnet_id":"ada"},"matches":[{"person_id":"per_1"}]}';
const unmatched = '{"query":{"profnet_id":"bob"},"matches":[]}';
const withoutRecord = '{"input":"x y","pdi_status":"invalid","pdi_error":"holds white space"}';

describe('ndjson', () => {
  test('what resolve writes is what person reads, whichever row comes first', async () => {
    const rows = await rowsOf(await openPiped(`${withoutRecord}\n${unmatched}\n\n${matched}\n`));
    expect(rows).toEqual([
      { line: 1, text: undefined, invalid: 'no record in the input: invalid, holds white space', label: 'x y' },
      { line: 2, text: undefined, invalid: 'no match in the input', status: 'not_found', label: 'bob' },
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
    ['null where the identifier should be', '{"person_id":null}', { text: undefined, field: 'person_id' }],
    ['the first that is filled', '{"person_id":"","matches":[{"person_id":"per_2"}]}', { text: 'per_2', field: 'matches.0.person_id' }],
    ['an object where the identifier should be', '{"person_id":{}}', { invalid: 'field person_id holds an object, not an identifier' }],
    ['a list', '["per_1"]', { invalid: 'the line holds an array, not an identifier' }],
    ['true', 'true', { invalid: 'the line holds true, not an identifier' }],
    ['no JSON', '{"person_id":', { invalid: 'not JSON' }],
    ['a record of another kind', '{"id":1}', { invalid: 'no field person_id, matches.0.person_id' }],
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
  ])('--column %s of %s', async (column, line, text) => {
    expect(await rowsOf(await openFile('a.ndjson', line, { column }))).toMatchObject([{ text, field: column }]);
  });

  test('--column that a record lacks spoils that row only', async () => {
    const rows = await rowsOf(await openFile('a.ndjson', '{"x":1}\n{"key":"k"}\n', { column: 'key' }));
    expect(rows).toEqual([
      { line: 1, text: undefined, invalid: 'no field key', label: '{"x":1}' },
      { line: 2, text: 'k', field: 'key' },
    ]);
  });

  test('a broken first line is a row like any other', async () => {
    expect(await textsOf(await openFile('a.ndjson', 'oops\n{"person_id":"per_2"}\n'))).toEqual([undefined, 'per_2']);
  });
});
