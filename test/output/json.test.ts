import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getCompanyLatestRevenue } from '../../src/contract/revenue.ts';
import { createFormatter } from '../../src/output/formats.ts';
import { chooseColumns } from '../../src/output/layout.ts';
import { ApiRecord } from '../../src/rows/row.ts';
import { layoutOf, type Row, rendered, resultRow } from './support.ts';

const { columns } = getCompanyLatestRevenue;
const list = layoutOf(columns);
const ok = (record: unknown): Row => ({ status: 'ok', record });

describe('json', () => {
  it('is written in whole lines: what is drawn on the terminal meanwhile has a line of its own', async () => {
    const formatter = await createFormatter('json', list);
    const pieces = [[ok({ id: 'a' }), ok({})], [], [ok({ id: 'b' })], [ok(7)]].map((rows) =>
      formatter.rows(rows.map(resultRow)),
    );
    for (const piece of pieces) expect(piece).toMatch(/^$|\n$/);
    expect(JSON.parse([...pieces, formatter.end()].join(''))).toEqual([
      { id: 'a' },
      {},
      { id: 'b' },
      7,
    ]);
  });

  it('gives back any records, after any number of rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: 'binary' })), async (records) => {
        const expected: unknown = JSON.parse(JSON.stringify(records));
        expect(JSON.parse(await rendered('json', list, records.map(ok)))).toEqual(expected);
        const lines = (await rendered('ndjson', list, records.map(ok))).split('\n').slice(0, -1);
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual(expected);
      }),
    );
  });

  it('is what came, but for what a terminal would obey, and for records that have no text of their own', async () => {
    const sent: readonly Row[] = [
      { status: 'ok', record: new ApiRecord({ n: 1, b: 2 }, '{"n":1.0,"b":2}') },
      { status: 'ok', record: new ApiRecord({ n: 3 }, '{"n":3.0}') },
    ];
    const unsafe: Row = {
      status: 'ok',
      record: new ApiRecord({ x: '\u202e', n: 1 }, '{"x":"\u202e","n":1.0}'),
    };
    const written: Row = { status: 'ok', record: { y: [1] } };
    const cameSo = '{"n":1.0,"b":2}\n{"n":3.0}\n';
    expect(await rendered('ndjson', list, sent)).toBe(cameSo);
    expect(await rendered('ndjson', list, [...sent, unsafe])).toBe(
      `${cameSo}{"x":"\\u202e","n":1.0}\n`,
    );
    expect(await rendered('ndjson', list, [...sent, written])).toBe(`${cameSo}{"y":[1]}\n`);
    const chosen = layoutOf([], chooseColumns('n', [{ name: 'n', kind: 'count', inTable: true }]));
    expect(await rendered('ndjson', chosen, sent)).toBe('{"n":1}\n{"n":3}\n');
  });
});
