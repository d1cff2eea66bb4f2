/** Shows a list as rows, one a member, because nobody filters a cell that holds JSON. json and ndjson keep the API's object. */
import type { Column } from '../contract/columns.ts';
import type { Endpoint, Members } from '../contract/endpoint.ts';
import { isObject } from '../json/parse.ts';
import { isJsonFormat } from '../output/formats.ts';
import { ApiRecord } from '../rows/record.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import type { Show } from './plan.ts';

/** Gives undefined if the record is written as it is. `--where`, and `--fields` of members, make rows of members in any format. */
export function membersAsRows(
  { format, explode, where, fields }: Show,
  { members, columns }: Pick<Endpoint, 'members' | 'columns'>,
): Members | undefined {
  if (members === undefined || !isJsonFormat(format) || (explode ?? where) !== undefined) return members;
  const chosen = fields?.split(',').map((name) => name.trim()) ?? [];
  const isIn = (of: readonly Column[], name: string) => of.some((column) => column.name === name);
  return chosen.some((name) => isIn(members.columns, name) && !isIn(columns, name)) ? members : undefined;
}

export async function* memberRows(rows: ResultRows, { field }: Members): ResultRows {
  for await (const together of rows) yield together instanceof Error ? together : together.flatMap((row) => membersOf(row, field));
}

/** A row without a list, such as that of a failed call, stays one row, as does one that is a member already. */
export function membersOf(row: ResultRow, field: string): readonly ResultRow[] {
  const list = row.record?.value;
  // Each list has an id, and its members have none of that name.
  if (!isObject(list) || !(field in list || 'id' in list)) return [row];
  const members = list[field] ?? [];
  if (!Array.isArray(members)) return [row];
  const { id, name } = list;
  return members.filter(isObject).map((member): ResultRow => {
    return { ...row, record: new ApiRecord({ list_id: id, list_name: name, ...member }) };
  });
}
