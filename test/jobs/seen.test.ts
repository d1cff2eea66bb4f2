import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Seen } from '../../src/jobs/seen.ts';

describe('identities seen before', () => {
  test('are those that a set holds, whatever they are', () => {
    const identity = fc.oneof(fc.constantFrom('', 'a', 'b', 'é', '\u0000'), fc.string({ unit: 'binary', maxLength: 4 }), fc.uuid());
    fc.assert(
      fc.property(fc.array(identity, { maxLength: 2000, size: 'max' }), (identities) => {
        const [seen, set] = [new Seen(), new Set<string>()];
        for (const one of identities) {
          expect(seen.add(one)).toBe(!set.has(one));
          expect(seen.size).toBe(set.add(one).size);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('are told apart among so many that some share a hash', () => {
    const seen = new Seen();
    const identities = Array.from({ length: 200_000 }, (_, number) => `id-${number}`);
    expect(identities.filter((identity) => !seen.add(identity))).toEqual([]);
    expect(identities.filter((identity) => seen.add(identity))).toEqual([]);
    expect(seen.size).toBe(identities.length);
  });
});
