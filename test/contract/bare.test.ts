/** What stands around an identifier goes, and nothing else does. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bare, bareName } from '../../src/contract/identifier.ts';

const ada = 'ada-sample-1';
const url = 'https://www.profnet.example/in/ada-sample-1';

describe('bare', () => {
  it.each([
    ['="700000001"', '700000001'],
    [`'="700000001"`, '700000001'],
    ['="per_1"', 'per_1'],
    ["'@ada-sample-1", ada],
    ["'ada-sample-1", ada],
    ['@ada-sample-1', ada],
    ['"ada-sample-1"', ada],
    ['“ada-sample-1”', ada],
    ['„ada-sample-1“', ada],
    ['«ada-sample-1»', ada],
    ['`ada-sample-1`', ada],
    [`<${url}>`, url],
    [`"<${url}>"`, url],
    [`\u200b${url}\u200b`, url],
    [`\ufeff ${url}\u00a0`, url],
    [`\u202a${url}\u202c`, url],
    [`\t${url}\r`, url],
    [`="${url}"`, url],
    ['=700000001', '=700000001'],
    ['=x', '=x'],
    ['+x', '+x'],
    ['-x', '-x'],
    ["o'neill", "o'neill"],
    ['ada@sample.example', 'ada@sample.example'],
    ['(ada)', '(ada)'],
    ['<<ada>>', 'ada'],
    ['<<<<<<< ada', '<<<<<<< ada'],
    ['ada>', 'ada>'],
    ['', ''],
    ['""', ''],
    ['=""', ''],
    [' \u200b ', ''],
  ])('%j is %j', (written, identifier) => {
    expect(bare(written)).toBe(identifier);
  });

  it('done twice is done once', () => {
    const mark = fc.constantFrom(...`"'<>@= \t\u200b\ufeff“”a1-/.`);
    fc.assert(
      fc.property(
        fc.string({ unit: mark }),
        (written) => void expect(bare(bare(written))).toBe(bare(written)),
      ),
    );
  });

  it('leaves an identifier alone', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\w:/][\w:/.%~-]*$/),
        (identifier) => void expect(bare(identifier)).toBe(identifier),
      ),
    );
  });

  it('takes a time that grows with the length alone', () => {
    const quotes = '"'.repeat(1_000_000);
    expect(bare(`a${quotes}b${quotes}`)).toBe(`a${quotes}b`);
  });
});

it.each([
  ['  Sample Harbor ', 'Sample Harbor'],
  ['\u200bSample Harbor\ufeff', 'Sample Harbor'],
  ['"Sample Harbor"', 'Sample Harbor'],
  ['="Sample Harbor"', 'Sample Harbor'],
  ["'=1+1 Capital", '=1+1 Capital'],
  ["'@Home Ventures", '@Home Ventures'],
  ["''=1+1 Capital", "'=1+1 Capital"],
  ["'t Sample Capital", "'t Sample Capital"],
  ["Partners'", "Partners'"],
  ['"A" and "B"', '"A" and "B"'],
  ['@Home Ventures', '@Home Ventures'],
  ['""', ''],
  ['’t Sample Capital', '’t Sample Capital'],
  ["'Sample's Harbor'", "Sample's Harbor"],
  ["'Partners' Fund'", "'Partners' Fund'"],
  ['“«Sample»”', 'Sample'],
  ['نامه\u200cها', 'نامه\u200cها'],
])('the name %j is %j', (written, name) => {
  expect(bareName(written)).toBe(name);
});

it('a name is one name, in whatever way a program writes it', () => {
  const blanks = fc.constantFrom(
    ' ',
    '  ',
    '\u00a0',
    '\u202f',
    '\u2003',
    '\t',
    '\n',
    '\u3000',
    ' \u200b ',
  );
  const unseen = fc.constantFrom(
    '',
    '',
    '\u200b',
    '\u00ad',
    '\ufeff',
    '\u200d',
    '\u2060',
    '\u202a',
    '\ufe0f',
  );
  const quotes = fc.constantFrom(
    ...'"" \'\' “” „“ ”” ‘’ ‚‘ «» »« ‹› `` 「」 『』 《》 〝〞 ＂＂ “"'.split(' '),
    '  ',
    '\u00a0\u00a0',
  );
  const words = fc.array(
    fc.constantFrom('Sample', 'Hárbor', "O'Neill", '&', 'Ångström', 'Co.', '500', '李雷'),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  const written = fc.record({
    words,
    blank: blanks,
    mark: unseen,
    around: fc.array(quotes, { maxLength: 2 }),
    isApart: fc.boolean(),
  });
  fc.assert(
    fc.property(written, ({ words, blank, mark, around, isApart }) => {
      const inner = words.map((word) => word.slice(0, 1) + mark + word.slice(1)).join(blank);
      const decorated = around.reduce(
        (text, pair) => pair.charAt(0) + text + pair.charAt(1),
        inner,
      );
      expect(bareName(isApart ? decorated.normalize('NFD') : decorated)).toBe(
        words.join(' ').normalize('NFC'),
      );
    }),
  );
});
