/** The quick check must say of every answer what zod says of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { quickCheckOf } from '../../src/contract/quick-check.ts';
import { ExactNumber } from '../../src/json/parse.ts';
import { resources } from './resources.ts';

type Path = readonly (string | number)[];

/** Every place in a value: fields, items, and what is in them. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...inner.flatMap(([key, item]) => placesIn(item, [...at, key]))];
}

/** `value` with something else at a place; undefined takes a field out. */
function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, other) : item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, other) : inner]);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

const something = fc.constantFrom(
  undefined,
  null,
  '',
  'x',
  0,
  1.5,
  true,
  [],
  [null],
  ['x'],
  [['a', 'b']],
  [{}],
  {},
  new ExactNumber('1.0'),
);
const changes = fc.array(fc.tuple(fc.nat(), something), { maxLength: 3 });

describe.each(resources)('$name', ({ record, operation }) => {
  const endpoint: Endpoint = operations[operation];
  const whole = endpoint.result === 'list' ? [record, record] : record;

  test('as documented, passes quickly', () => {
    expect(quickCheckOf(endpoint.response)(whole)).toBe(true);
  });

  test('is judged as zod judges it, whatever is changed in it', () => {
    fc.assert(
      fc.property(changes, (made) => {
        const value = made.reduce<unknown>((before, [pick, other]) => {
          const places = placesIn(before);
          return replaced(before, places[pick % places.length] ?? [], other);
        }, whole);
        expect(quickCheckOf(endpoint.response)(value)).toBe(endpoint.response.safeParse(value).success);
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['a bounded string', z.string().check(z.minLength(2))],
  ['a union', z.union([z.string(), z.number()])],
  ['a strict object', z.strictObject({ a: z.string() })],
  ['an object that drops what it does not know', z.object({ a: z.string() })],
  [
    'an object of further conditions',
    z.looseObject({ a: z.optional(z.string()) }).check(z.refine((value) => Object.keys(value).length > 0)),
  ],
  ['an object whose other fields are strings', z.catchall(z.object({ a: z.string() }), z.string())],
  ['an object with a field of any kind', z.looseObject({ a: z.unknown() })],
  ['a list of any kind', z.array(z.unknown())],
])('%s never passes where zod refuses', (_name, schema: z.ZodMiniType) => {
  for (const value of [undefined, null, 'x', 'xy', 1, {}, { a: 'x' }, { a: 1 }, { a: 'x', b: 1 }, { b: 'x' }, [], [undefined], [1]]) {
    if (quickCheckOf(schema)(value)) expect(schema.safeParse(value).success).toBe(true);
  }
});
