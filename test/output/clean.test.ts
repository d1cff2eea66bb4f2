import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanForTerminal, cleanLine } from '../../src/output/clean.ts';

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
      unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constantFrom(esc, '[', ']', '\u0007', '\u200d', '\u202e', '👩', 'a')),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        const cleaned = cleanForTerminal(text);
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Surrogate}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u);
        expect(cleanForTerminal(cleaned)).toBe(cleaned);
      }),
    );
  });
});

it('cleanLine makes runs of white space one space', () => {
  expect(cleanLine('  a \r\n\t b\u00a0 c ')).toBe('a b c');
});
