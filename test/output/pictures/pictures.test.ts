/** Pictures below tables: what they count, where they show, and that they fit. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { readInvestorInterest as signals } from '../../../src/contract/feed.ts';
import { listNetworkPeople as network } from '../../../src/contract/network.ts';
import { operations } from '../../../src/contract/operations.ts';
import { cellWidth } from '../../../src/output/display.ts';
import type { Formatter, Layout } from '../../../src/output/layout.ts';
import { withPicture } from '../../../src/output/pictures.ts';
import { ApiRecord } from '../../../src/rows/row.ts';
import { anyCharacter } from '../../support/any-text.ts';
import { inSandbox, newFolder, run } from '../../support/run.ts';
import { origin } from '../../support/service.ts';
import { layoutOf } from '../support.ts';

function pictured(
  { picture = [], columns, records }: Endpoint,
  formatter: Formatter,
  more: Partial<Layout> = {},
): Formatter {
  return withPicture(formatter, picture, layoutOf(columns, { records, ...more }));
}

/** Pictures begin with so many records. */
const times = 20;

/** What stands below a table whose own text is `table`, and which has each of these records 20 times. */
function below(
  endpoint: Endpoint,
  records: readonly unknown[],
  more: Partial<Layout> = {},
): string {
  const formatter = pictured(endpoint, { rows: () => '', end: () => 'table\n' }, more);
  for (const record of records)
    formatter.rows(many(times, { record: new ApiRecord(record), status: 'ok' }));
  return formatter.end().toString();
}

const dated = (...dates: readonly unknown[]) =>
  dates.map((signal_date) => ({ signal_date, signal_type: 'Talent' }));
const many = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item);

/** Labels and counts, each for once, without the bars; the first line is the title. */
const counted = (text: string): readonly string[] =>
  text
    .split('\n')
    .slice(2)
    .map((line) => line.replace(/ *█*$/, '').replace(/ {2,}/g, ' ').trim())
    .map((line) =>
      line.replace(
        /^[\d,]+(?= signals)|(?<= )[\d,]+$/g,
        (sum) => `${Number(sum.replace(',', '')) / times}`,
      ),
    )
    .filter((line) => line !== '');

describe('signals', () => {
  it('by day, the days between included, and by type', () => {
    const company = { signal_date: '2026-06-30', signal_type: 'Company' };
    const talent = { signal_date: '2026-06-28', signal_type: 'Talent' };
    expect(`\n${below(signals, [...many(6, company), ...many(3, talent)])}`).toMatchInlineSnapshot(`
      "
      table

      180 signals by signal_date (day)
        2026-06-30  120  ████████████████████████
        2026-06-29    0
        2026-06-28   60  ████████████
      By signal_type
        Company     120  ████████████████████████
        Talent       60  ████████████
      "
    `);
  });

  it.each([
    ['ten days', ['2026-06-30', '2026-06-21'], 'day', ['2026-06-30 1', '2026-06-29 0']],
    [
      'eleven days',
      ['2026-06-30', '2026-06-20'],
      'week, from Monday',
      ['2026-06-29 1', '2026-06-22 0', '2026-06-15 1'],
    ],
    [
      'over New Year',
      ['2026-01-02', '2025-12-20'],
      'week, from Monday',
      ['2025-12-29 1', '2025-12-22 0', '2025-12-15 1'],
    ],
    [
      'before 1970',
      ['1969-12-28', '1969-12-17'],
      'week, from Monday',
      ['1969-12-22 1', '1969-12-15 1'],
    ],
    ['months', ['2026-02-01', '2025-11-30'], 'week, from Monday', ['2026-01-26 1', '2026-01-19 0']],
    [
      'many weeks',
      ['2026-02-01', '2025-10-31'],
      'month',
      ['2026-02 1', '2026-01 0', '2025-12 0', '2025-11 0', '2025-10 1'],
    ],
    ['years', ['2026-02-01', '2024-10-31'], 'year', ['2026 1', '2025 0', '2024 1']],
    ['too many years', ['2026-02-01', '2010-10-31', '1999-01-01'], 'year', ['2026 1', '2025 0']],
  ])('%s', (_what, dates, unit, first) => {
    const [title, ...lines] = counted(below(signals, dated(...dates)));
    expect(title).toBe(`${dates.length} signals by signal_date (${unit})`);
    expect(lines.slice(0, first.length)).toEqual(first);
    expect(lines.indexOf('By signal_type')).toBeLessThanOrEqual(10);
  });

  it('puts what is older than ten years into the last bar', () => {
    const lines = counted(
      below(signals, dated('2026-02-01', '2017-01-01', '2010-10-31', '1999-01-01')),
    );
    expect(lines.slice(9, 12)).toEqual(['2018 0', 'to 2017 3', 'By signal_type']);
  });

  it('counts apart what is no date, and takes the day of a time', () => {
    const lines = counted(
      below(
        signals,
        dated('2026-06-30T09:00:00Z', '2026-02-30', '2026-6-1', undefined, 7, '20260630'),
      ),
    );
    expect(lines).toEqual([
      '6 signals by signal_date (day)',
      '2026-06-30 1',
      'no signal_date 5',
      'By signal_type',
      'Talent 6',
    ]);
  });

  it('names four types at the most', () => {
    const types = ['Talent', 'Talent', 'Company', 'A', 'B', 'C', undefined, 'Company'];
    const records = types.map((signal_type) => ({ signal_date: '2026-06-30', signal_type }));
    const lines = counted(below(signals, records));
    expect(lines.slice(lines.indexOf('By signal_type') + 1)).toEqual([
      'Company 2',
      'Talent 2',
      'A 1',
      'others 3',
    ]);
  });

  it('keeps a thousand types, and counts later ones together, however frequent', () => {
    const types = [
      ...Array.from({ length: 1000 }, (_, index) => `type ${1000 + index}`),
      ...many(50, 'late'),
    ];
    const records = types.map((signal_type) => ({ signal_date: '2026-06-30', signal_type }));
    expect(counted(below(signals, records)).slice(-4)).toEqual([
      'type 1000 1',
      'type 1001 1',
      'type 1002 1',
      'others 1047',
    ]);
  });
});

it('counts neither truth values nor counts nor lists', () => {
  const counted = Object.values<Endpoint>(operations).flatMap(({ picture, columns }) =>
    columns.filter(({ name }) => picture?.includes(name)),
  );
  expect(counted.map(({ name, kind }) => [name, kind])).toEqual([
    ['signal_date', 'date'],
    ['signal_type', 'text'],
    ['primary_role', 'text'],
  ]);
});

describe('any picture', () => {
  it('shows for twenty records or more', () => {
    const end = (count: number): string => {
      const formatter = pictured(network, { rows: () => '', end: () => '' });
      formatter.rows(
        many(count, { record: new ApiRecord({ primary_role: 'founder' }), status: 'ok' }),
      );
      formatter.rows([{ input: 'x', status: 'failed', error: 'no' }]);
      return formatter.end().toString();
    };
    expect([end(0), end(19)]).toEqual(['', '']);
    expect(end(20)).toMatch(/^\n20 people by primary_role\n {2}founder {2}20 {2}█+\n$/);
  });

  it('is plain without colour', () => {
    const colored = below(signals, dated('2026-06-30', '2026-06-29'), { color: true });
    expect(colored).not.toBe(stripVTControlCharacters(colored));
    expect(stripVTControlCharacters(colored)).toBe(
      below(signals, dated('2026-06-30', '2026-06-29')),
    );
  });

  it('fits into 20 to 300 cells, whatever the service sends, and sends it no control characters', () => {
    const name = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 120 }),
      fc.constantFrom('\u001b[31mred', '漢字'.repeat(30), null, 3),
    );
    const record = fc.record({
      signal_date: fc.oneof(
        name,
        fc.constantFrom('2026-06-30', '2026-06-01', '0001-01-01', '9999-12-31'),
      ),
      signal_type: name,
      primary_role: name,
    });
    const names = fc.constantFrom<Endpoint[]>(signals, network);
    fc.assert(
      fc.property(
        names,
        fc.array(record, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 20, max: 300 }),
        (which, records, width) => {
          const text = below(which, records, { width });
          for (const line of text.split('\n')) expect(cellWidth(line)).toBeLessThanOrEqual(width);
          expect(text).not.toMatch(/[^\P{Cc}\n]/u);
          expect(text.split('\n').length).toBeLessThanOrEqual(20);
        },
      ),
    );
  });
});

describe('where nobody looks', () => {
  const feed = [...inSandbox, 'feed', '--limit', '20'];
  const terminal = { terminal: true };

  it.each([
    ['a pipe', ['-o', 'table'], {}],
    ['a pipe with colour', ['-o', 'table', '--color'], {}],
    ['--quiet', ['--quiet'], terminal],
    ['--fields', ['--fields', 'signal_id,signal_date,signal_type'], terminal],
    ['json', ['-o', 'json'], terminal],
    ['ndjson', ['-o', 'ndjson'], terminal],
    ['csv', ['-o', 'csv'], terminal],
    ['one record', ['--limit', '1'], terminal],
    ['--out -', ['-o', 'table', '--out', '-'], terminal],
    ['--out', ['-o', 'table', '--out', `${newFolder()}/feed.txt`], terminal],
  ])('%s has no picture', async (_what, flags, options) => {
    const { stdout, code } = await run([...feed, ...flags], options);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/█|signals by/);
  });

  it('has one where only the format is named', async () => {
    expect((await run([...feed, '-o', 'table'], terminal)).stdout).toMatch(/█/);
  });
});

it('a run that ends early draws what the table shows', async () => {
  const page = Array.from({ length: 50 }, (_, index) => ({
    signal_id: `id-${index}`,
    signal_date: '2026-06-30',
    signal_type: 'Talent',
  }));
  const { pdi } = await origin((_request, _response, count) =>
    count === 1 ? { json: page } : { status: 404, json: {} },
  );
  const { stdout, code } = await pdi('feed --all --no-color', { terminal: true });
  expect(code).toBe(4);
  expect(stdout).toMatch(
    /\n\n50 signals by signal_date \(day\)\n {2}2026-06-30 {2}50 {2}█+\nBy signal_type\n {2}Talent {6}50 {2}█+\n$/,
  );
});
