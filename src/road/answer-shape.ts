/** Columns of answers that no document describes: the fields of the first one, as they are filled. Pure. */
import type { Column, FieldKind } from '../contract/columns.ts';
import { isNested, isNumber, isObject, type JsonObject } from '../json/exact.ts';
import { isJsonFormat } from '../output/formats.ts';
import type { ResultRow } from '../rows/row.ts';
import type { Show } from './plan.ts';
import { matchesColumn, type RecordShape } from './shape.ts';

/** So many rows without an answer wait for the first one. */
export const mostWaiting = 1000;

export const isAnswered = ({ record }: ResultRow): boolean => record !== undefined;

const named = (name: string, kind: FieldKind): Column => ({ name, kind, inTable: true });

function kindOf(name: string, value: unknown): FieldKind {
  if (/(?:^|_)ids?$/i.test(name) && !isNested(value)) return 'id';
  if (isNumber(value)) return 'number';
  if (typeof value === 'boolean') return 'flag';
  if (!isNested(value)) return 'text';
  return Array.isArray(value) && !value.some(isNested) ? 'list' : 'json';
}

/** The first that is filled tells what a field is. */
function columnsOfFields(records: readonly JsonObject[], prefix = ''): readonly Column[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return names.flatMap((name) => {
    const values = records.flatMap((record) => [record[name] ?? []]);
    const first = records
      .map((record) => record[name] ?? undefined)
      .find((value) => value !== undefined);
    const path = prefix + name;
    const inner = values.flat().filter(isObject);
    const below = inner.length > 0 ? columnsOfFields(inner, `${path}.`) : undefined;
    if (isObject(first)) return below ?? [];
    const kind = kindOf(name, first);
    const isNumeric = kind === 'id' && isNumber(first);
    const column = { ...named(path, kind), ...(isNumeric && ({ numeric: true } as const)) };
    return [below === undefined ? column : { ...column, element: below }];
  });
}

/** A value that has no fields is a field itself. */
const valueColumn = named('value', 'text');

const hasFields = (value: unknown): boolean =>
  isObject(value) || (Array.isArray(value) && (value.length === 0 || isObject(value[0])));

/** Cells show what stands where a record would. */
export function asRecord(row: ResultRow): ResultRow {
  const value = row.record?.value;
  if (value === undefined || value === null || hasFields(value)) return row;
  return { ...row, shown: { [valueColumn.name]: value } };
}

/** `rows` begin with those that came before the first answer, or with it. */
export function shapeOfAnswers(
  { format, fields, explode }: Show,
  shape: RecordShape,
  rows: readonly ResultRow[],
): RecordShape {
  const whole = { ...shape, one: rows[0]?.isAlone === true, isOfCells: true };
  if (isJsonFormat(format) && (explode ?? fields) === undefined) return whole;
  const values = rows.flatMap(({ record }) => (record === undefined ? [] : [record.value]));
  const columns = [
    ...columnsOfFields(values.flat().filter(isObject)),
    ...(values.every(hasFields) ? [] : [valueColumn]),
    ...(shape.job === true && values.some(Array.isArray) ? [matchesColumn] : []),
  ];
  return { ...whole, columns };
}
