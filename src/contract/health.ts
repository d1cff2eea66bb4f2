/** Endpoint 15 of the API document: it needs no key, and 503 carries the same report as 200. */
import { columnsOf, record, text } from './columns.ts';
import type { Endpoint } from './endpoint.ts';

const state = { enum: ['OK', 'ERROR'] } as const;

const healthReport = record(
  { status: text(state) },
  { relational_store: text(state), analytics_store: text(state) },
);

export const checkHealth = {
  title: 'Health check',
  records: 'health',
  method: 'GET',
  path: '/health',
  billing: 'free',
  key: 'none',
  response: healthReport,
  mustFit: true,
  alsoReports: [503],
  result: 'one',
  columns: columnsOf(healthReport, { table: ['status', 'relational_store', 'analytics_store'] }),
} as const satisfies Endpoint;
