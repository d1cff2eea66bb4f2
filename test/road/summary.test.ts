/** The last line of a job says why rows are not ok. */
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { fileOf, linesFile, linesOf, origin, rowsOf, summaryOf } from '../support/service.ts';

const csv = (cells: readonly string[]): string =>
  fileOf('crm.csv', `profnet_url,name\n${cells.map((cell) => `${cell},x\n`).join('')}`);
const times = (count: number, cell: string): readonly string[] => Array<string>(count).fill(cell);
const cells = [
  ...times(2, 'https://www.profnet.example/in/ada-sample-1'),
  ...times(6, ''),
  ...times(4, 'http://'),
  ...times(2, 'x/y'),
  'two words',
];

describe('the summary of a job', () => {
  it('gives the commonest reasons in words, three at most', async ({ pdi }) => {
    const result = await pdi(['resolve', '-i', csv(cells), '-o', 'csv', '--column', 'profnet_url']);
    expect([result.code, rowsOf(result.stdout)]).toEqual([
      8,
      expect.objectContaining({ length: cells.length }),
    ]);
    const [closing = '', ...more] = linesOf(result.stderr);
    expect(closing).toMatch(
      /^pdi: 15 rows: 2 ok, 13 invalid; reasons: 6 blank, 6 not a URL, 1 contains a space; 0 calls billed; \d+\.\d s$/,
    );
    // Only what would make it 0 follows, without the counts.
    expect(more).toEqual([
      'pdi: 13 of 15 rows are not ok; pdi_status and pdi_error say what became of each row',
    ]);
  });

  it('says with dots that there are more', async ({ pdi }) => {
    const more = [...cells, ...times(2, '1.23E+15')];
    const { stderr } = await pdi(['resolve', '-i', csv(more), '-o', 'csv']);
    expect(stderr).toContain('; reasons: 6 blank, 6 not a URL, 2 a rounded number, …; ');
  });

  it('has them as numbers by reason in JSON, beside all that was there before', async ({ pdi }) => {
    const result = await pdi([
      'person',
      '-i',
      linesFile(['per_sample1', 'per_nobody', 'per_noone', 'nobody']),
      '-o',
      'ndjson',
    ]);
    expect([result.code, linesOf(result.stdout).length]).toEqual([8, 4]);
    const summary = summaryOf(result);
    expect(summary.reasons).toEqual({ 'not found (404)': 2, 'not a person id': 1 });
    expect(Object.keys(summary)).toEqual([
      ...['rows', 'ok', 'not_found', 'invalid', 'unknown', 'failed', 'skipped', 'reasons'],
      ...[
        'from_book',
        'from_journal',
        'oldest_bought_at',
        'calls_billed',
        'calls_unknown',
        'seconds',
        'resume',
      ],
    ]);
  });

  it('adds up: what is billed, repeated, and from the book', async ({ pdi }) => {
    const ids = linesFile([
      'per_sample1',
      'per_sample2',
      'per_sample1',
      'per_sample1',
      'per_nobody',
    ]);
    await pdi('person per_sample2 -q --max-age 1h');
    const { stderr } = await pdi(`person -i ${ids} -o csv --max-age 1h`);
    expect(stderr).toContain(
      '5 rows: 4 ok, 1 not found; reasons: 1 not found (404); 1 call billed; 2 repeated; 1 from the book, ',
    );
    expect(summaryOf(await pdi(`person -i ${ids} -o ndjson --max-age 0`)).repeated).toBe(2);
  });

  it('has no reason where all rows are ok, or say no more than that nothing was found', async ({
    pdi,
  }) => {
    const found = await pdi('resolve ada-sample-1 nobody-at-all -o csv');
    expect([found.code, found.stderr]).toEqual([
      0,
      expect.stringMatching(/^pdi: 2 rows: 1 ok, 1 not found; 0 calls billed; \d+\.\d s\n$/),
    ]);
    expect(summaryOf(await pdi('person per_sample1 per_sample2 -o json')).reasons).toEqual({});
  });

  it('leaves rows out that were not sent: the failure says why', async () => {
    const { pdi } = await origin(({ path }) =>
      path.endsWith('per_1') ? { status: 404 } : { status: 401 },
    );
    const result = await pdi('person per_1 per_2 per_3 -o json --concurrency 1');
    expect([result.code, summaryOf(result)]).toEqual([
      3,
      expect.objectContaining({ skipped: 2, reasons: { 'not found (404)': 1 } }),
    ]);
  });

  it('sends nothing to a terminal that a service put into a reason', async () => {
    const { pdi } = await origin(() => ({ status: 422, json: { message: 'a\u001b[31m, red' } }));
    const { stderr } = await pdi('person per_1 per_2 -o csv');
    expect(stderr).toContain('; reasons: 2 the request was refused as malformed (422); ');
    expect(stderr).not.toContain('\u001b');
  });

  it('of pages has none: their rows answer no input', async ({ pdi }) => {
    expect(summaryOf(await pdi('feed --all --max-pages 2 -o ndjson'))).not.toHaveProperty(
      'reasons',
    );
  });
});
