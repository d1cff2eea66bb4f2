import { expect, test } from 'vitest';
import { exitOf, exitTable } from '../src/exit.ts';

/** The contract's table; scripts depend on every line. */
const contract = [
  ['ok', 0, 'ok'],
  ['internal', 1, 'internal'],
  ['usage', 2, 'usage'],
  ['auth', 3, 'auth'],
  ['not_found', 4, 'not found'],
  ['unavailable', 5, 'unavailable'],
  ['rate_limited', 6, 'rate limited'],
  ['credits', 7, 'credits'],
  ['partial', 8, 'partial'],
  ['hung_up', 129, 'hung up'],
  ['interrupted', 130, 'interrupted'],
  ['terminated', 143, 'terminated'],
] as const;

test.each(contract)('%s exits %d', (code, exit, name) => {
  expect(exitOf(code)).toBe(exit);
  expect(exitTable[code]).toMatchObject({ exit, name });
  expect(exitTable[code].when).toMatch(/^\S.*\S$/);
});

test('there is no other', () => {
  expect(Object.keys(exitTable)).toEqual(contract.map(([code]) => code));
});
