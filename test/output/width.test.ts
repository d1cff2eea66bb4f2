import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine } from '../../src/output/clean.ts';
import { cellWidth, cut, wrap } from '../../src/output/display.ts';

const line = fc.string({ unit: 'binary', maxLength: 60 }).map(cleanLine);

it.each([
  ['', 0],
  ['abc', 3],
  ['Zoë', 3],
  ['Zoe\u0308', 3],
  ['株式会社', 8],
  ['한국', 4],
  ['ＡＢ', 4],
  ['👍', 2],
  ['👍🏽', 2],
  ['👩‍💻', 2],
  ['❤️', 2],
  ['🇨🇭', 2],
  ['1️⃣', 2],
  ['a…b', 3],
  // Marks that a terminal sets above others have a cell here: a column comes out too wide, never too narrow.
  ['\u1112\u1161\u11ab', 4],
  ['สวัสดี', 6],
  ['हिन्दी', 6],
])('cellWidth: %s is %i cells', (text, cells) => {
  expect(cellWidth(text)).toBe(cells);
});

describe('cut', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['cut at the end of a word', 14, 'cut at the…'],
    ['cut right behind a word', 17, 'cut right behind…'],
    ['supercalifragilistic', 8, 'superca…'],
    ['a supercalifragilistic', 12, 'a supercali…'],
    ['株式会社', 5, '株式…'],
    ['株式会社', 4, '株…'],
    ['anything', 1, '…'],
    ['anything', 0, ''],
    ['anything', -3, ''],
  ])('%s in %i', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it('never exceeds the width', () => {
    fc.assert(fc.property(line, fc.nat(70), (text, width) => cellWidth(cut(text, width)) <= width));
  });
});

describe('wrap', () => {
  it.each([
    ['', 10, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['abcdefghij kl', 4, ['abcd', 'efgh', 'ij', 'kl']],
    ['株式会社', 1, ['株', '式', '会', '社']],
    // A wide character under a mark that has a cell of its own.
    ['⺀\u1c24⺀\u1c24', 2, ['⺀\u1c24', '⺀\u1c24']],
  ])('%s in %i', (text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });

  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const isOne = (text: string) => Array.from(graphemes.segment(text)).length === 1;

  it('keeps every character but the spaces, and the width, which only a single grapheme may exceed', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 2, max: 40 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const one of lines) if (!isOne(one)) expect(cellWidth(one)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

it('a long text measures as its parts do, wherever it is taken apart to be measured', () => {
  const units = ['e\u0301', '👩‍💻', '🇩🇪', '각', '株', 'x', '\u0301', 'ก\u0e33'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 960, max: 1000 }),
      (parts, before) => {
        const [text, lead] = [` ${parts.join(' ')} `, 'x'.repeat(before)];
        expect(cellWidth(`${lead}${text}\u0301${lead}`)).toBe(cellWidth(text) + 2 * before);
      },
    ),
    { numRuns: 300 },
  );
});
