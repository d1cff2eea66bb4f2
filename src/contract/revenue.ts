/** Endpoint 6 of the API document. */
import * as z from 'zod/mini';
import { columnsOf, date, id, percent, record, text, usd } from './columns.ts';
import type { Endpoint } from './endpoint.ts';

/** The document does not say whether the `id` of a company without revenue data stays. */
const companyLatestRevenue = record(
  { id: z.nullable(id()) },
  {
    company_name: text(),
    domain: text(),
    est_revenue_usd: usd(),
    latest_revenue_reported_usd: usd(),
    latest_revenue_reported_date: date(),
    revenue_type: text(),
    est_revenue_growth_1m_pct: percent(),
    est_revenue_growth_3m_pct: percent(),
    est_revenue_growth_6m_pct: percent(),
    est_revenue_growth_1y_pct: percent(),
    est_revenue_growth_2y_pct: percent(),
  },
);

export const getCompanyLatestRevenue = {
  title: 'Company latest revenue',
  records: 'companies',
  noun: 'company revenue',
  method: 'GET',
  path: '/companies/{companyId}/latest-revenue',
  billing: 'charged',
  stored: true,
  pathParameters: { companyId: { shape: 'company', malformed: { status: 404 } } },
  response: companyLatestRevenue,
  result: 'one',
  columns: columnsOf(companyLatestRevenue, {
    table: [
      'id',
      'company_name',
      'est_revenue_usd',
      'est_revenue_growth_1y_pct',
      'latest_revenue_reported_usd',
      'revenue_type',
    ],
  }),
  askedBy: ['id'],
  card: [
    { title: '', lines: [['company_name'], ['domain'], ['id']] },
    {
      title: 'Revenue',
      fields: [
        'est_revenue_usd',
        'latest_revenue_reported_usd',
        'latest_revenue_reported_date',
        'revenue_type',
      ],
    },
    {
      title: 'Estimated growth',
      fields: ['1m', '3m', '6m', '1y', '2y'].map((time) => `est_revenue_growth_${time}_pct`),
    },
  ],
} as const satisfies Endpoint;
