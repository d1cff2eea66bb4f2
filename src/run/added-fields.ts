/** Adds fields of pdi's own to the record of a row. */
import { isObject } from '../json/parse.ts';
import { ApiRecord } from '../rows/record.ts';
import type { ResultRow } from '../rows/result-row.ts';

/** If a row found several records, each gets them. A row without a record stays as it is. */
export function withFields(row: ResultRow, fields: Readonly<Record<string, unknown>>): ResultRow {
  if (row.record === undefined) return row;
  const { value } = row.record;
  const added = (one: unknown): unknown => (isObject(one) ? { ...one, ...fields } : one);
  return { ...row, record: new ApiRecord(Array.isArray(value) ? value.map(added) : added(value)) };
}
