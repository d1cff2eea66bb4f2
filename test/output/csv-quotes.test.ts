/** Lines that need no quotes take a short way; it must give what csv-stringify gives. */
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../src/contract/columns.ts';
import { layoutOf, rendered } from './support.ts';

const columns: readonly Column[] = ['a', 'b', 'c'].map((name) => ({ name, kind: 'text', inTable: true }));
const cell = fc.string({ unit: fc.constantFrom('x', ' ', ',', ';', '"', '\r', '\n', 'é') });

it.each([',', ';', 'x'])('quotes what csv-stringify quotes, with the delimiter %s', async (delimiter) => {
  const options = { header: false, formulaGuard: false, delimiter };
  await fc.assert(
    fc.asyncProperty(fc.tuple(cell, cell, cell), async ([a, b, c]) => {
      const csv = await rendered('csv', layoutOf(columns), [{ status: 'ok', record: { a, b, c } }], options);
      expect(csv).toBe(`${stringify([[a, b, c]], { delimiter, record_delimiter: '' })}\r\n`);
    }),
  );
});
