/** The formula guard beside what a spreadsheet makes of a cell, said again without the guard's own patterns. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guarded } from '../../src/output/csv.ts';

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const unseen = [' ', '\t', '\n', '\r', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u0000', '\u001b', '\u00ad'];

/** Whether a spreadsheet may take the text for more than text: a sign comes first, whatever unseen stands before it. */
function startsFormula(text: string): boolean {
  const first = [...text].find((character) => !unseen.includes(character));
  return first !== undefined && signs.includes(first);
}

/** What a reader has who takes the guard off again: one apostrophe before something that was guarded. */
function unguarded(cell: string): string {
  const inner = cell.slice(1);
  return cell.startsWith("'") && guarded(inner) !== inner ? inner : cell;
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...signs, ...unseen, "'", '1', '.', 'e', 'A') }),
  fc.double({ noNaN: true }).map(String),
  fc.tuple(fc.constantFrom(...unseen, ''), fc.constantFrom(...signs), fc.string()).map((parts) => parts.join('')),
);

it('leaves no text that starts a formula, numbers apart', () => {
  fc.assert(
    fc.property(text, (one) => {
      const cell = guarded(one);
      const isNumber = cell.trim() === cell && cell !== '' && Number.isFinite(Number(cell));
      expect(startsFormula(cell) && !isNumber).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('can be taken off again, from any text that did not look guarded before', () => {
  fc.assert(
    fc.property(text, (one) => {
      fc.pre(unguarded(one) === one);
      expect(unguarded(guarded(one))).toBe(one);
    }),
    { numRuns: 1000 },
  );
});
