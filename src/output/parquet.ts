/** Writes rows as a parquet file, a group of rows at a time, in nested columns of the types that their fields have. */
import { setFlagsFromString } from 'node:v8';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type Column, type FieldKind, topOf } from '../contract/columns.ts';
import { nameKey } from '../contract/identifier.ts';
import { pluralize } from '../errors.ts';
import {
  type ExactNumber,
  isNumber,
  isObject,
  isSameValue,
  jsonText,
  nearestDouble,
} from '../json/exact.ts';
import { localSeconds, parseIsoTime } from '../rows/iso-time.ts';
import type { ResultRow } from '../rows/row.ts';
import { type Formatter, type Layout, uniqueNames } from './layout.ts';
import {
  type ColumnReader,
  columnReader,
  columnsBeside,
  columnsFrom,
  type FileColumn,
} from './read.ts';

const groupRoom = { rows: 4000, characters: 16_000_000 } as const;

const extraName = 'pdi_extra';

const remarkOf = (count: number, extra = extraName): string =>
  `${pluralize(count, 'record')} ${count === 1 ? 'has a value that does' : 'have values that do'} not fit the type of the column: null there, kept in ${extra}`;

export function parquetFormatter(
  layout: Layout,
  room: { readonly rows: number; readonly characters: number } = groupRoom,
): Formatter {
  // Rows grow old before their group is written, so they are cleaned up late: the peak is 220 MB without this, and 180 with it.
  setFlagsFromString('--heap-growing-percent=100');
  const columns = parquetColumns(layout).map((column) => ({ ...column, values: [] as unknown[] }));
  const file = new ByteWriter();
  const schema = [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(elementsOf)];
  const writer = new ParquetWriter({ writer: file, schema, createdBy: 'pdi' });
  let misfits = 0;
  let [gathered, characters] = [0, 0];
  const add = (row: ResultRow): void => {
    const leftovers = new Leftovers();
    const record = columnsFrom(row);
    for (const { cellOf, values } of columns) values.push(cellOf(record, row, leftovers));
    if (leftovers.hasMisfit) misfits += 1;
    gathered += 1;
    characters += (row.record?.text.length ?? 0) + (row.own?.raw.length ?? 0);
    if (gathered === room.rows || characters >= room.characters) writeGroup();
  };
  const writeGroup = (): void => {
    const columnData = columns.map(({ name, type, values }) => ({
      name,
      data: values,
      statistics: isOrdered(type),
    }));
    writer.write({ columnData, rowGroupSize: room.rows });
    for (const column of columns) column.values = [];
    [gathered, characters] = [0, 0];
  };
  const taken = (): Uint8Array => {
    const bytes = file.getBytes().slice();
    file.index = 0;
    return bytes;
  };
  return {
    rows(rows) {
      for (const row of rows) add(row);
      return taken();
    },
    end() {
      if (gathered > 0) writeGroup();
      writer.finish();
      if (writer.row_groups.length === 0) typeEmptyList(file.getBytes());
      return taken();
    },
    remark: () => (misfits === 0 ? undefined : remarkOf(misfits, columns.at(-1)?.name)),
  };
}

interface ParquetColumn extends TypedField {
  /** The columns of a row are read from left to right, and note what they do not take. */
  readonly cellOf: (...from: [...Parameters<ColumnReader>, leftovers: Leftovers]) => unknown;
}

/** They are the columns of csv, but objects and lists keep their form, and the last holds what is left. */
function parquetColumns(layout: Layout): readonly ParquetColumn[] {
  const { titleOf = String } = layout;
  const fields = recordColumns(layout);
  const { before, after } = columnsBeside(layout);
  const ofRow = ({ title: name, read }: FileColumn): ParquetColumn => {
    return { name, type: 'text', cellOf: (record, row) => read(record, row) ?? null };
  };
  const all: readonly ParquetColumn[] = [
    ...before.map(ofRow),
    ...fields.map((field) => ({ ...field, name: titleOf(field.name) })),
    ...after.map(ofRow),
    { name: titleOf(extraName), type: 'text', cellOf: extraReader(layout, fields) },
  ];
  // A file that is converted may have a column of any name.
  const names = uniqueNames(
    all.map(({ name }, at) => named(name, at)),
    nameKey,
  );
  return all.map((column, at) => ({ ...column, name: names[at] ?? column.name }));
}

/** No field of a record is unknown where `--fields` chose some, or the columns lie deeper than the record, as those of a resolve. */
function extraReader(
  { columns, chosen, repeated = [] }: Layout,
  fields: readonly TypedField[],
): ParquetColumn['cellOf'] {
  const isOpen = !chosen && columns.every(({ paths }) => paths === undefined);
  // A row of a flat table also has the objects that its dotted names are parts of.
  const names = [
    ...[...fields, ...columns].flatMap(({ name }) => [name, topOf(name)]),
    ...repeated,
  ];
  const known = Object.fromEntries(names.map((name) => [name, true]));
  return (record, _row, leftovers) => {
    if (isOpen && isObject(record)) addUnknown(record, known, '', leftovers);
    return Object.keys(leftovers.values).length === 0 ? null : jsonText(leftovers.values);
  };
}

/** A field without a name cannot be asked for. */
const named = (name: string, at: number): string =>
  name.trim() === '' ? `column_${at + 1}` : name;

function elementsOf({ name, type }: TypedField): readonly SchemaElement[] {
  if (typeof type === 'string')
    return [{ name, repetition_type: 'OPTIONAL', ...scalars[type].element }];
  if ('fields' in type)
    return [
      { name, repetition_type: 'OPTIONAL', num_children: type.fields.length },
      ...type.fields.flatMap(elementsOf),
    ];
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elementsOf({ name: 'element', type: type.list }),
  ];
}

/** Minima and maxima let readers skip groups. Those of texts skip hardly any, and cost a twentieth of the run. */
const isOrdered = (type: FieldType): boolean =>
  typeof type === 'string' && type !== 'text' && type !== 'any';

/** In the footer: no rows, then a list of no groups, which hyparquet-writer leaves without a type. Strict readers want that of structs. */
const noRowsNoGroups = Buffer.from([0x16, 0x00, 0x19, 0x00]);
const listOfStructs = 0x0c;

function typeEmptyList(file: Uint8Array): void {
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(noRowsNoGroups);
  if (at >= 0) file[at + noRowsNoGroups.length - 1] = listOfStructs;
}

type SchemaType = Omit<SchemaElement, 'name'>;

type ScalarType =
  | 'text'
  | 'any'
  | 'integer'
  | 'double'
  | 'boolean'
  | 'day'
  | 'instant'
  | 'local time';

type FieldType =
  | ScalarType
  | { readonly list: FieldType }
  | { readonly fields: readonly TypedField[] };

interface TypedField {
  readonly name: string;
  readonly type: FieldType;
}

/** Dotted names (`company.hq.city`) become objects again, as the API has them, unless `--fields` chose them. Texts of a flat table may be anything. */
function recordColumns({ columns, chosen, flat = false }: Layout): readonly ParquetColumn[] {
  const typed = (column: Column): FieldType =>
    flat && (column.fields !== undefined || typeOf(column) === 'text') ? 'any' : typeOf(column);
  const fields =
    chosen || flat
      ? columns.map((column) => ({ name: column.name, type: typed(column) }))
      : fieldsBelow(columns, '');
  const byName = new Map(columns.map((column) => [column.name, column]));
  return fields.map((field): ParquetColumn => {
    const { name, type } = field;
    const read = columnReader(byName.get(name) ?? field);
    return {
      name,
      type,
      cellOf: (record, row, leftovers) => cast(read(record, row), type, name, leftovers),
    };
  });
}

function fieldsBelow(columns: readonly Column[], prefix: string): readonly TypedField[] {
  const inside = columns.filter(({ name }) => name.startsWith(prefix));
  const steps = new Set(inside.map(({ name }) => name.slice(prefix.length).split('.', 1)[0] ?? ''));
  return Array.from(steps, (name): TypedField => {
    const column = inside.find((one) => one.name === prefix + name);
    return {
      name,
      type:
        column === undefined
          ? { fields: fieldsBelow(inside, `${prefix}${name}.`) }
          : typeOf(column),
    };
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

function typeOf({ name, kind, numeric, dateTime, element, fields }: Column): FieldType {
  if (fields !== undefined) return { fields: fieldsBelow(fields, `${name}.`) };
  if (element !== undefined) {
    const [only] = element;
    return {
      list:
        element.length === 1 && only?.name === name
          ? typeOf(only)
          : { fields: fieldsBelow(element, `${name}.`) },
    };
  }
  if (numeric === true) return 'integer';
  if (dateTime !== undefined) return dateTime === 'utc' ? 'instant' : 'local time';
  return types[kind];
}

/** A time of day in a column of days would be lost, so it does not fit there. */
function dayNumber(text: string): number | undefined {
  const time = parseIsoTime(text);
  return time === undefined || time.hasTime ? undefined : time.day;
}

/** A day alone, which is an instant of ISO 8601 too, begins at midnight. */
function microsecondsOf(text: string, isLocal: boolean): bigint | undefined {
  const time = parseIsoTime(text);
  if (time === undefined || (isLocal && (!time.hasTime || time.offset !== undefined)))
    return undefined;
  return BigInt(localSeconds(time) - (time.offset ?? 0)) * 1_000_000n + BigInt(time.micros);
}

function integerOf(value: number | ExactNumber): bigint | undefined {
  // Written otherwise (5.0, 1e3), a number may be an integer all the same.
  const digits = /^-?\d{1,19}$/;
  const sent = String(value);
  const text = digits.test(sent) || !isSameValue(sent) ? sent : String(Number(sent));
  const integer = digits.test(text) ? BigInt(text) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

const text: SchemaType = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};
const timestamp = (isAdjustedToUTC: boolean) =>
  ({ type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' }) as const;

const ofText =
  (read: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? read(value) : undefined;

/** The elements of a schema are in the order and with the names that every reader of parquet expects. What a type does not take is undefined. */
const scalars: Readonly<
  Record<ScalarType, { readonly element: SchemaType; readonly cast: (value: unknown) => unknown }>
> = {
  text: { element: text, cast: ofText(String) },
  any: { element: text, cast: (value) => (typeof value === 'string' ? value : jsonText(value)) },
  integer: {
    element: { type: 'INT64' },
    cast: (value) => (isNumber(value) ? integerOf(value) : undefined),
  },
  // A decimal with more digits than a double holds is the nearest double, as sums of it need no more.
  double: {
    element: { type: 'DOUBLE' },
    cast: (value) => (isNumber(value) ? nearestDouble(value) : undefined),
  },
  boolean: {
    element: { type: 'BOOLEAN' },
    cast: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  day: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    cast: ofText(dayNumber),
  },
  instant: {
    element: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS', logical_type: timestamp(true) },
    cast: ofText((written) => microsecondsOf(written, false)),
  },
  'local time': {
    element: { type: 'INT64', logical_type: timestamp(false) },
    cast: ofText((written) => microsecondsOf(written, true)),
  },
};

/** What no field takes, by its path: a value that does not fit, or one whose field is not documented. A field may be called `__proto__`. */
class Leftovers {
  readonly values: Record<string, unknown> = Object.create(null);
  hasMisfit = false;
}

/** Returns the value as a field of the type takes it. What does not fit is null, and a leftover at `path`. */
function cast(value: unknown, type: FieldType, path: string, leftovers: Leftovers): unknown {
  if (value === undefined || value === null) return null;
  const fitting =
    typeof type === 'string' ? scalars[type].cast(value) : nestedCast(value, type, path, leftovers);
  if (fitting !== undefined) return fitting;
  leftovers.values[path] = value;
  leftovers.hasMisfit = true;
  return null;
}

function nestedCast(
  value: unknown,
  type: Exclude<FieldType, string>,
  path: string,
  leftovers: Leftovers,
): unknown {
  if ('list' in type) {
    return Array.isArray(value)
      ? value.map((item, index) => cast(item, type.list, `${path}.${index}`, leftovers))
      : undefined;
  }
  if (!isObject(value)) return undefined;
  const fields = Object.fromEntries(
    type.fields.map(({ name, type }) => [
      name,
      cast(value[name], type, `${path}.${name}`, leftovers),
    ]),
  );
  addUnknown(value, fields, `${path}.`, leftovers);
  return fields;
}

/** Adds the keys of `value` that are not `known`; what is null says nothing. */
function addUnknown(
  value: Readonly<Record<string, unknown>>,
  fields: object,
  prefix: string,
  leftovers: Leftovers,
): void {
  for (const name of Object.keys(value)) {
    const unknown = value[name];
    if (!Object.hasOwn(fields, name) && unknown !== null && unknown !== undefined)
      leftovers.values[prefix + name] = unknown;
  }
}
