import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineIndex } from '../../src/money/line-index.ts';
import { sameHash } from './same-hash.ts';

describe('the lines of items', () => {
  test('are those of a map, the latest of each', () => {
    // No two of these have one hash.
    const item = fc.nat(5000).map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(item, fc.nat(0xfffffffe)), { maxLength: 3000 }), fc.array(item), (lines, others) => {
        const [index, map] = [new LineIndex(), new Map(lines)];
        for (const [one, line] of lines) index.set(one, line);
        for (const one of [...map.keys(), ...others]) expect(index.get(one)).toBe(map.get(one));
        expect(index.size).toBe(map.size);
      }),
    );
  });

  test('are found among a million, and nearly none is lost to another with its hash', () => {
    const index = new LineIndex();
    const count = 1_000_000;
    for (let number = 0; number < count; number += 1) index.set(`person-${number}`, number);
    let found = 0;
    for (let number = 0; number < count; number += 1) if (index.get(`person-${number}`) === number) found += 1;
    expect(found).toBeGreaterThan(count * 0.999);
    expect(index.size).toBeGreaterThan(count * 0.999);
  });

  test('of two items with one hash are the later one', () => {
    const [one, other] = sameHash();
    const index = new LineIndex();
    index.set(one, 1);
    index.set(other, 2);
    expect([index.get(one), index.get(other), index.size]).toEqual([2, 2, 1]);
  });
});
