/** The fifteen operations against the API document's sections "Endpoints", "Errors" and "Limits", typed out by hand. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { columnsOf } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { errorBody } from '../../src/contract/service.ts';
import { ExactNumber } from '../../src/json/parse.ts';

const all = Object.entries<Endpoint>(operations);

test('a table names columns that there are', () => {
  const schema = z.looseObject({ id: z.string() });
  expect(() => columnsOf(schema, { table: ['idd'] })).toThrow('idd');
});

test('records that may come twice are told apart', () => {
  expect([operations.readInvestorInterest.identity, operations.listNetworkPeople.identity]).toEqual(['signal_id', 'person_id']);
});

describe('what may be sent', () => {
  const valid = (schema: z.ZodMiniType, value: unknown) => schema.safeParse(value).success;

  test.each([
    [{}, true],
    [{ search_id: '12', list_id: 'x', sort: 'any', page: 0, limit: 1 }, true],
    [{ signal_date_after: '2024-02-29', signal_date_before: '2024-12-31', limit: 50 }, true],
    [{ limit: '5' }, false],
    [{ page: new ExactNumber('1.0') }, false],
    [{ signal_date_before: '2024-12-31T00:00:00Z' }, false],
    [{ offset: 1 }, false],
  ])('feed query %j: %s', (query, expected) => {
    expect(valid(operations.readInvestorInterest.query, query)).toBe(expected);
  });

  test.each([
    [{}, true],
    [{ page: 3, limit: 100_000, connected_on: 'profnet' }, true],
    [{ sort: 'x' }, false],
  ])('network query %j: %s', (query, expected) => {
    expect(valid(operations.listNetworkPeople.query, query)).toBe(expected);
  });

  test.each([
    [{ to_resolve: [{ profnet_num_id: new ExactNumber('9007199254740993') }] }, true],
    [{ to_resolve: [{ profnet_urn: 'u', extra: 1 }] }, false],
  ])('resolve body %#: %s', (body, expected) => {
    expect(valid(operations.resolvePeople.body, body)).toBe(expected);
  });

  test('an investor query takes two strings', () => {
    expect(valid(operations.findInvestors.query, { name: 'a', website: 'b' })).toBe(true);
    expect(valid(operations.findInvestors.query, { id: 'a' })).toBe(false);
  });
});

describe('what holds for all', () => {
  test.each([{}, { errorCode: 'X' }, { message: 'm', more: 1 }, { errorCode: null, message: null }])('an error body may be %j', (body) => {
    expect(errorBody.safeParse(body).success).toBe(true);
  });
});

describe('columns', () => {
  test('the one match of a resolve is the record', () => {
    expect(resolvePeople.columns.map(({ name, paths }) => [name, paths])).toEqual(
      ['person_id', 'full_name', 'profnet_url'].map((name) => [name, [`matches.0.${name}`]]),
    );
  });

  test.each(all)('%s: no name twice, and a table that is not empty', (_name, { columns }) => {
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
    expect(columns.some(({ inTable }) => inTable)).toBe(true);
  });
});
