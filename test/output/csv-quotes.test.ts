/** Cells that need no quotes take a short way, the others are quoted many at a time: it must give what csv-stringify gives line by line. */
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../src/contract/columns.ts';
import { createFormatter } from '../../src/output/format.ts';
import { ApiRecord } from '../../src/rows/record.ts';
import { defaults, layoutOf } from './support.ts';

const columns: readonly Column[] = ['a', 'b', 'c'].map((name) => ({ name, kind: 'text', inTable: true }));
const cell = fc.string({ unit: fc.constantFrom('x', ' ', ',', ';', '"', '\r', '\n', 'é', '\u001e') });

it.each([',', ';', 'x'])('quotes what csv-stringify quotes, with the delimiter %s', async (delimiter) => {
  const options = { header: false, formulaGuard: false, delimiter };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }), async (lines) => {
      const formatter = await createFormatter('csv', layoutOf(columns), { ...defaults, ...options });
      const csv = formatter.rows(lines.map(([a, b, c]) => ({ status: 'ok', record: new ApiRecord({ a, b, c }) })));
      expect(csv).toBe(lines.map((line) => `${stringify([line], { delimiter, record_delimiter: '' })}\r\n`).join(''));
    }),
  );
});
