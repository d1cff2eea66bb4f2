import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanForTerminal, cleanLine } from '../../src/output/clean.ts';
import { cellWidth, cut, wrap } from '../../src/output/display.ts';
import { anyCharacter } from '../support/any-text.ts';

const line = fc.string({ unit: anyCharacter, maxLength: 60 }).map(cleanLine);

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
    fc.assert(
      fc.property(
        line,
        fc.nat(70),
        (text, width) => void expect(cellWidth(cut(text, width))).toBeLessThanOrEqual(width),
      ),
    );
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
  const drawn = fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(drawn, fc.integer({ min: 960, max: 1000 }), (parts, before) => {
      const [text, lead] = [` ${parts.join(' ')} `, 'x'.repeat(before)];
      expect(cellWidth(`${lead}${text}\u0301${lead}`)).toBe(cellWidth(text) + 2 * before);
    }),
    { numRuns: 300 },
  );
});

const esc = '\u001b';

describe('cleanForTerminal', () => {
  it.each([
    ['plain text stays', 'Ada Sample, CTO', 'Ada Sample, CTO'],
    ['other scripts stay', 'Zoë 株式会社 Привет', 'Zoë 株式会社 Привет'],
    ['colour', `${esc}[31mred${esc}[0m`, 'red'],
    ['clear screen', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a link (OSC 8)', `${esc}]8;;https://evil.example\u0007name${esc}]8;;\u0007`, 'name'],
    ['a title ended by ST', `${esc}]0;title${esc}\\text`, 'text'],
    ['device control', `a${esc}P1;2|payload${esc}\\b`, 'ab'],
    ['8-bit CSI', 'a\u009b31mb', 'ab'],
    ['8-bit OSC', 'a\u009d0;t\u009cb', 'ab'],
    ['a reset', `${esc}ca`, 'a'],
    ['an unterminated OSC is text', `${esc}]0;title`, '0;title'],
    ['a sequence made by removing another', `${esc}${esc}[0m[31mx`, '[31mx'],
    ['bell, backspace, delete', 'a\u0007\u0008\u007fb', 'ab'],
    ['line breaks and tabs are spaces', 'a\nb\tc\u0085d\u2028e', 'a b c d e'],
    ['bidirectional controls', 'a\u202eb\u2066c\u200fd\u061ce', 'abcde'],
    ['zero-width characters', 'a\u200bb\ufeffc\u00add\u2060e', 'abcde'],
    ['tag characters', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['an emoji sequence stays', '👩‍💻 ❤️', '👩‍💻 ❤️'],
    ['a joiner between letters', 'a\u200db', 'ab'],
    ['the Persian non-joiner stays', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_what, text, expected) => {
    expect(cleanForTerminal(text)).toBe(expected);
  });

  it('lets no control or bidirectional character through, and is stable', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 1 }),
        fc.constantFrom(esc, '[', ']', '\u0007', '\u200d', '\u202e', '👩', 'a'),
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        const cleaned = cleanForTerminal(text);
        expect(cleaned).not.toMatch(
          /[\p{Cc}\p{Surrogate}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u,
        );
        expect(cleanForTerminal(cleaned)).toBe(cleaned);
      }),
    );
  });
});

it('cleanLine makes runs of white space one space', () => {
  expect(cleanLine('  a \r\n\t b\u00a0 c ')).toBe('a b c');
});
