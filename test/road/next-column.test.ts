/** `--column A,B`: a row without a match is asked again by its next column (contract, section Bulk input). */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { itWith } from '../support/it.ts';
import type { Answer, Handler } from '../support/origin.ts';
import { itemsIn, malformed, profile } from '../support/records.ts';
import { arrayOf, fileOf, linesOf, newFile, objectOf, origin, rowsOf, statusesOf } from '../support/service.ts';

/** Holds the people whose slug begins with `held`. */
const holding: Handler = ({ body }): Answer => {
  const items = itemsIn(body);
  if (items.some(({ profnet_id }) => String(profnet_id).startsWith('refused'))) return malformed;
  const matches = ({ profnet_id: slug }: (typeof items)[number]) => (String(slug).startsWith('held') ? [{ person_id: `per_${slug}` }] : []);
  return { json: items.map((query) => ({ query, matches: matches(query) })) };
};

const it = itWith(() => origin(holding));

const askedOf = (service: { readonly requests: readonly { readonly body: string }[] }): readonly unknown[] =>
  service.requests.flatMap(({ body }) => itemsIn(body).map(({ profnet_id }) => profnet_id));

const table = (header: string, rows: readonly (readonly string[])[]): string =>
  fileOf('rows.csv', `${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`);

const job = (file: string, ...more: readonly string[]): string[] => ['resolve', '-i', file, '--column', 'a,b,c', ...more];

/** What a row comes to, said in the plainest way. */
function expected(cells: readonly string[]): readonly [status: string, matchedBy: string, id: string] {
  const filled = cells.map((cell, at) => ({ cell, column: 'abc'.charAt(at) })).filter(({ cell }) => cell !== '');
  const found = filled.find(({ cell }) => cell.startsWith('held'));
  if (found !== undefined) return ['ok', found.column, `per_${found.cell}`];
  const isAsked = filled.some(({ cell }) => cell !== 'n/a' && !cell.startsWith('refused'));
  return [isAsked ? 'not_found' : 'invalid', '', ''];
}

describe('a row of several columns', () => {
  const cell = fc.constantFrom('', 'n/a', 'held-1', 'held-2', 'held-3', 'lost-1', 'lost-2', 'lost-3', 'refused-1');
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 40 });

  it('has the match of the first column that has one, and each identifier is asked once', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 4 }), async (cells, concurrency) => {
        const { service, pdi } = await origin(holding);
        const file = table('a,b,c', cells);
        const { stdout } = await pdi(job(file, '-o', 'csv', '--concurrency', String(concurrency)));
        const found = rowsOf(stdout).map((row) => [row.pdi_status, row.pdi_matched_by, row.person_id]);
        expect(found).toEqual(cells.map(expected));
        const asked = askedOf(service).filter((slug) => !String(slug).startsWith('refused'));
        // What is refused is asked again alone, and those beside it too.
        if (cells.flat().every((one) => !one.startsWith('refused'))) expect(asked).toEqual([...new Set(asked)]);
      }),
      { numRuns: 40 },
    );
  });

  it.for([1, 30, 49, 51, 75, 100, 130, 199, 260])(
    'never waits for a row that waits for it: the next columns %i rows ahead',
    async (ahead, { pdi }) => {
      const cells = Array.from({ length: 600 }, (_, at) => [`lost-${at}`, `lost-${at + ahead}`, `${at % 9 === 0 ? 'held' : 'gone'}-${at}`]);
      const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'csv', '--concurrency', '1'));
      expect(statusesOf(stdout)).toEqual(cells.map((_, at) => (at % 9 === 0 ? 'ok' : 'not_found')));
    },
  );

  it('takes few requests more, though each batch has rows that are left', async ({ service, pdi }) => {
    const cells = Array.from({ length: 1000 }, (_, at) => [`${at % 20 === 0 ? 'lost' : 'held'}-${at}`, `held-again-${at}`, '']);
    const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'csv'));
    expect(rowsOf(stdout).map(({ pdi_matched_by }) => pdi_matched_by)).toEqual(cells.map((_, at) => (at % 20 === 0 ? 'b' : 'a')));
    expect(service.requests).toHaveLength(21);
  });

  it.each(['csv', 'ndjson'])('found by its next column is in FILE for the run that goes on: %s', async (format) => {
    let last = 12;
    const { service, pdi } = await origin((request, response, count) =>
      count > last ? { status: 403 } : holding(request, response, count),
    );
    const cells = Array.from({ length: 1000 }, (_, at) => ({ a: `${at < 20 ? 'lost' : 'held'}-${at}`, b: `held-again-${at}`, c: '' }));
    const lines = `${cells.map((row) => JSON.stringify(row)).join('\n')}\n`;
    const file = format === 'csv' ? table('a,b,c', cells.map(Object.values)) : fileOf('rows.ndjson', lines);
    const [out, whole] = [newFile(`out.${format}`), newFile(`whole.${format}`)];
    expect((await pdi(job(file, '--out', out, '--concurrency', '1'))).code).toBe(3);
    const before = askedOf(service).length;
    last = Number.POSITIVE_INFINITY;
    expect((await pdi(job(file, '--out', out))).code).toBe(0);
    expect(askedOf(service).slice(before)).not.toContain('lost-0');
    await pdi(job(file, '--out', whole));
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  });

  it('a row whose column got no answer is failed, and its next column is not asked', async () => {
    const { service, pdi } = await origin(() => ({ status: 500, json: {} }));
    const { stdout } = await pdi(job(table('a,b,c', [['held-1', 'held-2', '']]), '-o', 'csv', '--retries', '0'));
    expect(rowsOf(stdout)).toMatchObject([{ pdi_status: 'failed', pdi_matched_by: '' }]);
    expect(askedOf(service)).toEqual(['held-1']);
  });

  it('a row with too many cells is invalid, whatever its columns hold', async ({ service, pdi }) => {
    const { stdout } = await pdi(job(table('a,b,c', [['held-1', 'held-2', 'x', 'y']]), '-o', 'csv'));
    expect(rowsOf(stdout)).toMatchObject([{ pdi_status: 'invalid' }]);
    expect(service.requests).toEqual([]);
  });
});

describe('pdi_matched_by', () => {
  const cells = ['lost,held-1,', ',@held-2,', 'lost,,', ',,'].map((row) => row.split(','));

  it('stands beside pdi_status in csv', async ({ pdi }) => {
    const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'csv', '--fields', 'query.profnet_id,pdi_matched_by'));
    expect(linesOf(stdout)).toEqual([
      'a,b,c,query.profnet_id,pdi_matched_by,pdi_status,pdi_error',
      'lost,held-1,,held-1,b,ok,',
      ',@held-2,,held-2,b,ok,',
      'lost,,,lost,,not_found,no match',
      ',,,,,invalid,the row has no identifier',
    ]);
    const all = await pdi(job(table('a,b,c', cells), '-o', 'csv'));
    expect(linesOf(all.stdout)[0]).toMatch(/,pdi_matched_by,pdi_status,pdi_error$/);
  });

  it.for(['json', 'ndjson'])('is a key of each record in %s', async (format, { pdi }) => {
    const result = await pdi(job(table('a,b,c', cells), '-o', format));
    const records = format === 'json' ? arrayOf(result) : linesOf(result.stdout).map((line) => objectOf({ ...result, stdout: line }));
    expect(records).toEqual([
      { query: { profnet_id: 'held-1' }, matches: [{ person_id: 'per_held-1' }], pdi_matched_by: 'b' },
      { query: { profnet_id: 'held-2' }, matches: [{ person_id: 'per_held-2' }], pdi_matched_by: 'b' },
      { query: { profnet_id: 'lost' }, matches: [], pdi_matched_by: null },
      { input: '', pdi_status: 'invalid', pdi_error: 'the row has no identifier' },
    ]);
  });

  it('is a column of tables', async ({ pdi }) => {
    const { stdout } = await pdi(job(table('a,b,c', cells), '-o', 'table', '--fields', 'query.profnet_id,pdi_matched_by'));
    expect(stdout).toMatch(/held-2 +held-2 +b\n|held-2 +b\n/);
  });

  it('is not there where one column was named, or none', async ({ pdi }) => {
    for (const more of [['--column', 'b'], []]) {
      const file = table('a,b,profnet_id', cells);
      const { stdout } = await pdi(['resolve', '-i', file, '-o', 'csv', ...more]);
      expect(linesOf(stdout)[0]).not.toContain('matched');
    }
  });
});

it('person takes the first column that is filled, and no other: it is charged', async () => {
  const { service, pdi } = await origin(({ path }) => (path.endsWith('per_1') ? profile(path) : { status: 404, json: {} }));
  const file = fileOf('rows.csv', 'a,b\n,per_1\nper_2,per_1\nn/a,per_1\n');
  const { stdout } = await pdi(['person', '-i', file, '--column', 'a,b', '-o', 'csv', '--fields', 'person_id,pdi_matched_by']);
  expect(rowsOf(stdout).map(({ person_id, pdi_matched_by, pdi_status }) => [person_id, pdi_matched_by, pdi_status])).toEqual([
    ['per_1', 'b', 'ok'],
    ['', '', 'not_found'],
    ['per_1', 'b', 'ok'],
  ]);
  expect(service.requests.map(({ path }) => path.split('/').at(-1)).sort()).toEqual(['per_1', 'per_2']);
});
