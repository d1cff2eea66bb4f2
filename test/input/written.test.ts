/** Whatever the formats write is read back: identifiers, own cells, and the cells of a row. */
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Column } from '../../src/contract/columns.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { createFormatter, type OutputFormat } from '../../src/output/formats.ts';
import { ApiRecord, type ResultRow } from '../../src/rows/row.ts';
import { layoutOf } from '../output/support.ts';
import { openPiped, rowsOf } from './reading.ts';

const columns: readonly Column[] = [
  { name: 'person_id', kind: 'id', inTable: true },
  { name: 'profnet_num_id', kind: 'id', numeric: true, inTable: true },
  { name: 'about', kind: 'text', inTable: true },
  { name: 'year', kind: 'count', inTable: true },
  { name: 'day', kind: 'date', inTable: true },
];

/** There are no control characters, because the XML of a workbook cannot hold them. */
const text = fc.string({
  unit: fc.constantFrom(
    'a',
    'é',
    '山',
    '🦊',
    ',',
    ';',
    '"',
    "'",
    '\n',
    ' ',
    '<',
    '&',
    '{',
    '[',
    '0',
  ),
  maxLength: 8,
});
const record = fc.record({
  person_id: fc.stringMatching(/^per_[A-Za-z0-9_é-]{1,12}$/),
  profnet_num_id: fc
    .bigInt({ min: 1n, max: 10n ** 22n })
    .map((digits) => new ExactNumber(String(digits))),
  about: text,
  year: fc.integer({ min: -99_999, max: 10 ** 14 }),
  day: fc
    .date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
});
const records = fc.array(record, { minLength: 1, maxLength: 8 });

async function written(format: OutputFormat, rows: readonly ResultRow[]): Promise<Buffer> {
  const formatter = await createFormatter(format, layoutOf(columns, { formulaGuard: false }));
  const pieces = rows.map((one) => Buffer.from(formatter.rows([one])));
  return Buffer.concat([...pieces, Buffer.from(formatter.end())]);
}

const packed = fc.boolean();
const size = fc.constantFrom(1, 13, 100_000);

test.each(['csv', 'json', 'ndjson', 'xlsx'] as const)(
  '%s',
  { timeout: 300_000 },
  async (format) => {
    await fc.assert(
      fc.asyncProperty(records, packed, size, async (values, isPacked, size) => {
        const bytes = await written(
          format,
          values.map((value): ResultRow => ({ record: new ApiRecord(value), status: 'ok' })),
        );
        for (const column of ['person_id', 'profnet_num_id'] as const) {
          const input = await openPiped(
            isPacked ? gzipSync(bytes) : bytes,
            { candidates: [column] },
            size,
          );
          const rows = await rowsOf(input);
          expect(rows.map(({ text, field, invalid }) => [text, field, invalid])).toEqual(
            values.map((value) => [String(value[column]), column, undefined]),
          );
          if (input.own === undefined) continue;
          expect(input.own.header).toEqual(columns.map(({ name }) => name));
          expect(rows.map(({ own }) => own?.cells)).toEqual(
            values.map((value) =>
              columns.map(({ name }) =>
                String(Object.entries(value).find(([key]) => key === name)?.[1]),
              ),
            ),
          );
        }
      }),
      { numRuns: 12 },
    );
  },
);
