/** `--column A,B`: a row without a match is asked again by its next column (contract, section Bulk input). */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { itWith } from '../support/it.ts';
import type { Answer, Handler } from '../support/origin.ts';
import { itemsIn, malformed } from '../support/records.ts';
import { fileOf, origin, rowsOf, statusesOf } from '../support/service.ts';
import { play } from '../support/transcript.ts';

/** Holds the people whose slug begins with `held`. */
const holding: Handler = ({ body }): Answer => {
  const items = itemsIn(body);
  if (items.some(({ profnet_id }) => String(profnet_id).startsWith('refused'))) return malformed;
  const matches = ({ profnet_id: slug }: (typeof items)[number]) =>
    String(slug).startsWith('held') ? [{ person_id: `per_${slug}` }] : [];
  return { json: items.map((query) => ({ query, matches: matches(query) })) };
};

const it = itWith(() => origin(holding));

const askedOf = (service: {
  readonly requests: readonly { readonly body: string }[];
}): readonly unknown[] =>
  service.requests.flatMap(({ body }) => itemsIn(body).map(({ profnet_id }) => profnet_id));

const table = (header: string, rows: readonly (readonly string[])[]): string =>
  fileOf('rows.csv', `${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`);

const job = (file: string, ...more: readonly string[]): string[] => [
  'resolve',
  '-i',
  file,
  '--column',
  'a,b,c',
  ...more,
];

/** What a row comes to, said in the plainest way. */
function expected(
  cells: readonly string[],
): readonly [status: string, matchedBy: string, id: string] {
  const filled = cells
    .map((cell, at) => ({ cell, column: 'abc'.charAt(at) }))
    .filter(({ cell }) => cell !== '');
  const found = filled.find(({ cell }) => cell.startsWith('held'));
  if (found !== undefined) return ['ok', found.column, `per_${found.cell}`];
  const isAsked = filled.some(({ cell }) => cell !== 'n/a' && !cell.startsWith('refused'));
  return [isAsked ? 'not_found' : 'invalid', '', ''];
}

describe('a row of several columns', () => {
  const cell = fc.constantFrom(
    '',
    'n/a',
    'held-1',
    'held-2',
    'held-3',
    'lost-1',
    'lost-2',
    'lost-3',
    'refused-1',
  );
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 40 });

  it('has the match of the first column that has one, and each identifier is asked once', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 4 }), async (cells, concurrency) => {
        const { service, pdi } = await origin(holding);
        const file = table('a,b,c', cells);
        const { stdout } = await pdi(
          job(file, '-o', 'csv', '--accept', 'invalid', '--concurrency', String(concurrency)),
        );
        const found = rowsOf(stdout).map((row) => [
          row.pdi_status,
          row.pdi_matched_by,
          row.person_id,
        ]);
        expect(found).toEqual(cells.map(expected));
        const asked = askedOf(service).filter((slug) => !String(slug).startsWith('refused'));
        // What is refused is asked again alone, and those beside it too.
        if (cells.flat().every((one) => !one.startsWith('refused')))
          expect(asked).toEqual([...new Set(asked)]);
      }),
      { numRuns: 40 },
    );
  });

  it.for([1, 30, 49, 51, 75, 100, 130, 199, 260])(
    'never waits for a row that waits for it: the next columns %i rows ahead',
    async (ahead, { pdi }) => {
      const cells = Array.from({ length: 600 }, (_, at) => [
        `lost-${at}`,
        `lost-${at + ahead}`,
        `${at % 9 === 0 ? 'held' : 'gone'}-${at}`,
      ]);
      const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'csv', '--concurrency', '1'));
      expect(statusesOf(stdout)).toEqual(cells.map((_, at) => (at % 9 === 0 ? 'ok' : 'not_found')));
    },
  );

  it('takes few requests more, though each batch has rows that are left', async ({
    service,
    pdi,
  }) => {
    const cells = Array.from({ length: 1000 }, (_, at) => [
      `${at % 20 === 0 ? 'lost' : 'held'}-${at}`,
      `held-again-${at}`,
      '',
    ]);
    const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'csv'));
    expect(rowsOf(stdout).map(({ pdi_matched_by }) => pdi_matched_by)).toEqual(
      cells.map((_, at) => (at % 20 === 0 ? 'b' : 'a')),
    );
    expect(service.requests).toHaveLength(21);
  });
});

play('test/road/next-column.txt', {}, { holding: () => origin(holding) });
