/** Defines the kinds of field of the API document. A kind travels with its zod schema, so that no second list is needed. */
import * as z from 'zod/mini';
import { type ExactNumber, isNumber } from '../json/parse.ts';

/** The meaning of a field; it decides alignment, shortening and types in tables and spreadsheets. */
export type FieldKind = 'id' | 'text' | 'url' | 'date' | 'count' | 'number' | 'usd' | 'percent' | 'flag' | 'list' | 'json';

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
}

/** The facts are for descriptions of the API. An answer that breaks one is still accepted. */
export const facts = z.registry<Facts>();

export function documented<S extends z.ZodMiniType>(schema: S, noted: Facts): S {
  facts.add(schema, noted);
  return schema;
}

const kinds = new WeakMap<z.ZodMiniType, FieldKind>();

function ofKind<S extends z.ZodMiniType>(kind: FieldKind, schema: S, noted: Facts = {}): S {
  kinds.set(schema, kind);
  return documented(schema, noted);
}

interface SchemaDefinition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly element?: z.ZodMiniType;
}

/** What a schema is made of, whatever its type. */
export const definitionOf = (schema: z.ZodMiniType): SchemaDefinition => schema.def;

export const kindOf = (schema: z.ZodMiniType): FieldKind | undefined => kinds.get(schema);

const anyNumber = () => z.custom<number | ExactNumber>(isNumber, 'expected a number');

/** An opaque identifier is never shortened in a table. */
export const id = (noted?: Facts) => ofKind('id', z.string(), noted);
/** Section "Identifier conventions": lists and signals. */
export const uuid = () => id({ format: 'uuid' });
export const personId = () => id({ pattern: '^per_' });
export const investorId = () => id({ pattern: '^inv_' });
export const text = (noted?: Facts) => ofKind('text', z.string(), noted);
export const url = () => ofKind('url', z.string());
export const date = (noted: Facts = { format: 'date' }) => ofKind('date', z.string(), noted);
/** A date-time is ISO 8601 text, in the fields named `*_at`. */
export const dateTime = () => date({ format: 'date-time' });
/** Every digit of a numeric identifier counts. */
export const numericId = () => ofKind('id', anyNumber(), { type: 'integer' });
/** A count or a year is an integer, but a fraction in an answer is accepted. */
export const count = (noted?: Facts) => ofKind('count', anyNumber(), { type: 'integer', ...noted });
export const number = () => ofKind('number', anyNumber(), { type: 'number' });
export const usd = () => ofKind('usd', anyNumber(), { type: 'number' });
/** 4.05 means +4.05 percent. */
export const percent = () => ofKind('percent', anyNumber(), { type: 'number' });
export const flag = () => ofKind('flag', z.boolean());
export const texts = (noted: Facts = {}) => ofKind('list', z.array(documented(z.string(), noted)));
export const uuids = () => texts({ format: 'uuid' });
/** Each entry is a top-level and a second-level name. */
export const textPairs = () => ofKind('json', z.array(z.array(z.string())));

/** A whole number in a request, within its bounds; the service uses `default` if none is sent. */
export function wholeNumber(bounds: {
  readonly minimum: number;
  readonly maximum?: number;
  readonly default: number;
  readonly type?: 'number';
}) {
  const { minimum, maximum = Number.POSITIVE_INFINITY } = bounds;
  const isWithin = (value: unknown) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return documented(anyNumber().check(z.refine(isWithin)), { type: 'integer', ...bounds });
}

/** The document does not require the field, so it may be missing or null. */
export const maybe = <S extends z.ZodMiniType>(schema: S) => z.nullish(schema);
