/** Turns the columns of a resource into the nested fields of a parquet file. */
import type { Column } from '../../contract/columns.ts';
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
  const names = new Set(columns.map(({ name }) => name));
  const prefixOf = ({ name }: Column): string => name.split('.', 1)[0] ?? name;
  const inObject = (column: Column): boolean => nested && column.name !== prefixOf(column) && !names.has(prefixOf(column));
  const tops = new Map<string, Column[]>();
  for (const column of columns) {
    const name = inObject(column) ? prefixOf(column) : column.name;
    tops.set(name, [...(tops.get(name) ?? []), column]);
  }
  return Array.from(tops, ([name, members]): TopField => {
    const [first] = members;
    if (first !== undefined && first.name === name) {
      const type = typeOf(first);
      return { name, type: type === 'text' && !typed ? 'any' : type, read: columnReader(first) };
    }
    return { name, type: { fields: fieldsBelow(members, `${name}.`) }, read: readerOf(name) };
  });
}

function fieldsBelow(columns: readonly Column[], prefix: string): readonly TypedField[] {
  const steps = [...new Set(columns.map(({ name }) => name.slice(prefix.length).split('.', 1)[0] ?? ''))];
  return steps.map((name): TypedField => {
    const column = columns.find((one) => one.name === `${prefix}${name}`);
    if (column !== undefined) return { name, type: typeOf(column) };
    return {
      name,
      type: {
        fields: fieldsBelow(
          columns.filter((one) => one.name.startsWith(`${prefix}${name}.`)),
          `${prefix}${name}.`,
        ),
      },
    };
  });
}

function typeOf({ name, kind, numeric, dateTime, element }: Column): FieldType {
  if (element !== undefined) {
    const [only] = element;
    return { list: element.length === 1 && only?.name === name ? typeOf(only) : { fields: fieldsBelow(element, `${name}.`) } };
  }
  switch (kind) {
    case 'id':
      return numeric === true ? 'integer' : 'text';
    case 'count':
      return 'integer';
    case 'number':
    case 'usd':
    case 'percent':
      return 'double';
    case 'flag':
      return 'boolean';
    case 'date':
      return dateTime === undefined ? 'day' : dateTime === 'utc' ? 'instant' : 'local time';
    case 'list':
      return { list: 'text' };
    case 'json':
      return 'any';
    case 'text':
    case 'url':
      return 'text';
  }
}
