/** Derives the columns of a resource from its schema: one list for `--fields`, CSV, tables and spreadsheets. */
import type * as z from 'zod/mini';
import { type FieldKind, facts, kindOf } from './fields.ts';

/** `name` is the dotted path into the API's own object, the CSV header and the `--fields` name. */
export interface Column {
  readonly name: string;
  readonly kind: FieldKind;
  /** Its identifiers are numbers in JSON; those of other columns are text. */
  readonly numeric?: true;
  /** CSV and workbooks show it instead of the name, where two columns of a file have one name. */
  readonly header?: string;
  /** A table shows it if `--fields` is not given. */
  readonly inTable: boolean;
  /** Columns without a place keep their order. */
  readonly place?: TablePlace;
}

/** The place of a column in a table. On a narrow terminal, the last columns are dropped first. */
export interface TablePlace {
  readonly rank: number;
  /** A table shows it instead of the name. */
  readonly head?: string;
  /** These columns are read in turn if the column itself is empty. */
  readonly orElse?: readonly string[];
}

/** An entry is a column's name, or its name with more settings. */
export type TableEntry = string | ({ readonly name: string } & Omit<TablePlace, 'rank'>);

/** A column needs only this part of Zod's definition. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly element?: z.ZodMiniType;
}

const definitionOf = (schema: z.ZodMiniType): Definition => schema.def;

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : unwrapped(innerType);
}

const isNumericId = (kind: FieldKind, schema: z.ZodMiniType): boolean => kind === 'id' && facts.get(schema)?.type === 'integer';

function walk(schema: z.ZodMiniType, path: string, single: ReadonlySet<string>, into: Omit<Column, 'inTable'>[]): void {
  const inner = unwrapped(schema);
  const { shape, element } = definitionOf(inner);
  const kind = kindOf(inner);
  if (kind !== undefined) into.push({ name: path, kind, ...(isNumericId(kind, inner) && { numeric: true }) });
  else if (shape !== undefined) {
    for (const [key, field] of Object.entries(shape)) walk(field, path === '' ? key : `${path}.${key}`, single, into);
  } else if (element !== undefined && single.has(path)) walk(element, `${path}.0`, single, into);
  else into.push({ name: path, kind: 'json' });
}

const placesOf = (table: readonly TableEntry[]): ReadonlyMap<string, TablePlace> =>
  new Map(
    table.map((entry, rank): [string, TablePlace] => {
      if (typeof entry === 'string') return [entry, { rank }];
      const { name, ...place } = entry;
      return [name, { rank, ...place }];
    }),
  );

/** Returns columns in schema order. An array in `single` has at most one item and becomes `name.0.field`. @throws Error for a bad table */
export function columnsOf(
  schema: z.ZodMiniType,
  { table, single = [] }: { table: readonly TableEntry[]; single?: readonly string[] },
): readonly Column[] {
  const found: Omit<Column, 'inTable'>[] = [];
  walk(schema, '', new Set(single), found);
  const places = placesOf(table);
  for (const name of places.keys())
    if (found.every((column) => column.name !== name)) throw new Error(`a table names ${name}, which is no column`);
  return found.map((column) => {
    const place = places.get(column.name);
    return place === undefined ? { ...column, inTable: false } : { ...column, inTable: true, place };
  });
}
