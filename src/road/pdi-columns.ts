/** Adds columns of pdi's own to the records of rows: when and where an answer was bought, whose it is, how many there are. */
import { type Column, lastRank } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { hasOwnColumns, isJsonFormat } from '../output/formats.ts';
import { fieldNamesIn, type Layout, uniqueNames } from '../output/layout.ts';
import { ApiRecord, type OwnTable, type ResultRow, type ResultRows } from '../rows/row.ts';
import type { Show } from './plan.ts';

/** Some lookups find several records for a row. Tables show the first, and say that there are more. */
export const matchesColumn: Column = { name: 'pdi_matches', kind: 'count', inTable: true, rank: lastRank };

/** Where `--column` names several columns, each record says whose identifier it answers. */
export const matchedByColumn: Column = { name: 'pdi_matched_by', kind: 'text', inTable: true, rank: lastRank };

export const fetchedAtColumn: Column = { name: 'pdi_fetched_at', kind: 'date', dateTime: 'utc', inTable: true };

export const originColumns: readonly Column[] = [{ name: 'pdi_source', kind: 'text', inTable: true }, fetchedAtColumn];

/** Gives the rows with those of these columns that are shown: `--fields` may name either, files with columns say when an answer was fetched. */
export function withOrigins(rows: ResultRows, { stored }: Endpoint, { fields, format }: Show): ResultRows {
  const named = fields === undefined ? undefined : fieldNamesIn(fields);
  const inFile = hasOwnColumns(format) ? [fetchedAtColumn] : [];
  const columns = named === undefined ? inFile : originColumns.filter(({ name }) => named.includes(name));
  return stored !== true || columns.length === 0 ? rows : mapped(rows, (row) => withOrigin(row, columns, named !== undefined));
}

/** Gives the rows with the name of the column that was matched; null where a record says that there is no match. */
export const withMatchedBy = (rows: ResultRows): ResultRows =>
  mapped(rows, (row) => withFields(row, { [matchedByColumn.name]: row.status === 'ok' ? (row.field ?? null) : null }));

async function* mapped(rows: ResultRows, change: (row: ResultRow) => ResultRow): ResultRows {
  for await (const together of rows) yield together instanceof Error ? together : together.map(change);
}

/** A row without a record has it only where `--fields` names it, because it is of the record otherwise. */
function withOrigin(row: ResultRow, columns: readonly Column[], isNamed: boolean): ResultRow {
  const { record, source = 'service', fetchedAt = null } = row;
  const origin = Object.fromEntries(columns.map((column) => [column.name, column === fetchedAtColumn ? fetchedAt : source]));
  return record === undefined && fetchedAt !== null && isNamed ? { ...row, shown: origin } : withFields(row, origin);
}

/** If a row found several records, each gets them. A row without a record stays as it is. */
function withFields(row: ResultRow, fields: Readonly<Record<string, unknown>>): ResultRow {
  if (row.record === undefined) return row;
  const { value } = row.record;
  const added = (one: unknown): unknown => (isObject(one) ? { ...one, ...fields } : one);
  return { ...row, record: new ApiRecord(Array.isArray(value) ? value.map(added) : added(value)) };
}

/** Gives nothing unless it is asked for. @throws UsageError if there is no input, or if the format has its columns anyway */
export function inputReader(
  { withInput, format }: Show,
  { job, own }: { readonly job?: boolean | undefined; readonly own?: OwnTable | undefined },
): Pick<Layout, 'inputOf'> {
  if (!withInput) return {};
  const item = '--with-input';
  if (job !== true)
    throw new UsageError('--with-input goes with commands that read identifiers', { item, hint: 'leave it out: no row has an input here' });
  if (!isJsonFormat(format)) {
    const hint = 'a CSV input comes back with its own columns in csv and xlsx, without it';
    throw new UsageError('--with-input goes with -o json or ndjson', { item, hint });
  }
  const names = uniqueNames(own?.header ?? []);
  const cellsOf = ({ own: cells }: ResultRow) => Object.fromEntries(names.map((name, at) => [name, cells?.cells[at] ?? '']));
  return { inputOf: own === undefined ? ({ given, input }) => given ?? input : cellsOf };
}
