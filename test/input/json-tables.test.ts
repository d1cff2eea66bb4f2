/** A whole table in one JSON value, as pandas' `to_json` writes it by default, is no list of records. */
import { describe, expect, it } from 'vitest';
import { expectRefused, openFile, openPiped, textsOf } from './reading.ts';

const candidates = ['company_id'];

const tables: readonly [orient: string, content: string][] = [
  ['columns', '{"company_id":{"0":"c-1","1":"c-2"},"name":{"0":"a","1":null}}'],
  ['columns, of one row', '{"company_id":{"0":"c-1"}}'],
  ['columns, with a name for each row', '{"company_id":{"a":"c-1","b":"c-2"},"name":{"a":"x","b":"y"}}'],
  ['columns, of no row', '{"company_id":{},"name":{}}'],
  ['columns, none of them wanted', '{"id":{"0":"c-1","1":"c-2"}}'],
  ['index', '{"0":{"company_id":"c-1"},"1":{"company_id":"c-2"}}'],
  ['split', '{"columns":["company_id"],"index":[0,1],"data":[["c-1"],["c-2"]]}'],
];

describe.each(tables)('a table by %s', (_orient, content) => {
  const words = /is JSON of a whole table, not a list of records$/;

  it.each(['a.json', 'a.ndjson', 'a', 'a.txt'])('is refused in %s, with what to do', async (name) => {
    await expectRefused(openFile(name, `${content}\n`, { candidates }), words, /orient="records"/);
  });

  it('is refused with --column, and in a pipe', async () => {
    await expectRefused(openFile('a.json', content, { candidates, column: 'company_id' }), words);
    await expect(openPiped(content, { candidates })).rejects.toThrow(words);
  });
});

it('a list of lists is refused too', async () => {
  await expectRefused(openFile('a.json', '[["c-1","a"],["c-2","b"]]', { candidates }), /not a list of records$/, /orient="records"/);
});

describe('a record of objects is read', () => {
  it.each([
    ['by a path', '{"old":{"id":"c-1"},"new":{"id":"c-2"}}', 'new.id', 'c-2'],
    ['by a path of numbers', '{"0":{"id":"c-1"},"1":{"id":"c-2"}}', '1.id', 'c-2'],
  ])('%s', async (_how, content, column, text) => {
    expect(await textsOf(await openFile('a.json', content, { candidates, column }))).toEqual([text]);
  });

  it('of DynamoDB, which names the type of each value', async () => {
    const line = '{"company_id":{"S":"c-1"},"name":{"S":"a"}}\n';
    expect(await textsOf(await openFile('a.ndjson', line, { candidates, column: 'company_id.S' }))).toEqual(['c-1']);
    expect(await textsOf(await openFile('a.ndjson', line, { candidates }))).toEqual([undefined]);
  });

  it('below the first record, where it spoils its row alone', async () => {
    const rows = '{"company_id":"c-1"}\n{"company_id":{"0":"c-2"}}\n{"company_id":"c-3"}\n';
    expect(await textsOf(await openFile('a.ndjson', rows, { candidates }))).toEqual(['c-1', undefined, 'c-3']);
  });
});
