import type { Column } from '../../src/contract/columns.ts';
import { createFormatter, type OutputFormat } from '../../src/output/formats.ts';
import type { Layout } from '../../src/output/layout.ts';
import { ApiRecord, type ResultRow } from '../../src/rows/row.ts';

export const layoutOf = (columns: readonly Column[], more: Partial<Layout> = {}): Layout => ({
  columns,
  records: 'records',
  chosen: false,
  isSingle: false,
  job: false,
  width: 80,
  isForTerminal: false,
  color: false,
  explode: undefined,
  query: undefined,
  header: true,
  delimiter: undefined,
  bom: false,
  formulaGuard: true,
  textIds: false,
  ...more,
});

/** A row whose record is told by its value. */
export type Row = Omit<ResultRow, 'record'> & { readonly record?: unknown };

/** As a job or a list gives it. */
export const resultRow = ({ record, ...row }: Row): ResultRow =>
  record === undefined
    ? row
    : { ...row, record: record instanceof ApiRecord ? record : new ApiRecord(record) };

/** All text that a formatter gives for these rows. */
export async function rendered(
  format: OutputFormat,
  layout: Layout,
  rows: readonly Row[],
  more: Partial<Layout> = {},
): Promise<string> {
  const formatter = await createFormatter(format, { ...layout, ...more });
  return rows.map((row) => formatter.rows([resultRow(row)])).join('') + formatter.end();
}
