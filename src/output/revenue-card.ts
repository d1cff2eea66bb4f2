/** Defines the card of a company's revenue: the company, its figures, and its growth as small bars. */

import type { FieldKind } from '../contract/fields.ts';
import { isNumber } from '../json/parse.ts';
import { bar } from './bar.ts';
import type { Field } from './card-lines.ts';
import { figure } from './figures.ts';
import { valueAt } from './read.ts';
import { joined, labelled, type Section, type SectionView, textAt, unlabelled } from './section.ts';

const minBarCells = 45;

const growthPeriods = [
  ['1 month', 'est_revenue_growth_1m_pct'],
  ['3 months', 'est_revenue_growth_3m_pct'],
  ['6 months', 'est_revenue_growth_6m_pct'],
  ['1 year', 'est_revenue_growth_1y_pct'],
  ['2 years', 'est_revenue_growth_2y_pct'],
] as const;

const growthNames = growthPeriods.map(([, name]) => name);
const figureNames = ['est_revenue_usd', 'latest_revenue_reported_usd', ...growthNames];

function figureAt(record: unknown, name: string, kind: FieldKind): string {
  const value = valueAt(record, name);
  return isNumber(value) ? figure(String(value), kind, name, 'full') : '';
}

const head: Section = {
  says: ['company_name', 'domain', 'id'],
  fields: (record, { bold, dim }) => [
    ...unlabelled(textAt(record, 'company_name'), { paint: bold }),
    ...unlabelled(textAt(record, 'domain')),
    ...unlabelled(textAt(record, 'id'), { paint: dim, whole: true }),
    ...(figureNames.some((name) => isNumber(valueAt(record, name))) ? [] : unlabelled('no revenue data', { paint: dim })),
  ],
};

const revenue: Section = {
  title: 'Revenue',
  says: ['est_revenue_usd', 'latest_revenue_reported_usd', 'latest_revenue_reported_date', 'revenue_type'],
  fields: (record) => {
    const reported = figureAt(record, 'latest_revenue_reported_usd', 'usd');
    const about = joined([textAt(record, 'revenue_type'), textAt(record, 'latest_revenue_reported_date')], ', ');
    return [
      ...labelled('estimated', [figureAt(record, 'est_revenue_usd', 'usd')]),
      ...labelled('reported', [joined([reported, reported === '' || about === '' ? about : `(${about})`], ' ')]),
    ];
  },
};

function growthFields(record: unknown, { green, red, width }: SectionView): readonly Field[] {
  const all = growthPeriods.flatMap(([label, name]) => {
    const text = figureAt(record, name, 'percent');
    return text === '' ? [] : [{ label, text, percent: Number(valueAt(record, name)) }];
  });
  const widest = Math.max(0, ...all.map(({ text }) => text.length));
  const percents = all.map(({ percent }) => percent);
  const scale = { least: Math.min(0, ...percents), most: Math.max(0, ...percents) };
  return all.map(({ label, text, percent }) => ({
    label,
    texts: [width < minBarCells ? text : `${text.padStart(widest)}  ${bar(percent, scale)}`.trimEnd()],
    ...(percent !== 0 && { paint: percent > 0 ? green : red }),
    whole: width >= minBarCells && widest < minBarCells / 2,
  }));
}

const growth: Section = { title: 'Estimated growth', says: growthNames, fields: growthFields };

export const revenueCard: readonly Section[] = [head, revenue, growth];
