/** Turns the columns of a resource into the nested fields of a parquet file, and the values of a record into those of the fields. */
import type { Column } from '../../contract/columns.ts';
import type { FieldKind } from '../../contract/fields.ts';
import { type ExactNumber, isNumber, isObject, nearestDouble } from '../../json/parse.ts';
import { isSameValue } from '../../json/split.ts';
import { jsonText } from '../../json/write.ts';
import { localSeconds, parseIsoTime } from '../../rows/iso-time.ts';
import { columnReader, readerOf } from '../read.ts';

export type ScalarType = 'text' | 'any' | 'integer' | 'double' | 'boolean' | 'day' | 'instant' | 'local time';

export type FieldType = ScalarType | { readonly list: FieldType } | { readonly fields: readonly TypedField[] };

export interface TypedField {
  readonly name: string;
  readonly type: FieldType;
}

export interface TopField extends TypedField {
  readonly read: (record: unknown) => unknown;
}

/**
 * If `nested`, dotted names (`company.hq.city`) become objects again, as the API has them. Columns that are documented are `typed`; texts of
 * others may be anything.
 */
export function topFieldsOf(columns: readonly Column[], { nested, typed }: { nested: boolean; typed: boolean }): readonly TopField[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const topOf = ({ name }: Column): string => {
    const [prefix = name] = name.split('.', 1);
    return nested && !byName.has(prefix) ? prefix : name;
  };
  return Array.from(new Set(columns.map(topOf)), (name): TopField => {
    const column = byName.get(name);
    if (column === undefined) return { name, type: { fields: fieldsBelow(columns, `${name}.`) }, read: readerOf(name) };
    const type = typeOf(column);
    return { name, type: type === 'text' && !typed ? 'any' : type, read: columnReader(column) };
  });
}

function fieldsBelow(columns: readonly Column[], prefix: string): readonly TypedField[] {
  const inside = columns.filter(({ name }) => name.startsWith(prefix));
  const steps = new Set(inside.map(({ name }) => name.slice(prefix.length).split('.', 1)[0] ?? ''));
  return Array.from(steps, (name): TypedField => {
    const column = inside.find((one) => one.name === prefix + name);
    return { name, type: column === undefined ? { fields: fieldsBelow(inside, `${prefix}${name}.`) } : typeOf(column) };
  });
}

const types: Readonly<Record<FieldKind, FieldType>> = {
  id: 'text',
  text: 'text',
  url: 'text',
  count: 'integer',
  number: 'double',
  usd: 'double',
  percent: 'double',
  flag: 'boolean',
  date: 'day',
  list: { list: 'text' },
  json: 'any',
};

function typeOf({ name, kind, numeric, dateTime, element }: Column): FieldType {
  if (element !== undefined) {
    const [only] = element;
    return { list: element.length === 1 && only?.name === name ? typeOf(only) : { fields: fieldsBelow(element, `${name}.`) } };
  }
  if (numeric === true) return 'integer';
  if (dateTime !== undefined) return dateTime === 'utc' ? 'instant' : 'local time';
  return types[kind];
}

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** A time of day in a column of days would be lost, so it does not fit there. */
function dayNumber(text: string): number | undefined {
  const time = parseIsoTime(text);
  return time === undefined || time.hasTime ? undefined : time.day;
}

function microsecondsOf(text: string, isLocal: boolean): bigint | undefined {
  const time = parseIsoTime(text);
  if (time === undefined || !time.hasTime || (isLocal && time.offset !== undefined)) return undefined;
  return BigInt(localSeconds(time) - (time.offset ?? 0)) * 1_000_000n + BigInt(time.micros);
}

function integerOf(value: number | ExactNumber): bigint | undefined {
  // Written otherwise (5.0, 1e3), a number may be an integer all the same.
  const digits = /^-?\d{1,19}$/;
  const sent = String(value);
  const text = digits.test(sent) || !isSameValue(sent) ? sent : String(Number(sent));
  const integer = digits.test(text) ? BigInt(text) : undefined;
  return integer !== undefined && integer >= int64Min && integer <= int64Max ? integer : undefined;
}

const scalarCasts: Readonly<Record<ScalarType, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  any: (value) => (typeof value === 'string' ? value : jsonText(value)),
  integer: (value) => (isNumber(value) ? integerOf(value) : undefined),
  // A decimal with more digits than a double holds is the nearest double, as sums of it need no more.
  double: (value) => (isNumber(value) ? nearestDouble(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  day: (value) => (typeof value === 'string' ? dayNumber(value) : undefined),
  instant: (value) => (typeof value === 'string' ? microsecondsOf(value, false) : undefined),
  'local time': (value) => (typeof value === 'string' ? microsecondsOf(value, true) : undefined),
};

/** What no field takes, by its path: a value that does not fit, or one whose field is not documented. A field may be called `__proto__`. */
export class Leftovers {
  readonly values: Record<string, unknown> = Object.create(null);
  hasMisfit = false;
}

/** Returns the value as a field of the type takes it. What does not fit is null, and a leftover at `path`. */
export function cast(value: unknown, type: FieldType, path: string, leftovers: Leftovers): unknown {
  if (value === undefined || value === null) return null;
  const fitting = typeof type === 'string' ? scalarCasts[type](value) : nestedCast(value, type, path, leftovers);
  if (fitting !== undefined) return fitting;
  leftovers.values[path] = value;
  leftovers.hasMisfit = true;
  return null;
}

function nestedCast(value: unknown, type: Exclude<FieldType, string>, path: string, leftovers: Leftovers): unknown {
  if ('list' in type) {
    return Array.isArray(value) ? value.map((item, index) => cast(item, type.list, `${path}.${index}`, leftovers)) : undefined;
  }
  if (!isObject(value)) return undefined;
  const fields = Object.fromEntries(type.fields.map(({ name, type }) => [name, cast(value[name], type, `${path}.${name}`, leftovers)]));
  addUnknown(value, fields, `${path}.`, leftovers);
  return fields;
}

/** Adds the keys of `value` that are not `known`; what is null says nothing. */
export function addUnknown(value: Readonly<Record<string, unknown>>, known: object, prefix: string, leftovers: Leftovers): void {
  for (const name of Object.keys(value)) {
    const unknown = value[name];
    if (!Object.hasOwn(known, name) && unknown !== null && unknown !== undefined) leftovers.values[prefix + name] = unknown;
  }
}
