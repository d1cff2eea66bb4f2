import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRequest } from '../../src/client/request.ts';
import { operations } from '../../src/contract/operations.ts';
import { UsageError } from '../../src/errors.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { anyCharacter } from '../support/any-text.ts';

const { getPerson, findInvestors, resolvePeople } = operations;
const baseUrl = 'https://service.example/api/v1';
const urlOf = (personId: string) => planRequest(baseUrl, getPerson, { path: { personId } }).url;

describe('path parameters', () => {
  test.each(['', '.', '..', '\ud800', 'a\udc00b'])('%j is refused', (personId) => {
    expect(() => urlOf(personId)).toThrow(UsageError);
  });

  test('whatever the identifier, the path stays where it is and gives it back', () => {
    const special = fc.constantFrom(...'/\\.%2eF?#; +&é😀\r\n\u0000:a', 'X-Evil: 1', '%2F');
    const identifier = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.string({ unit: special, minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(identifier, (personId) => {
        fc.pre(personId !== '.' && personId !== '..' && personId.isWellFormed());
        const url = urlOf(personId);
        expect(url).toMatch(/^[!-~]+$/);
        const { pathname, search, hash } = new URL(url);
        expect(pathname.split('/').slice(0, 4)).toEqual(['', 'api', 'v1', 'people']);
        expect(pathname.split('/').slice(4).map(decodeURIComponent)).toEqual([personId]);
        expect(search + hash).toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

test('any text of a query comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const { url } = planRequest(baseUrl, findInvestors, { path: {}, query: { name } });
      expect(new URL(url).searchParams.get('name')).toBe(name);
    }),
  );
});

test('a body is JSON with every digit', () => {
  const body = {
    to_resolve: [
      { profnet_num_id: new ExactNumber('12345678901234567890') },
      { profnet_id: 'a"b' },
    ],
  };
  expect(planRequest(baseUrl, resolvePeople, { path: {}, body })).toEqual({
    method: 'POST',
    url: `${baseUrl}/people/resolve`,
    body: '{"to_resolve":[{"profnet_num_id":12345678901234567890},{"profnet_id":"a\\"b"}]}',
  });
});
