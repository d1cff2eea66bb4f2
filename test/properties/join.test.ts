/** CSV in, CSV out, through the whole program: what stood in the input stands in the output, byte for byte. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Origin, startOrigin } from '../support/origin.ts';
import { idIn } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against } from '../support/service.ts';

let service: Origin;
const folder = newFolder();

beforeAll(async () => {
  service = await startOrigin(({ path }) => {
    const id = idIn(path);
    return id.endsWith('404') ? { status: 404, json: {} } : { json: { person_id: id, about: 'a, "quoted"\nabout', full_name: '=1+1' } };
  });
});
afterAll(() => service.close());

const delimiter = fc.constantFrom(',', ';', '\t');
const lineEnd = fc.constantFrom('\n', '\r\n');
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ',',
      ';',
      '"',
      '\n',
      '\r\n',
      '\t',
      '=',
      '-',
      '@',
      "'",
      ' ',
      '0',
      'ä',
      '株',
      '👩‍💻',
      '\u00a0',
      '\u202e',
      '\u001b',
      '\ufeff',
    ),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  ),
  maxLength: 8,
});
/** A cell, and whether it is quoted although it need not be. */
const cell = fc.record({ text, quoted: fc.boolean() });
const row = fc.record({ before: cell, id: fc.integer({ min: 1, max: 9 }), missing: fc.boolean(), after: cell });
const table = fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 8 }), delimiter, lineEnd, last: fc.boolean(), bom: fc.boolean() });

function written(cell: { text: string; quoted: boolean }, delimiter: string): string {
  const special = [delimiter, '"', '\n', '\r'].some((one) => cell.text.includes(one));
  return special || cell.quoted ? `"${cell.text.replaceAll('"', '""')}"` : cell.text;
}

it('every row comes back in its place, its own cells as they were', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ rows, delimiter, lineEnd, last, bom }) => {
      const header = ['note', 'person_id', 'more'].join(delimiter);
      const lines = rows.map(({ before, id, missing, after }) =>
        [written(before, delimiter), `per_${id}${missing ? '404' : ''}`, written(after, delimiter)].join(delimiter),
      );
      const file = join(folder, 'in.csv');
      writeFileSync(file, (bom ? '\ufeff' : '') + [header, ...lines].join(lineEnd) + (last ? lineEnd : ''));
      const { code, stdout } = await against(service, ['person', '-i', file, '-o', 'csv', '--fields', 'person_id,about,full_name']);
      expect(code).toBe(rows.some(({ missing }) => missing) ? 8 : 0);
      const answers = rows.map(({ id, missing }) => {
        const ours = missing ? ['', '', '', 'not_found'] : [`per_${id}`, '"a, ""quoted""\nabout"', "'=1+1", 'ok'];
        return ours.join(delimiter);
      });
      let rest = stdout;
      for (const [index, line] of [header, ...lines].entries()) {
        const expected = `${line}${delimiter}${index === 0 ? 'person_person_id' : answers[index - 1]}`;
        expect(rest.slice(0, expected.length)).toBe(expected);
        // What follows is our error column, or our header: no line end in either.
        rest = rest.slice(rest.indexOf(lineEnd, expected.length) + lineEnd.length);
      }
      expect(rest).toBe('');
    }),
    { numRuns: 40 },
  );
});
