/** The fifteen operations against the API document's sections "Endpoints", "Errors" and "Limits", typed out by hand. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { columnsOf } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { defaultLimit, errorBody, errorCodes, feedLimit, keyHeader, rateLimitHeaders, resolveLimit } from '../../src/contract/service.ts';
import { ExactNumber } from '../../src/json/parse.ts';

const all = Object.entries<Endpoint>(operations);

test('the path names its parameters', () => {
  for (const { path, pathParameters = {} } of Object.values<Endpoint>(operations)) {
    expect(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)).toEqual(Object.keys(pathParameters));
  }
});

test('health alone answers outside 2xx with its own body, and the feed alone has pages that cost nothing', () => {
  expect(all.filter(([, { alsoReports }]) => alsoReports !== undefined).map(([name, { alsoReports }]) => [name, alsoReports])).toEqual([
    ['checkHealth', [503]],
  ]);
  expect(all.filter(([, { emptyPage }]) => emptyPage !== undefined).map(([name]) => name)).toEqual(['readInvestorInterest']);
  expect(all.filter(([, { successBody }]) => successBody === 'open').map(([name]) => name)).toEqual([
    'deleteInvestorList',
    'deletePeopleList',
    'deleteCompanyList',
  ]);
});

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
    [{ limit: 0 }, false],
    [{ limit: 51 }, false],
    [{ limit: 1.5 }, false],
    [{ limit: '5' }, false],
    [{ page: -1 }, false],
    [{ page: 0.5 }, false],
    [{ page: new ExactNumber('1.0') }, false],
    [{ signal_date_after: '2023-02-29' }, false],
    [{ signal_date_after: '2024-2-9' }, false],
    [{ signal_date_before: '2024-12-31T00:00:00Z' }, false],
    [{ offset: 1 }, false],
  ])('feed query %j: %s', (query, expected) => {
    expect(valid(operations.readInvestorInterest.query, query)).toBe(expected);
  });

  test.each([
    [{}, true],
    [{ page: 3, limit: 100_000, connected_on: 'profnet' }, true],
    [{ connected_on: 'other' }, false],
    [{ limit: 0 }, false],
    [{ page: -1 }, false],
    [{ sort: 'x' }, false],
  ])('network query %j: %s', (query, expected) => {
    expect(valid(operations.listNetworkPeople.query, query)).toBe(expected);
  });

  const items = (count: number) => ({ to_resolve: Array.from({ length: count }, (_, index) => ({ profnet_num_id: index })) });
  test.each([
    [items(1), true],
    [items(50), true],
    [items(51), false],
    [items(0), false],
    [{}, false],
    [{ to_resolve: [{ profnet_urn: 'u', extra: 1 }] }, false],
    [{ to_resolve: [{ profnet_num_id: '7' }] }, false],
    [{ to_resolve: [{ profnet_num_id: new ExactNumber('9007199254740993') }] }, true],
    [{ ...items(1), extra: 1 }, false],
  ])('resolve body %#: %s', (body, expected) => {
    expect(valid(operations.resolvePeople.body, body)).toBe(expected);
  });

  test.each([
    [{ add_ids: ['per_1'], delete_ids: [] }, true],
    [{}, true],
    [{ add_ids: 'per_1' }, false],
    [{ add_ids: [1] }, false],
    [{ remove_ids: [] }, false],
  ])('list change %j: %s', (body, expected) => {
    expect(valid(operations.modifyPeopleList.body, body)).toBe(expected);
  });

  test('an investor query takes two strings', () => {
    expect(valid(operations.findInvestors.query, { name: 'a', website: 'b' })).toBe(true);
    expect(valid(operations.findInvestors.query, { id: 'a' })).toBe(false);
  });
});

describe('what holds for all', () => {
  test('the numbers and names of the document', () => {
    expect([resolveLimit, feedLimit, defaultLimit, keyHeader]).toEqual([50, 50, 50, 'x-api-key']);
    expect(Object.values(rateLimitHeaders)).toEqual(['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
    expect(Object.values(errorCodes).sort()).toEqual([
      'API_KEY_MISSING',
      'API_KEY_NOT_VALID',
      'BAD_SEARCH_ID_TYPE',
      'INVALID_LIST_UUID',
      'NOT_PERMITTED',
      'NOT_SUPPORTED_PRODUCT',
      'OUT_OF_CREDITS',
      'RATE_LIMITED',
      'VALIDATION_ERROR',
    ]);
  });

  test.each([{}, { errorCode: 'X' }, { message: 'm', more: 1 }, { errorCode: null, message: null }])('an error body may be %j', (body) => {
    expect(errorBody.safeParse(body).success).toBe(true);
  });
});

describe('columns', () => {
  test('a list is one column; the one match of a resolve is the record', () => {
    expect(columnsOf(resolvePeople.response.def.element, { table: [] }).map(({ name }) => name)).toContain('matches');
    expect(resolvePeople.columns.map(({ name, paths }) => [name, paths])).toEqual(
      ['person_id', 'full_name', 'profnet_url'].map((name) => [name, [`matches.0.${name}`]]),
    );
  });

  test.each(all)('%s: no name twice, and a table that is not empty', (_name, { columns }) => {
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
    expect(columns.some(({ inTable }) => inTable)).toBe(true);
  });
});
