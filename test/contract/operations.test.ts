/** The fifteen operations against the API document's sections "Endpoints", "Errors" and "Limits", typed out by hand. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { columnsOf } from '../../src/contract/columns.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { errorBody } from '../../src/contract/service.ts';

const all = Object.entries<Endpoint>(operations);

test('a table names columns that there are', () => {
  const schema = z.object({ id: z.string() });
  expect(() => columnsOf(schema, { table: ['idd'] })).toThrow('idd');
});

test('records that may come twice are told apart', () => {
  expect([operations.readInvestorInterest.identity, operations.listNetworkPeople.identity]).toEqual(['signal_id', 'person_id']);
});

test.each([{}, { errorCode: 'X' }, { message: 'm', more: 1 }, { errorCode: null, message: null }])('an error body may be %j', (body) => {
  expect(errorBody.safeParse(body).success).toBe(true);
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
