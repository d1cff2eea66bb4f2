/** Columns of a resource, derived from its schema: one list for `--fields`, CSV, tables and spreadsheets. */
import type * as z from 'zod/mini';
import { type FieldKind, kindOf } from './fields.ts';

/** One column: `name` is the dotted path into the API's own object, the CSV header and the `--fields` name. */
export interface Column {
  readonly name: string;
  readonly kind: FieldKind;
  /** Whether a table shows it when `--fields` chooses nothing. */
  readonly inTable: boolean;
  /** Where and how such a table shows it; columns without it keep their order. */
  readonly place?: TablePlace;
}

/** A column's place in a table. The last columns are the first to go where a terminal is narrow. */
export interface TablePlace {
  /** 0 is the leftmost. */
  readonly rank: number;
  /** Stands over it instead of its name. */
  readonly head?: string;
  /** Read in turn where the column itself holds nothing. */
  readonly orElse?: readonly string[];
}

/** A column of a table by its name, or with more to say than its name. */
export type TableEntry = string | ({ readonly name: string } & Omit<TablePlace, 'rank'>);

/** Zod's own description of a schema, as far as a column needs it. */
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

function walk(schema: z.ZodMiniType, path: string, single: ReadonlySet<string>, into: [string, FieldKind][]): void {
  const inner = unwrapped(schema);
  const { shape, element } = definitionOf(inner);
  const kind = kindOf(inner);
  if (kind !== undefined) into.push([path, kind]);
  else if (shape !== undefined) {
    for (const [key, field] of Object.entries(shape)) walk(field, path === '' ? key : `${path}.${key}`, single, into);
  } else if (element !== undefined && single.has(path)) walk(element, `${path}.0`, single, into);
  else into.push([path, 'json']);
}

const placesOf = (table: readonly TableEntry[]): ReadonlyMap<string, TablePlace> =>
  new Map(
    table.map((entry, rank): [string, TablePlace] => {
      if (typeof entry === 'string') return [entry, { rank }];
      const { name, ...place } = entry;
      return [name, { rank, ...place }];
    }),
  );

/**
 * The columns of a resource in the order of its schema: scalars and lists of strings as they are, nested objects by
 * dotted names, anything deeper as one `json` column. An array named in `single` never holds more than one item (a
 * resolve group's `matches`) and is flattened as `name.0.field`. `table` names those of a table, the most useful first.
 */
export function columnsOf(
  schema: z.ZodMiniType,
  { table, single = [] }: { table: readonly TableEntry[]; single?: readonly string[] },
): readonly Column[] {
  const found: [string, FieldKind][] = [];
  walk(schema, '', new Set(single), found);
  const places = placesOf(table);
  for (const name of places.keys())
    if (found.every(([known]) => known !== name)) throw new Error(`a table names ${name}, which is no column`);
  return found.map(([name, kind]) => {
    const place = places.get(name);
    return place === undefined ? { name, kind, inTable: false } : { name, kind, inTable: true, place };
  });
}
