/** Derives the columns of a resource from its schema: one list for `--fields`, CSV, tables and spreadsheets. */
import type * as z from 'zod/mini';
import { definitionOf, type FieldKind, facts, kindOf } from './fields.ts';

/** `name` is what `--fields`, headers and tables call it: the dotted path into the API's own object, unless `paths` says otherwise. */
export interface Column {
  readonly name: string;
  /** The first of these that is filled is shown; without them, the name is the path. */
  readonly paths?: readonly string[];
  readonly kind: FieldKind;
  /** Its identifiers are numbers in JSON; those of other columns are text. */
  readonly numeric?: true;
  /** Of a date: it has a time of day, in UTC or without a zone. */
  readonly dateTime?: 'utc' | 'local';
  /** CSV and workbooks show it instead of the name, where two columns of a file have one name. */
  readonly header?: string;
  readonly inTable: boolean;
  /** A table adds it where the terminal has room; the lowest number comes first. */
  readonly inWideTable?: number;
  /** It sums up other columns, so files do not have it unless `--fields` names it. */
  readonly onlyInTable?: true;
  /** Its place in a table, of which a narrow terminal drops the last columns. */
  readonly rank?: number;
  /** Of a list: the columns of one element, for rows that are elements (`--explode`). A scalar is one column of the list's name. */
  readonly element?: readonly Column[];
}

/** On a narrow terminal a table drops columns of this rank before all others. */
export const lastRank = Number.MAX_SAFE_INTEGER;

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : unwrapped(innerType);
}

const isNumericId = (kind: FieldKind, schema: z.ZodMiniType): boolean => kind === 'id' && facts.get(schema)?.type === 'integer';

function detailsOf(kind: FieldKind, schema: z.ZodMiniType): Pick<Column, 'numeric' | 'dateTime'> {
  if (isNumericId(kind, schema)) return { numeric: true };
  const { format, pattern } = facts.get(schema) ?? {};
  if (kind !== 'date' || format === 'date') return {};
  return { dateTime: format === 'date-time' || pattern === undefined ? 'utc' : 'local' };
}

function plainKind(schema: z.ZodMiniType): FieldKind {
  if (definitionOf(schema).type !== 'string') return 'json';
  return facts.get(schema)?.format === 'uuid' ? 'id' : 'text';
}

function walk(schema: z.ZodMiniType, path: string, into: Omit<Column, 'inTable'>[]): void {
  const inner = unwrapped(schema);
  const { shape, element } = definitionOf(inner);
  if (shape !== undefined && kindOf(inner) === undefined) {
    for (const [key, field] of Object.entries(shape)) walk(field, path === '' ? key : `${path}.${key}`, into);
    return;
  }
  const kind = kindOf(inner) ?? plainKind(inner);
  const elements = element === undefined ? undefined : elementColumns(element, path);
  into.push({ name: path, kind, ...detailsOf(kind, inner), ...(elements !== undefined && { element: elements }) });
}

function elementColumns(element: z.ZodMiniType, path: string): readonly Column[] {
  const found: Omit<Column, 'inTable'>[] = [];
  walk(element, path, found);
  return found.map((column) => ({ ...column, inTable: true }));
}

/** Returns columns in schema order, and then those that only tables have. @throws Error for a table with a name that is no column */
export function columnsOf(
  schema: z.ZodMiniType,
  {
    table,
    tableIfRoom = [],
    below,
  }: {
    /** An entry is a column's name, or a column that only tables have: the first of some others that is filled. */
    readonly table: readonly (string | { readonly name: string; readonly paths: readonly string[] })[];
    /** A table shows these, too, where the terminal has room for all of their text. */
    readonly tableIfRoom?: readonly string[];
    /** It is the path of the schema's records in the API's own object. */
    readonly below?: string;
  },
): readonly Column[] {
  const found: Omit<Column, 'inTable'>[] = [];
  walk(schema, '', found);
  const ranks = new Map(table.map((entry, rank) => [typeof entry === 'string' ? entry : entry.name, rank]));
  const summaries = table.flatMap((entry) => (typeof entry === 'string' ? [] : [{ ...entry, kind: 'text', onlyInTable: true } as const]));
  const columns = [
    ...found.map((column) => (below === undefined ? column : { ...column, paths: [`${below}.${column.name}`] })),
    ...summaries,
  ];
  for (const name of ranks.keys())
    if (columns.every((column) => column.name !== name)) throw new Error(`a table names ${name}, which is no column`);
  return columns.map((column) => {
    const rank = ranks.get(column.name);
    if (rank !== undefined) return { ...column, inTable: true, rank };
    const extra = tableIfRoom.indexOf(column.name);
    return { ...column, inTable: false, ...(extra >= 0 && { inWideTable: extra }) };
  });
}

/** The column of any path that a schema documents, also into lists (`experience.0.title`); undefined for other paths. */
export function columnAt(schema: z.ZodMiniType, path: string): Column | undefined {
  let inner = unwrapped(schema);
  for (const step of path.split('.')) {
    const { shape, element } = definitionOf(inner);
    const next = shape !== undefined && Object.hasOwn(shape, step) ? shape[step] : /^\d+$/.test(step) ? element : undefined;
    if (next === undefined) return undefined;
    inner = unwrapped(next);
  }
  const kind = kindOf(inner) ?? plainKind(inner);
  return { name: path, kind, inTable: false, ...detailsOf(kind, inner) };
}

export function recordSchema({ response, result }: { readonly response: z.ZodMiniType; readonly result: 'one' | 'list' }): z.ZodMiniType {
  return (result === 'list' ? definitionOf(response).element : undefined) ?? response;
}

export const topFields = (schema: z.ZodMiniType): readonly string[] => Object.keys(definitionOf(schema).shape ?? {});
