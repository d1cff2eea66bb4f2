/** The columns of answers that no document describes: the fields of the first one. Pure. */
import type { Column, FieldKind } from '../contract/columns.ts';
import { isNested, isNumber, isObject, type JsonObject } from '../json/exact.ts';
import type { ResultRow } from '../rows/row.ts';
import { matchesColumn, type RecordShape } from './shape.ts';

function kindOf(name: string, value: unknown): FieldKind {
  if (Array.isArray(value)) return value.some(isNested) ? 'json' : 'list';
  if (/(?:^|_)id$/i.test(name)) return 'id';
  return isNumber(value) ? 'number' : typeof value === 'boolean' ? 'flag' : 'text';
}

function columnsOfFields(records: readonly JsonObject[], prefix = ''): readonly Column[] {
  const all = records.flatMap(Object.entries);
  // In the order of the records, each with a value that is filled.
  const fields = Object.fromEntries([...all, ...all.filter(([, value]) => value !== null)]);
  return Object.entries(fields).flatMap(([key, value]): readonly Column[] => {
    const name = prefix + key;
    if (isObject(value)) return columnsOfFields([value], `${name}.`);
    const kind = kindOf(key, value);
    const inner = Array.isArray(value) ? value.filter(isObject) : [];
    const element = columnsOfFields(inner, `${name}.`);
    return [
      {
        ...{ name, kind, inTable: true },
        ...(kind === 'id' && isNumber(value) && { numeric: true }),
        ...(inner.length > 0 && { element }),
      },
    ];
  });
}

/** `rows` begin with those that came before the first answer, or with it. */
export function shapeOfAnswers(shape: RecordShape, rows: readonly ResultRow[]): RecordShape {
  const values = rows.flatMap(({ record }) => (record === undefined ? [] : [record.value]));
  const records = values.flat().map((value) => (isObject(value) ? value : { value }));
  const isOfSeveral = shape.job === true && values.some(Array.isArray);
  return {
    ...shape,
    isSingle: rows[0]?.isAlone === true,
    isOfCells: true,
    columns: [...columnsOfFields(records), ...(isOfSeveral ? [matchesColumn] : [])],
  };
}
