/** What came before is known, and nothing else is. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistinctTexts } from '../../src/road/distinct-texts.ts';

it('knows what came before, as a set does', () => {
  const text = fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'ba', '\u0000', '\ud83d'), fc.string({ maxLength: 6, unit: 'binary' }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const [known, distinct] = [new Set<string>(), new DistinctTexts()];
      for (const one of texts) {
        expect(distinct.add(one)).toBe(!known.has(one));
        known.add(one);
        expect(distinct.size).toBe(known.size);
      }
    }),
  );
});

it.each([
  ['numbers', (index: number) => String(index)],
  ['ids', (index: number) => `per_sample${index}`],
  ['links', (index: number) => `https://www.profnet.example/in/person-${index.toString(36)}`],
  ['blocks', (index: number) => String.fromCharCode(index & 1023, index >> 10)],
])('takes no two of a million %s for one', (_kind, textOf) => {
  const distinct = new DistinctTexts();
  for (let index = 0; index < 1_000_000; index += 1) distinct.add(textOf(index));
  expect(distinct.size).toBe(1_000_000);
  expect(distinct.add(textOf(7))).toBe(false);
});
