import { describe, expect, it } from 'vitest';
import { getPerson } from '../../src/contract/person.ts';
import { getCompanyLatestRevenue } from '../../src/contract/revenue.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { bar } from '../../src/output/display.ts';
import { layoutOf, type Row, rendered } from './support.ts';

const person = {
  person_id: 'per_1',
  last_updated: '2026-06-29 09:00:00',
  full_name: '山田 ада Sample',
  tagline: 'Builds things that last, in places where nobody has built anything before',
  location: 'Zürich, Switzerland, Europe',
  profnet_url: 'https://www.profnet.example/in/ada-sample',
  twitter_url: null,
  profnet_num_id: new ExactNumber('9007199254740993'),
  about: 'Two lines\nof text.',
  education_level: '',
  current_position_title: 'CTO',
  current_position_company_name: 'Sample Robotics',
  current_position_company_website: 'https://robotics.example',
  experience: [
    {
      company_name: 'Sample Robotics',
      title: 'CTO',
      start_date: '2020-05-01',
      is_current: true,
      description: 'not on the card',
    },
    { company_name: 'Beta', title: 'Engineer', start_date: '2015-01-01', end_date: '2020-04-30' },
    { company_name: 'Gamma', end_date: '2014-12-31' },
    { domain: 'delta.example' },
  ],
  education: [
    {
      name: 'Example University',
      degree_title: 'BSc',
      field_of_study: 'Physics',
      start_date: '2005-09-01',
      end_date: '2009-06-30',
      description: '<p>Thesis on <b>cold</b>&nbsp;things &amp; others</p><script>alert(1)</script>',
    },
  ],
  skills: ['Hiring', 'Statistics'],
  profnet_followers: 12345,
};
const personLayout = layoutOf(getPerson.columns, {
  isSingle: true,
  job: true,
  card: getPerson.card,
});
const personRow: Row = { input: 'per_1', status: 'ok', record: person };

const company = {
  id: 'co_1',
  company_name: 'Sample Robotics',
  domain: 'robotics.example',
  est_revenue_usd: 1_234_567,
  latest_revenue_reported_usd: new ExactNumber('12345678901234567890.5'),
  latest_revenue_reported_date: '2026-05-09',
  revenue_type: 'ARR',
  est_revenue_growth_1m_pct: -0.76,
  est_revenue_growth_3m_pct: 0,
  est_revenue_growth_1y_pct: -8.25,
  est_revenue_growth_2y_pct: 29.33,
};
const revenueLayout = layoutOf(getCompanyLatestRevenue.columns, {
  isSingle: true,
  job: true,
  card: getCompanyLatestRevenue.card,
});
const revenueOf = (record: object): Row => ({ input: 'co_1', status: 'ok', record });

const look = async (
  ...[layout, row, more]: [typeof personLayout, Row, Partial<typeof personLayout>]
) => `\n${await rendered('table', layout, [row], more)}`;

describe('the card of a person', () => {
  it('at 60 cells reads from top to bottom', async () => {
    expect(await look(personLayout, personRow, { width: 60 })).toMatchInlineSnapshot(`
      "
      山田 ада Sample
      Builds things that last, in places where nobody has built
      anything before
      Zürich, Switzerland, Europe
      per_1

      Current position
        CTO, Sample Robotics
        https://robotics.example

      Experience
        2020-05-01 – now         CTO, Sample Robotics
        2015-01-01 – 2020-04-30  Engineer, Beta
        until 2014-12-31         Gamma
                                 delta.example

      Education
        2005-09-01 – 2009-06-30  BSc, Physics, Example University

      Skills
        Hiring, Statistics

      Links
        profnet_url  https://www.profnet.example/in/ada-sample

      Other fields
        last_updated       2026-06-29 09:00:00
        profnet_num_id     9007199254740993
        about              Two lines of text.
        profnet_followers  12,345
      "
    `);
  });

  it('is a list of fields under --fields', async () => {
    const columns = getPerson.columns.filter(
      ({ name }) => name === 'full_name' || name === 'skills',
    );
    const chosen = { ...personLayout, chosen: true, columns };
    expect(await look(chosen, personRow, { width: 60 })).toBe(
      '\ninput      per_1\nfull_name  山田 ада Sample\nskills     Hiring, Statistics\n',
    );
  });

  it('says what was asked where the answer is another id', async () => {
    expect(await look(personLayout, { ...personRow, input: 'per_old' }, { width: 60 })).toMatch(
      /\n {2}input +per_old\n/,
    );
    expect(await look(personLayout, personRow, { width: 60 })).not.toContain('input');
  });
});

describe('the card of a revenue', () => {
  it('shows growth with sign and bar', async () => {
    expect(await look(revenueLayout, revenueOf(company), { width: 60 })).toMatchInlineSnapshot(`
      "
      Sample Robotics
      robotics.example
      co_1

      Revenue
        est_revenue_usd               $1,234,567
        latest_revenue_reported_usd
          $12,345,678,901,234,567,890.5
        latest_revenue_reported_date  2026-05-09
        revenue_type                  ARR

      Estimated growth
        est_revenue_growth_1m_pct   -0.76%    █│
        est_revenue_growth_3m_pct     0.0%     │
        est_revenue_growth_1y_pct   -8.25%  ███│
        est_revenue_growth_2y_pct  +29.33%     │█████████
      "
    `);
  });

  it('leaves out figures that are not there', async () => {
    const bare = Object.fromEntries(
      getCompanyLatestRevenue.columns.map(({ name }) => [name, null]),
    );
    expect(
      await look(
        revenueLayout,
        revenueOf({ ...bare, id: 'co_1', company_name: 'Quiet Example' }),
        {},
      ),
    ).toBe('\nQuiet Example\nco_1\n');
  });

  it('shows what it can of an object in the place of a figure, which may be no text either', async () => {
    const odd = { ...company, est_revenue_growth_1m_pct: { toString: 1, valueOf: 2, up: 'a lot' } };
    expect(await look(revenueLayout, revenueOf(odd), {})).toMatch(
      /est_revenue_growth_1m_pct +1 · 2 · a lot\n/,
    );
  });

  it('colours growth by its sign', async () => {
    const colored = await look(revenueLayout, revenueOf(company), { color: true });
    expect(colored).toContain('\u001b[31m -8.25%  ███│\u001b[39m\n');
    expect(colored).toContain('\u001b[32m+29.33%     │█████████\u001b[39m\n');
  });
});

describe('a card of fields', () => {
  const id = '51960a10-0000-4000-8000-000000000002';
  const layout = layoutOf([{ name: 'strategic_signal_ids', kind: 'list', inTable: false }], {
    isSingle: true,
  });
  const rowOf = (count: number): Row => ({
    status: 'ok',
    record: { strategic_signal_ids: Array(count).fill(id) },
  });

  it('keeps identifiers of a list in one piece at 40 cells', async () => {
    expect(
      (await rendered('table', layout, [rowOf(3)], { width: 40 })).match(new RegExp(id, 'g')),
    ).toHaveLength(3);
  });

  it('shows the beginning of a long list, all of it where it is asked for', async () => {
    const countIn = (text: string) => text.split(id).length - 1;
    expect(countIn(await rendered('table', layout, [rowOf(20)]))).toBe(20);
    const long = await rendered('table', layout, [rowOf(230)]);
    expect(countIn(long)).toBe(10);
    expect(long).toContain('… and 220 more');
    expect(countIn(await rendered('table', { ...layout, chosen: true }, [rowOf(230)]))).toBe(230);
  });
});

it.each([
  [10, { least: 0, most: 10 }, '████████████'],
  [5, { least: 0, most: 10 }, '██████'],
  [0.001, { least: 0, most: 10 }, '█'],
  [0, { least: 0, most: 0 }, ''],
  [-5, { least: -5, most: 5 }, '██████│'],
  [-2.5, { least: -5, most: 5 }, '   ███│'],
  [5, { least: -5, most: 5 }, '      │██████'],
  [0, { least: -5, most: 5 }, '      │'],
  [1, { least: 0, most: Number.POSITIVE_INFINITY }, ''],
])('bar: %d on %j', (value, scale, expected) => {
  expect(bar(value, scale)).toBe(expected);
});
