/** Where `--column` names several columns, each record says whose identifier it answers. */
import type { Column } from '../contract/columns.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { withFields } from './added-fields.ts';

export const matchedByColumn: Column = {
  name: 'pdi_matched_by',
  kind: 'text',
  inTable: true,
  place: { rank: Number.MAX_SAFE_INTEGER },
};

/** Passes rows on, with the name of the column as a field of their records; null where a record says that there is no match. */
export async function* withMatchedBy(rows: ResultRows): ResultRows {
  for await (const together of rows) yield together instanceof Error ? together : together.map(matched);
}

const matched = (row: ResultRow): ResultRow => withFields(row, { pdi_matched_by: row.status === 'ok' ? (row.field ?? null) : null });
