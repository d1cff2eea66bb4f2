/** The schemas against the API document, field by field; `resources.ts` holds what the document says. */
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { columnsOf, recordSchema } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { type Resource, resources } from './resources.ts';

type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function accepts(resource: Resource, record: unknown): boolean {
  const endpoint: Endpoint = operations[resource.operation];
  const schema: z.ZodMiniType = endpoint.response;
  return schema.safeParse(endpoint.result === 'list' ? [record] : record).success;
}

/** The path of each field of a record, those inside objects and lists of objects included. */
function pathsIn(value: unknown, at: Path = []): Path[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => (isObject(item) ? pathsIn(item, [...at, index]) : []));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...at, name],
    ...pathsIn(inner, [...at, name]),
  ]);
}

/** The record with the field at `path` replaced, or taken out where `replace` gives undefined. */
function changed(
  value: unknown,
  [key, ...rest]: Path,
  replace: (old: unknown) => unknown,
): unknown {
  if (key === undefined) return replace(value);
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? changed(item, rest, replace) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === key ? changed(inner, rest, replace) : inner,
  ]);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

describe.each(resources)('$name', (resource) => {
  const { record, required, operation, columns } = resource;
  // What the document does not list is in a fixture only to show that it survives.
  const paths = pathsIn(record).filter((path) => path.join('.') !== 'signal_investors.0.other');
  const isRequired = (path: Path) => required.includes(path.join('.'));

  test('a whole record is as documented', () => {
    expect(accepts(resource, record)).toBe(true);
  });

  test('each documented field is a column of its kind, and no other is', () => {
    const made = columnsOf(recordSchema(operations[operation]), { table: [] }).map(
      ({ name, kind }) => `${name} ${kind}`,
    );
    expect([...made].sort()).toEqual([...columns].sort());
  });

  test.each(paths.map((path) => [path.join('.'), path] as const))('%s', (_name, path) => {
    const maybeNull =
      !isRequired(path) || (operation === 'getCompanyLatestRevenue' && path[0] === 'id');
    const replaced = {
      'is missing': () => undefined,
      'is null': () => null,
      'has another type': wrong,
      'has another value': other,
    };
    const accepted = Object.entries(replaced).map(([words, by]) => [
      words,
      accepts(resource, changed(record, path, by)),
    ]);
    const expected = {
      'is missing': !isRequired(path),
      'is null': maybeNull,
      'has another type': false,
      'has another value': true,
    };
    expect(Object.fromEntries(accepted)).toEqual(expected);
  });

  test('unknown fields are no error, at any depth', () => {
    const grow = (old: unknown) => (isObject(old) ? { ...old, new_field: [1] } : old);
    const grown = paths.reduce<unknown>((whole, path) => changed(whole, path, grow), {
      ...record,
      new_field: { a: null },
    });
    expect(accepts(resource, grown)).toBe(true);
  });
});

/** A value of a type that the field cannot have. */
function wrong(old: unknown): unknown {
  if (typeof old === 'string') return 7;
  if (typeof old === 'number' || typeof old === 'boolean') return 'seven';
  return Array.isArray(old) ? 'a list' : 7;
}

/** Another value of the same type: no enumeration, range or format is closed in an answer. */
function other(old: unknown): unknown {
  if (typeof old === 'string') return 'A NEW ONE';
  if (typeof old === 'number') return new ExactNumber('-12345678901234567890.50');
  if (typeof old === 'boolean') return !old;
  return Array.isArray(old) ? [] : old;
}

test('a company without revenue data: null in every field but its identity, or in that too', () => {
  const revenue = resources.find(({ operation }) => operation === 'getCompanyLatestRevenue');
  if (revenue === undefined) throw new Error('the revenue resource is gone');
  const nulls = Object.fromEntries(Object.keys(revenue.record).map((name) => [name, null]));
  expect(accepts(revenue, { ...nulls, id: 'c1' })).toBe(true);
  expect(accepts(revenue, nulls)).toBe(true);
});
