/** Fields of a record that are not of the documented type: they are told, and the record is used all the same. Pure. */
import * as z from 'zod/mini';
import { isNumber, isObject } from '../json/exact.ts';
import { type Column, type FieldKind, recordSchema } from './columns.ts';
import type { Endpoint } from './endpoint.ts';

interface Misfit {
  /** With the places in lists: `experience.0.start_date`; empty for the record itself. */
  readonly path: string;
  readonly words: string;
  readonly value: unknown;
  /** A missing field has nothing that a column would have to leave out. */
  readonly isMissing: boolean;
}

/** Finds the fields of a record, or of several, that are not of the documented type. */
export type MisfitFinder = (value: unknown) => readonly Misfit[];

export function misfitFinder(endpoint: Pick<Endpoint, 'response' | 'result'>): MisfitFinder {
  const schema = recordSchema(endpoint);
  return (value) => misfitsIn(Array.isArray(value) ? endpoint.response : schema, value);
}

export function misfitsIn(schema: z.ZodMiniType, value: unknown): readonly Misfit[] {
  if (!Array.isArray(value) || !(schema instanceof z.ZodMiniArray))
    return misfitsOfRecord(schema, value);
  const found: Misfit[] = [];
  for (const [index, record] of value.entries()) {
    if (found.length < maxMisfits)
      found.push(...misfitsOfRecord(schema.def.element, record, [index]));
  }
  return found;
}

/** So many are told of one answer, because complaints about a million records fill the memory. */
const maxMisfits = 100;

function misfitsOfRecord(
  schema: z.core.$ZodType,
  record: unknown,
  above: readonly number[] = [],
): readonly Misfit[] {
  try {
    return (z.safeParse(schema, record).error?.issues ?? [])
      .slice(0, maxMisfits)
      .map((issue) => misfitOf(issue, record, above));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // zod passes its complaints as arguments, and too many of them overflow the stack.
    const words = 'is not as documented in too many places to name';
    return [{ path: above.join('.'), words, value: undefined, isMissing: true }];
  }
}

function misfitOf(issue: z.core.$ZodIssue, record: unknown, above: readonly number[]): Misfit {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown].map(String);
  const expected =
    'expected' in issue
      ? `should be ${withArticle(issue.expected)}`
      : issue.message.replace(/^expected/, 'should be');
  const value = path.reduce<unknown>((within, key) => propertyOf(within, key), record);
  const isMissing = value === undefined || value === null;
  return {
    path: [...above, ...path].join('.'),
    words: `${expected}, and is ${typeNameOf(value)}`,
    value,
    isMissing,
  };
}

const withArticle = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`);

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

export function typeNameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isNumber(value)) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const typeNames: Readonly<Record<FieldKind, string | undefined>> = {
  id: 'a string',
  text: 'a string',
  url: 'a string',
  date: 'a string',
  count: 'a number',
  number: 'a number',
  usd: 'a number',
  percent: 'a number',
  flag: 'a boolean',
  list: 'an array',
  json: undefined,
};

/** Finds the misfits of a flat record, which has a field for each column, or of several. */
export const misfitsOfColumns =
  (columns: readonly Column[]) =>
  (value: unknown): readonly Misfit[] =>
    (Array.isArray(value) ? value : [value]).flatMap((record: unknown) =>
      columns.flatMap((column) => misfitOfColumn(column, record)),
    );

function misfitOfColumn(
  { name, kind, numeric, element }: Column,
  record: unknown,
): readonly Misfit[] {
  const value = isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
  const expected =
    numeric === true ? 'a number' : element === undefined ? typeNames[kind] : 'an array';
  const found = typeNameOf(value);
  if (value === undefined || value === null || expected === undefined || found === expected)
    return [];
  return [{ path: name, words: `should be ${expected}, and is ${found}`, value, isMissing: false }];
}
