import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, FieldKind } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { getPerson } from '../../src/contract/person.ts';
import { getCompanyLatestRevenue } from '../../src/contract/revenue.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { cardTexts, cellText, cellWidth } from '../../src/output/display.ts';
import { createFormatter } from '../../src/output/formats.ts';
import { anyCharacter } from '../support/any-text.ts';
import { layoutOf, type Row, rendered, resultRow } from './support.ts';

const column = (name: string, kind: FieldKind = 'text'): Column => ({ name, kind, inTable: true });
const reported = { latest_revenue_reported_usd: 999_950, revenue_type: 'ARR' };
const lost =
  'the answer was lost and the call may have been billed; it is not sent again unless --retry-unknown';
const revenueOf = (
  id: string,
  company_name: string,
  est_revenue_usd: number,
  growth: number,
): Row => ({
  input: id,
  status: 'ok',
  record: { id, company_name, est_revenue_usd, ...reported, est_revenue_growth_1y_pct: growth },
});
const companies: readonly Row[] = [
  revenueOf('co_1', 'Sample Robotics and Automation', 1_234_567, 4.05),
  revenueOf('co_2', 'サンプル株式会社', 632_098_304, -3.2),
  { input: 'co_missing', status: 'not_found', error: 'no company has this id' },
  { input: 'co_4', status: 'unknown', error: lost },
];
const revenue = layoutOf(getCompanyLatestRevenue.columns, { job: true });
/** A leading line break, so that snapshots start at the margin. */
const look = async (
  ...[layout, rows, more]: [typeof revenue, readonly Row[], Partial<typeof revenue>]
) => `\n${await rendered('table', layout, rows, more)}`;

describe('values for people', () => {
  it.each<[FieldKind, unknown, string, readonly string[]]>([
    ['count', 1234567, '1,234,567', ['1,234,567']],
    ['number', -1234.5, '-1,234.5', ['-1,234.5']],
    [
      'number',
      new ExactNumber('12345678901234567890.123'),
      '12,345,678,901,234,567,890.123',
      ['12,345,678,901,234,567,890.123'],
    ],
    ['number', 1e21, '1e+21', ['1e+21']],
    ['id', new ExactNumber('9007199254740993'), '9007199254740993', ['9007199254740993']],
    ['usd', 1_234_567, '$1.2M', ['$1,234,567']],
    ['usd', 999_950, '$1M', ['$999,950']],
    ['usd', -2500, '-$2.5K', ['-$2,500']],
    ['usd', 12.5, '$12.5', ['$12.5']],
    ['percent', 4.05, '+4.05%', ['+4.05%']],
    ['percent', 4, '+4.0%', ['+4.0%']],
    ['percent', -3.2, '-3.2%', ['-3.2%']],
    ['percent', -0.001, '0.0%', ['0.0%']],
    ['percent', 12345.678, '+12,345.68%', ['+12,345.68%']],
    ['flag', true, 'yes', ['yes']],
    ['list', ['a', 'b'], 'a, b', ['a, b']],
    ['json', [['AI', 'Vision'], ['Robots']], 'AI › Vision, Robots', ['AI › Vision', 'Robots']],
    [
      'json',
      [{ title: 'CTO', is_current: true, departments: ['x', 'y'] }, {}],
      'CTO · x, y, ',
      ['CTO · x, y'],
    ],
    ['text', 'two\nlines', 'two lines', ['two lines']],
    ['text', null, '', []],
    ['usd', 'n/a', 'n/a', ['n/a']],
  ])('%s %j', (kind, value, inTable, onCard) => {
    expect(cellText(value, column('x', kind))).toBe(inTable.trim());
    expect(cardTexts(value, column('x', kind))).toEqual(onCard);
  });

  it('shows a year without separators', () => {
    expect(cellText(1998, column('company.founded_year', 'count'))).toBe('1998');
  });
});

describe('a table', () => {
  it('at 30 cells is cards', async () => {
    expect(await look(revenue, companies.slice(1), { width: 30 })).toMatchInlineSnapshot(`
      "
      id
        co_2
      company_name
        サンプル株式会社
      est_revenue_usd
        $632,098,304
      est_revenue_growth_1y_pct
        -3.2%
      latest_revenue_reported_usd
        $999,950
      revenue_type
        ARR

      input
        co_missing
      pdi_status
        not_found
      pdi_error
        no company has this id

      input
        co_4
      pdi_status
        unknown
      pdi_error
        the answer was lost and the
        call may have been billed;
        it is not sent again unless
        --retry-unknown
      "
    `);
  });

  it('shows chosen columns, also empty ones on a card', async () => {
    const chosen = layoutOf([column('domain'), column('id', 'id')], { chosen: true });
    expect(await rendered('table', chosen, [{ status: 'ok', record: { id: 'a' } }])).toBe(
      'domain\nid      a\n',
    );
  });

  it('cuts a list of identifiers between them, and shows none by half', async () => {
    const ids = Array.from(
      { length: 4 },
      (_, at) => `${at}1111111-1111-4111-8111-${String(at).repeat(12)}`,
    );
    const columns = getPerson.columns.filter(({ name }) =>
      /^(?:full_name|(?:talent|investor)_signal_ids)$/.test(name),
    );
    const layout = layoutOf(columns, { chosen: true });
    const person = { full_name: 'Ada Sample-1', investor_signal_ids: ids.slice(1) };
    const rows = [ids, ids.slice(0, 1)].map(
      (some): Row => ({ status: 'ok', record: { ...person, talent_signal_ids: some } }),
    );
    for (let width = 40; width <= 300; width++) {
      const shown = (await rendered('table', layout, rows, { width })).match(/[\d-]{3,}/g) ?? [];
      expect([width, shown.filter((id) => !ids.includes(id))]).toEqual([width, []]);
      expect(shown).toContain(ids[0]);
    }
  });

  it('colours heads, growth and failures, and nothing without being told', async () => {
    const colored = await rendered('table', revenue, companies, { color: true });
    expect(colored).toContain('\u001b[32m+4.05%\u001b[39m');
    expect(colored).toContain('\u001b[31m-3.2%\u001b[39m');
    expect(colored).toContain('\u001b[2mnot_found: no company has this id\u001b[22m');
    expect(colored).toContain('\u001b[31munknown: ');
    expect(colored).toContain('\u001b[1mcompany_name\u001b[22m');
    expect(await rendered('table', revenue, companies)).not.toContain('\u001b');
  });

  it('writes rows as they come once the widths are set, with one head', async () => {
    const layout = layoutOf([column('id', 'id'), column('text')]);
    const formatter = await createFormatter('table', { ...layout, width: 30 });
    const row = (id: string) =>
      resultRow({ status: 'ok', record: { id, text: 'some words about nothing' } });
    const first = Array.from({ length: 200 }, () => formatter.rows([row('per_1')]));
    expect(first.slice(0, -1).join('')).toBe('');
    expect(String(first.at(-1)).split('\n')).toHaveLength(202);
    expect(formatter.rows([row('per_12345678901234')])).toBe('per_12345678901234  some word…\n');
    expect(formatter.rows([row('per_12345678901234567890123456')])).toBe(
      'per_12345678901234567890123456\n',
    );
    expect(formatter.end()).toBe('');
  });

  it('lines up scripts that a layout library would measure otherwise', async () => {
    const names = [
      'สวัสดีชาวโลก',
      'हिन्दी भाषा',
      '株式会社',
      '👩‍💻 dev',
      '❤️ 1️⃣',
      'Zoe\u0308',
      'مرحبا',
      '𐀀𝒳',
      'plain',
      '\u0301',
    ];
    const layout = layoutOf([column('name'), column('count', 'count'), column('last')]);
    const rows = names.map(
      (name, count): Row => ({ status: 'ok', record: { name, count, last: `${name}|` } }),
    );
    const [head = '', ...lines] = (await rendered('table', layout, rows)).trimEnd().split('\n');
    expect(lines).toHaveLength(names.length);
    lines.forEach((line, index) => {
      // A text that takes no cell at all cannot be shown.
      expect(line.startsWith(index === 9 ? '  ' : `${names[index]} `), line).toBe(true);
      expect(cellWidth(line.slice(0, line.indexOf(String(index), 1) + 1)), line).toBe(
        head.indexOf('count') + 'count'.length,
      );
    });
  });

  it('leaves out what no row has where room is short, then the last columns, never chosen ones', async () => {
    const columns = ['first', 'nobody', 'second', 'third', 'fourth'].map((name) => column(name));
    const record = {
      first: 'x'.repeat(12),
      second: 'y'.repeat(12),
      third: 'z'.repeat(12),
      fourth: 'w'.repeat(12),
    };
    const rows: readonly Row[] = [1, 2].map(() => ({ status: 'ok', record }));
    const headAt = async (width: number, chosen = false) =>
      (await rendered('table', layoutOf(columns, { chosen }), rows, { width }))
        .split('\n')[0]
        ?.split(/ +/);
    expect(await headAt(62)).toEqual(['first', 'nobody', 'second', 'third', 'fourth']);
    expect(await headAt(56)).toEqual(['first', 'second', 'third', 'fourth']);
    expect(await headAt(44)).toEqual(['first', 'second', 'third']);
    expect(await headAt(36)).toEqual(['first', 'xxxxxxxxxxxx']);
    expect(await headAt(62, true)).toEqual(['first', 'nobody', 'second', 'third', 'fourth']);
    expect(await headAt(56, true)).toEqual(['first', 'xxxxxxxxxxxx']);
  });

  it('of a file with very many columns is there at once, with those that have room', async () => {
    const names = Array.from({ length: 16_000 }, (_, at) => `c${at}`);
    const record = Object.fromEntries(names.map((name) => [name, 'x']));
    const layout = layoutOf(names.map((name) => column(name)));
    const [head = ''] = (
      await rendered('table', layout, Array(2).fill({ status: 'ok', record }), { width: 20 })
    ).split('\n');
    expect(head).toBe('c0  c1  c2  c3  c4');
  });

  it('takes time in proportion to its rows: cli-table3 takes it by their square, and gets a line at a time', async () => {
    const timeOf = async (count: number): Promise<number> => {
      const rows = Array.from({ length: count }, (_, index) =>
        revenueOf(`co_${index}`, `サンプル ${'名'.repeat(100)}`, index, index),
      );
      const formatter = await createFormatter('table', revenue);
      const started = performance.now();
      const text = `${formatter.rows(rows.map(resultRow))}${formatter.end()}`;
      expect(text.split('\n').length).toBeGreaterThan(count);
      return performance.now() - started;
    };
    await timeOf(150);
    const few = Math.max(await timeOf(150), await timeOf(150));
    expect((await timeOf(2250)) / few).toBeLessThan(37);
  });
});

describe('whatever the service sends', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 1 }),
      fc.constantFrom('\u001b', '[', '\n', '\u202e', ' ', '株', '👩‍💻', 'word'),
    ),
    maxLength: 80,
  });
  const value = fc.oneof(
    nasty,
    fc.array(nasty, { maxLength: 4 }),
    fc.double(),
    fc.jsonValue(),
    fc.boolean(),
  );
  const status = fc.constantFrom<Row['status']>('ok', 'not_found', 'failed');
  const rows = fc.array(
    fc.record({
      input: nasty,
      error: nasty,
      status,
      record: fc.record({ text: value, n: value, list: value }),
    }),
    {
      maxLength: 6,
    },
  );
  const columns = [column('text'), column('n', 'usd'), column('list', 'list')];
  const expectToFit = (text: string, width: number): void => {
    for (const line of text.split('\n')) {
      expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]| $/u);
      expect(cellWidth(line)).toBeLessThanOrEqual(width);
    }
  };

  it('no line is wider than the terminal, holds a control character or ends in a blank', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 20, max: 120 }),
        fc.boolean(),
        fc.boolean(),
        async (some, width, chosen, one) => {
          expectToFit(
            await rendered('table', layoutOf(columns, { chosen, isSingle: one }), some, { width }),
            width,
          );
        },
      ),
    );
  });

  it.each<[string, Endpoint]>([
    ['person', getPerson],
    ['revenue', getCompanyLatestRevenue],
  ])('nor does one of the card of a %s', async (_name, { columns: all, card }) => {
    const item = fc.record({
      title: nasty,
      name: nasty,
      company_name: nasty,
      start_date: nasty,
      end_date: nasty,
    });
    const field = fc.oneof(
      value,
      fc.array(item, { maxLength: 3 }),
      fc.constantFrom(new ExactNumber('-12345678901234567890123.5'), null),
    );
    // Identifiers are never cut, so that their lines may be longer: left out here.
    const record = fc.record(
      Object.fromEntries(all.filter(({ kind }) => kind !== 'id').map(({ name }) => [name, field])),
    );
    await fc.assert(
      fc.asyncProperty(
        record,
        fc.integer({ min: 20, max: 120 }),
        fc.boolean(),
        async (one, width, job) => {
          const layout = layoutOf(all, { isSingle: true, job, ...(card && { card }) });
          expectToFit(
            await rendered('table', layout, [{ input: 'x', status: 'ok', record: one }], { width }),
            width,
          );
        },
      ),
    );
  });

  it('a job shows every input and status', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 20, max: 120 }), async (some, width) => {
        const named = some.map((row, index) => ({ ...row, input: `item_${index}` }));
        const text = await rendered('table', layoutOf(columns, { job: true }), named, { width });
        for (const { input, status: outcome } of named) {
          expect(text).toContain(input);
          if (outcome !== 'ok') expect(text).toContain(outcome);
        }
      }),
    );
  });
});
