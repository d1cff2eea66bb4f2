/** Makes the schema elements of fields, in the order and with the names that every reader of parquet expects. */
import type { SchemaElement } from 'hyparquet';
import type { FieldType, ScalarType, TypedField } from './typed-fields.ts';

const scalars: Readonly<Record<ScalarType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  any: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  day: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  'local time': { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
};

/** Any value may be missing. */
function elementsOf({ name, type }: TypedField): readonly SchemaElement[] {
  if (typeof type === 'string') return [{ name, repetition_type: 'OPTIONAL', ...scalars[type] }];
  if ('list' in type) return listElements(name, type.list);
  return [{ name, repetition_type: 'OPTIONAL', num_children: type.fields.length }, ...type.fields.flatMap(elementsOf)];
}

const listElements = (name: string, type: FieldType): readonly SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...elementsOf({ name: 'element', type }),
];

export const parquetSchema = (fields: readonly TypedField[]): SchemaElement[] => [
  { name: 'schema', num_children: fields.length },
  ...fields.flatMap(elementsOf),
];
