/**
 * The kinds of field that the API document uses, as zod schemas. The kind of a field (an identifier, a date, money …)
 * travels with its schema, so that columns, tables and spreadsheets need no second list.
 */
import * as z from 'zod/mini';
import { type ExactNumber, isNumber } from '../json/parse.ts';

/** What a field means to a reader; decides alignment, shortening and typing in tables and spreadsheets. */
export type FieldKind = 'id' | 'text' | 'url' | 'date' | 'count' | 'number' | 'usd' | 'percent' | 'flag' | 'list' | 'json';

/** What the API document says of a value beyond what is checked, in the words of JSON Schema. */
export interface Facts {
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
}

/** The facts of each schema, for descriptions of the API; answers that break one are taken all the same. */
export const facts = z.registry<Facts>();

/** Notes facts of a schema. */
export function documented<S extends z.ZodMiniType>(schema: S, noted: Facts): S {
  facts.add(schema, noted);
  return schema;
}

const kinds = new WeakMap<z.ZodMiniType, FieldKind>();

function ofKind<S extends z.ZodMiniType>(kind: FieldKind, schema: S, noted: Facts = {}): S {
  kinds.set(schema, kind);
  return documented(schema, noted);
}

/** The kind a schema was made with; undefined for schemas that were not made here. */
export const kindOf = (schema: z.ZodMiniType): FieldKind | undefined => kinds.get(schema);

const anyNumber = () => z.custom<number | ExactNumber>(isNumber, 'expected a number');

/** An opaque identifier; never shortened in a table. */
export const id = (noted?: Facts) => ofKind('id', z.string(), noted);
/** Section "Identifier conventions": lists and signals. */
export const uuid = () => id({ format: 'uuid' });
export const personId = () => id({ pattern: '^per_' });
export const investorId = () => id({ pattern: '^inv_' });
export const text = (noted?: Facts) => ofKind('text', z.string(), noted);
export const url = () => ofKind('url', z.string());
/** A date as text, `YYYY-MM-DD`. */
export const date = (noted: Facts = { format: 'date' }) => ofKind('date', z.string(), noted);
/** A date-time as text, ISO 8601: the fields named `*_at`. */
export const dateTime = () => date({ format: 'date-time' });
/** A numeric identifier: all digits count. */
export const numericId = () => ofKind('id', anyNumber(), { type: 'integer' });
/** An integer that counts something or is a year; a fraction is tolerated in answers. */
export const count = (noted?: Facts) => ofKind('count', anyNumber(), { type: 'integer', ...noted });
export const number = () => ofKind('number', anyNumber(), { type: 'number' });
/** An amount in US dollars. */
export const usd = () => ofKind('usd', anyNumber(), { type: 'number' });
/** A percentage: 4.05 means +4.05 percent. */
export const percent = () => ofKind('percent', anyNumber(), { type: 'number' });
export const flag = () => ofKind('flag', z.boolean());
export const texts = (noted: Facts = {}) => ofKind('list', z.array(documented(z.string(), noted)));
export const uuids = () => texts({ format: 'uuid' });
/** A top-level and a second-level name per entry. */
export const textPairs = () => ofKind('json', z.array(z.array(z.string())));

interface Bounds {
  readonly minimum: number;
  readonly maximum?: number;
  readonly default: number;
  /** What the API document calls it, where not an integer. */
  readonly type?: 'number';
}

/** A whole number in a request, held to its bounds; the service takes `default` where none is sent. */
export function wholeNumber(bounds: Bounds) {
  const { minimum, maximum = Number.POSITIVE_INFINITY } = bounds;
  const isWithin = (value: unknown) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return documented(anyNumber().check(z.refine(isWithin)), { type: 'integer', ...bounds });
}

/** A field the document does not call required: it may be missing or null. */
export const maybe = <S extends z.ZodMiniType>(schema: S) => z.nullish(schema);
