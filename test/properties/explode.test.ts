/** `--explode` against an unnesting that is written here once more, over answers that are drawn. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idIn } from '../support/records.ts';
import { asRecord, fileOf, linesOf, newFile, origin, pdi, rowsOf } from '../support/service.ts';

const word = fc.constantFrom('Ada', 'a, "b"', '=1+1', '', '株', 'x; y', 'two\nlines');
const job = fc.record(
  {
    title: fc.option(word),
    company_name: word,
    is_current: fc.boolean(),
    job_order: fc.option(fc.nat(99)),
    departments: fc.array(fc.constantFrom('Sales', 'R&D'), { maxLength: 3 }),
    tech_verticals: fc.array(fc.tuple(fc.constant('A'), fc.constant('B')), { minLength: 1, maxLength: 2 }),
    field_of_tomorrow: fc.constant({ deep: [1] }),
  },
  { requiredKeys: ['company_name'] },
);
const profile = fc.record(
  { full_name: fc.option(word), experience: fc.option(fc.array(job, { maxLength: 5 })), skills: fc.array(word, { maxLength: 4 }) },
  { requiredKeys: [] },
);
/** A row of the input has a note of its own, and a person who may not be there. */
const rows = fc.array(fc.record({ note: word, profile: fc.option(profile, { freq: 4 }) }), { minLength: 1, maxLength: 12 });

type Fields = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, string>>;

/** The text of a cell, as the contract says. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && !value.some((item) => typeof item === 'object')) return value.join('; ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface Item {
  readonly number: number | null;
  readonly element: unknown;
}

function itemsOf(record: Fields, list: string): readonly Item[] {
  const elements = record[list];
  if (!Array.isArray(elements) || elements.length === 0) return [{ number: null, element: null }];
  return elements.map((element: unknown, index) => ({ number: index + 1, element }));
}

const elementColumns = ['title', 'company_name', 'is_current', 'job_order', 'departments', 'tech_verticals'];

function cellsOf({ number, element }: Item, list: string): Row {
  if (list === 'skills') return { pdi_item: textOf(number), skills: textOf(element) };
  const fields = element === null ? {} : asRecord(element);
  return { pdi_item: textOf(number), ...Object.fromEntries(elementColumns.map((name) => [`${list}.${name}`, textOf(fields[name])])) };
}

const pick = (row: Row, names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name] ?? 'NO SUCH COLUMN']));

it.each(['experience', 'skills'])(
  '%s: as many rows as elements, with their values, in every drawn set',
  { timeout: 120_000 },
  async (list) => {
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const people = drawn.map(({ note, profile }, index) => {
          const person_id = `per_${index}`;
          return { note, person_id, record: profile === null ? undefined : { person_id, ...profile } };
        });
        const { pdi: ask } = await origin(({ path }) => {
          const record = people.find(({ person_id }) => person_id === idIn(path))?.record;
          return record === undefined ? { status: 404, json: {} } : { json: record };
        });
        const header = 'note,person_id\n';
        const input = fileOf(
          'in.csv',
          header + people.map(({ note, person_id }) => `"${note.replaceAll('"', '""')}",${person_id}\n`).join(''),
        );
        const argv = ['person', '-i', input, '--explode', list, '--quiet'];

        const expected = people.flatMap(({ note, person_id, record }): readonly Row[] => {
          if (record === undefined)
            return [{ note, person_id, person_person_id: '', full_name: '', ...cellsOf({ number: null, element: null }, list) }];
          const repeated = { note, person_id, person_person_id: person_id, full_name: textOf(record.full_name) };
          return itemsOf(record, list).map((item) => ({ ...repeated, ...cellsOf(item, list) }));
        });
        const csv = rowsOf((await ask([...argv, '-o', 'csv', '--no-formula-guard'])).stdout);
        expect(csv.map((row) => pick(row, Object.keys(expected[0] ?? {})))).toEqual(expected);
        expect(csv.map(({ pdi_status }) => pdi_status)).toEqual(expected.map((row) => (row.person_person_id === '' ? 'not_found' : 'ok')));

        const objects = people.flatMap(({ person_id, record }): readonly unknown[] => {
          if (record === undefined) return [{ input: person_id, pdi_status: 'not_found', pdi_error: expect.any(String) }];
          return itemsOf(record, list).map(({ number, element }) => ({ ...record, [list]: element, pdi_item: number }));
        });
        const ndjson = (await ask([...argv, '-o', 'ndjson'])).stdout;
        expect(linesOf(ndjson).map((line): unknown => JSON.parse(line))).toEqual(objects);

        const bought = newFile('bought.json');
        await ask(['person', '-i', input, '--out', bought]);
        const again = await pdi(['convert', bought, '--from', 'person', '--explode', list, '-o', 'ndjson']);
        expect(again.stdout).toBe(ndjson);
      }),
      { numRuns: 5 },
    );
  },
);
