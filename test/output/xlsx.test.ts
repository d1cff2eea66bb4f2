/** How much a sheet holds: Excel opens no book with a sheet of one row more. */
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { createFormatter } from '../../src/output/formats.ts';
import { ApiRecord } from '../../src/rows/record.ts';
import type { ResultRow } from '../../src/rows/result-row.ts';
import { defaults, layoutOf } from './support.ts';

const mostRows = 1_048_576;

/** Rows in each sheet of a book with so many records of no columns. */
async function rowsInSheets(records: number, header: boolean): Promise<readonly number[]> {
  const formatter = await createFormatter('xlsx', layoutOf([]), { ...defaults, header });
  const rows = Array<ResultRow>(8192).fill({ record: new ApiRecord({}), status: 'ok' });
  const pieces: Uint8Array[] = [];
  const take = (output: string | Uint8Array) => pieces.push(Buffer.from(output));
  for (let left = records; left > 0; left -= rows.length) take(formatter.rows(left < rows.length ? rows.slice(0, left) : rows));
  take(formatter.end());
  const parts = Object.entries(unzipSync(Buffer.concat(pieces), { filter: ({ name }) => /sheet\d+\.xml$/.test(name) }));
  return parts.map(([, xml]) => strFromU8(xml).split('<row>').length - 1);
}

it.each([
  [mostRows, true, [mostRows, 2]],
  [mostRows, false, [mostRows]],
])('puts %i records (header: %s) into sheets of as many rows as they take', async (records, header, sheets) => {
  expect(await rowsInSheets(records, header)).toEqual(sheets);
});
