/** The kinds of field of the API document, and the columns of a resource, derived from its schema for `--fields` and all formats. */
import * as z from 'zod/mini';
import { type ExactNumber, isListStep, isNumber, type JsonObject } from '../json/exact.ts';

export type FieldKind =
  | 'id'
  | 'text'
  | 'url'
  | 'date'
  | 'count'
  | 'number'
  | 'usd'
  | 'percent'
  | 'flag'
  | 'list'
  | 'json';

export const isFigure = (kind: FieldKind): boolean =>
  kind === 'count' || kind === 'number' || kind === 'usd' || kind === 'percent';

export function isTakenBy(kind: FieldKind, value: unknown): boolean {
  if (isFigure(kind)) return isNumber(value);
  if (kind === 'flag') return typeof value === 'boolean';
  return kind !== 'date' || typeof value === 'string';
}

interface Facts {
  readonly type?: 'integer' | 'number';
  readonly format?: 'date' | 'date-time' | 'uuid';
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly maxItems?: number;
  readonly description?: string;
}

/** For descriptions of the API: an answer that breaks one is still accepted. */
const facts = z.registry<Facts>();

export function documented<S extends z.ZodMiniType>(schema: S, noted: Facts): S {
  facts.add(schema, noted);
  return schema;
}

const kinds = new WeakMap<z.ZodMiniType, FieldKind>();

function ofKind<S extends z.ZodMiniType>(kind: FieldKind, schema: S, noted: Facts = {}): S {
  kinds.set(schema, kind);
  return documented(schema, noted);
}

const anyNumber = () => z.custom<number | ExactNumber>(isNumber, 'expected a number');

export const id = (noted?: Facts) => ofKind('id', z.string(), noted);
export const uuid = () => id({ format: 'uuid' });
export const personId = () => id({ pattern: '^per_' });
export const investorId = () => id({ pattern: '^inv_' });
export const text = (noted?: Facts) => ofKind('text', z.string(), noted);
export const url = () => ofKind('url', z.string());
export const date = (noted: Facts = { format: 'date' }) => ofKind('date', z.string(), noted);
export const dateTime = () => date({ format: 'date-time' });
export const numericId = () => ofKind('id', anyNumber(), { type: 'integer' });
export const count = (noted?: Facts) => ofKind('count', anyNumber(), { type: 'integer', ...noted });
export const number = () => ofKind('number', anyNumber(), { type: 'number' });
export const usd = () => ofKind('usd', anyNumber(), { type: 'number' });
/** 4.05 means +4.05 percent. */
export const percent = () => ofKind('percent', anyNumber(), { type: 'number' });
export const flag = () => ofKind('flag', z.boolean());
export const texts = (noted?: Facts) => ofKind('list', z.array(text(noted)));
export const listOfIds = (each = id()) => ofKind('list', z.array(each));
/** Each entry is a top-level and a second-level name. */
export const textPairs = () => ofKind('json', z.array(texts()));

export function wholeNumber(bounds: Facts & { readonly minimum: number }) {
  const { minimum, maximum = Number.POSITIVE_INFINITY } = bounds;
  const isWithin = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  const words = `expected a whole number from ${minimum} ${Number.isFinite(maximum) ? `to ${maximum}` : 'on'}`;
  return documented(anyNumber().check(z.refine(isWithin, words)), { type: 'integer', ...bounds });
}

const CompiledObject = z.core.$constructor<z.ZodMiniObject<Record<never, never>, z.core.$strip>>(
  'CompiledObject',
  (schema, definition) => {
    const parts: readonly z.core.$constructor<z.core.$ZodObject>[] = [
      z.core.$ZodObjectJIT,
      z.ZodMiniObject,
    ];
    for (const part of parts) part.init(schema, definition);
  },
);
const withoutFields = new CompiledObject({ type: 'object', shape: {} });

/** Lets other fields by; unlike other objects of `zod/mini` it is compiled at its first use, because a job checks a million of them. */
export const object = <S extends z.core.$ZodLooseShape>(fields: S) =>
  z.extend(withoutFields, fields);

type Fields = Readonly<Record<string, z.ZodMiniType>>;
type Nullish<F extends Fields> = { [N in keyof F]: z.ZodMiniOptional<z.ZodMiniNullable<F[N]>> };

function nullish<F extends Fields>(fields: F): Nullish<F>;
function nullish(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, z.nullish(one)]));
}

/** What a record always has, and what may be null in it or missing. */
export const record = <A extends Fields, M extends Fields>(always: A, maybe: M) =>
  object({ ...always, ...nullish(maybe) });

export const listOf = (element: z.ZodMiniType, most: number) =>
  z.array(element).check(z.minLength(1), z.maxLength(most));

export const optional = (schema: z.ZodMiniType) => z.optional(schema);

/** `name` is what `--fields`, headers and tables call it: the dotted path into the API's own object, unless there are `paths`. */
export interface Column {
  readonly name: string;
  /** The first of these that is filled is shown. */
  readonly paths?: readonly string[];
  readonly kind: FieldKind;
  /** Its identifiers are numbers in JSON. */
  readonly numeric?: true;
  /** It has a time of day, in UTC or without a zone. */
  readonly dateTime?: 'utc' | 'local';
  /** The values that the document gives; the service may send others. */
  readonly values?: readonly string[];
  /** CSV and workbooks show it instead of the name, where two columns of a file have one name. */
  readonly header?: string;
  readonly inTable: boolean;
  /** The last column of a report, which a table does not cut. */
  readonly isWhole?: boolean;
  /** A table adds it where the terminal has room, the lowest number first. */
  readonly inWideTable?: number;
  /** It sums up other columns, so files have it only where `--fields` names it. */
  readonly onlyInTable?: true;
  /** Its place in a table, of which a narrow terminal drops the last columns. */
  readonly rank?: number;
  /** Of a list: the columns of one element (`--explode`); a scalar is one column of the list's name. */
  readonly element?: readonly Column[];
  /** Of a list: the fields by which people tell an element. */
  readonly labels?: readonly string[];
  /** Of a list: the column behind it in a workbook, where lists are text, for what pdi itself reads out of it. */
  readonly beside?: Column;
  /** Of an object: the columns below it. */
  readonly fields?: readonly Column[];
}

export const lastRank = Number.MAX_SAFE_INTEGER;

interface SchemaDefinition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly element?: z.ZodMiniType;
}

const definitionOf = (schema: z.ZodMiniType): SchemaDefinition => schema.def;

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : unwrapped(innerType);
}

function columnOf(schema: z.ZodMiniType, name: string): Column {
  const { type, format, pattern, enum: values } = { ...facts.get(schema) };
  const kind = kinds.get(schema) ?? 'json';
  const plain = { name, kind, inTable: false, ...(values !== undefined && { values }) } as const;
  if (kind === 'id' && type === 'integer') return { ...plain, numeric: true };
  if (kind !== 'date' || format === 'date') return plain;
  return { ...plain, dateTime: format === 'date-time' || pattern === undefined ? 'utc' : 'local' };
}

function columnsBelow(schema: z.ZodMiniType, path: string): readonly Column[] {
  const inner = unwrapped(schema);
  const { shape, element } = definitionOf(inner);
  if (shape !== undefined && !kinds.has(inner))
    return Object.entries(shape).flatMap(([key, field]) =>
      columnsBelow(field, path === '' ? key : `${path}.${key}`),
    );
  const column = columnOf(inner, path);
  if (element === undefined) return [column];
  return [
    { ...column, element: columnsBelow(element, path).map((one) => ({ ...one, inTable: true })) },
  ];
}

interface TableChoice {
  readonly table: readonly string[];
  readonly tableIfRoom?: readonly string[];
  /** A first column, which only tables have: the first of some others that is filled. */
  readonly summary?: { readonly name: string; readonly paths: readonly string[] };
  readonly lists?: Readonly<
    Record<string, { readonly labels: readonly string[]; readonly beside?: string }>
  >;
}

export function columnsOf(
  schema: z.ZodMiniType,
  { table, tableIfRoom = [], summary, lists = {} }: TableChoice,
): readonly Column[] {
  const summaries =
    summary === undefined
      ? []
      : [{ ...summary, kind: 'text', onlyInTable: true, inTable: true } as const];
  const below = columnsBelow(schema, '').map((column): Column => {
    const { [column.name]: { labels, beside = '' } = {} } = lists;
    const key = columnAt(schema, beside);
    return {
      ...column,
      ...(labels !== undefined && { labels }),
      ...(key !== undefined && { beside: key }),
    };
  });
  const columns: readonly Column[] = [...below, ...summaries];
  const shown = [...summaries.map(({ name }) => name), ...table];
  return columns.map((column) => {
    const rank = shown.indexOf(column.name);
    if (rank >= 0) return { ...column, inTable: true, rank };
    const extra = tableIfRoom.indexOf(column.name);
    return extra >= 0 ? { ...column, inWideTable: extra } : column;
  });
}

/** Also of a path into a list (`experience.0.title`); undefined where the schema has no such path. */
export function columnAt(schema: z.ZodMiniType, path: string): Column | undefined {
  let inner = unwrapped(schema);
  for (const step of path.split('.')) {
    const { shape, element } = definitionOf(inner);
    const next =
      shape !== undefined && Object.hasOwn(shape, step)
        ? shape[step]
        : isListStep(step)
          ? element
          : undefined;
    if (next === undefined) return undefined;
    inner = unwrapped(next);
  }
  const isOfFields = definitionOf(inner).shape !== undefined;
  return { ...columnOf(inner, path), ...(isOfFields && { fields: columnsBelow(inner, path) }) };
}

/** `company` and `company.hq.city` are at or below `company`. */
export const isAtOrBelow = (path: string, field: string): boolean =>
  path === field || path.startsWith(`${field}.`);

export const topOf = (path: string): string => path.split('.', 1)[0] ?? path;

export function recordSchema({
  response,
  result,
}: {
  readonly response: z.ZodMiniType;
  readonly result: 'one' | 'list';
}): z.ZodMiniType {
  return (result === 'list' ? definitionOf(response).element : undefined) ?? response;
}

export const topFields = (schema: z.ZodMiniType): readonly string[] =>
  Object.keys(definitionOf(schema).shape ?? {});

/** Zod cannot describe the contract's own number checks, so the facts do; only as an input an object lets other fields by. */
export const described = { metadata: facts, unrepresentable: 'any', io: 'input' } as const;

export function jsonSchemaOf(schema: z.core.$ZodType): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema, described);
  return rest;
}
