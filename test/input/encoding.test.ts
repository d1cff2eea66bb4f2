/** Text that is not UTF-8: named, marked, or refused at its line. */
import { closeSync, openSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodingName } from '../../src/input/encoding.ts';
import { openInput } from '../../src/input/open-input.ts';
import type { InputRow } from '../../src/rows/row.ts';
import { failureOf } from '../support/failure.ts';
import { needsPosix } from '../support/needs.ts';
import { fileOf } from '../support/service.ts';
import {
  expectRefused,
  linesIn,
  openFile,
  openPiped,
  personNames,
  rowsOf,
  rowsUntilFailure,
  textsOf,
  untouchable,
} from './reading.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();

/** Of rows that are to be sent their text, of others nothing. */
const asked = (rows: readonly InputRow[]) =>
  rows.map(({ text, status }) => (status !== 'skipped' ? text : undefined));

/** A good start that is longer than what is read at once. */
const many = (line: (index: number) => string): string =>
  Array.from({ length: 20_000 }, (_, index) => `${line(index)}\n`).join('');

describe('a file that is not UTF-8 is refused before its first row is given', () => {
  test.each([
    ['lines', 'a.txt', `${many((index) => `per_${index}`)}per_\xe9\nper_x\n`, 20_001],
    [
      'lines, the last one without an end',
      'a.txt',
      `${many((index) => `per_${index}`)}per_\xe9`,
      20_001,
    ],
    ['CSV', 'a.csv', `person_id,n\n${many((index) => `per_${index},x`)}per_1,\xe9\n`, 20_002],
    [
      'CSV, after a quoted line end',
      'a.csv',
      `person_id,n\nper_0,"x\ny"\n${many((index) => `per_${index},"x"`)}per_1,\xe9\n`,
      20_004,
    ],
    ['CSV, within quotes', 'a.csv', `person_id,n\nper_1,"a\nb\n\xe9"\n`, 4],
    ['TSV', 'a.tsv', `person_id\tn\n${many((index) => `per_${index}\tx`)}per_1\t\xe9\n`, 20_002],
    [
      'NDJSON',
      'a.ndjson',
      `${many((index) => `{"person_id":"per_${index}"}`)}{"person_id":"\xe9"}\n`,
      20_001,
    ],
    ['a header', 'a.csv', 'person_id,pr\xe9nom\nper_1,x\n', 1],
  ])('%s', async (_what, name, content, line) => {
    const words = new RegExp(`/${name}, line ${line}: not valid UTF-8$`);
    await expectRefused(openFile(name, latin1(content)), words, /--encoding windows-1252/);
  });

  test('a file that was read through is not read through again: a mistake comes at its line', async () => {
    const input = await openFile('a.txt', latin1('per_1\nper_\xe9\n'), { checked: true });
    const { rows, failure } = await rowsUntilFailure(input);
    expect(rows).toEqual([{ line: 1, text: 'per_1' }]);
    expect(failure).toHaveProperty('message', expect.stringContaining('line 2: not valid UTF-8'));
  });

  test(
    'a descriptor is read once, as its place in the file may be shared',
    needsPosix,
    async () => {
      const descriptor = openSync(fileOf('a.txt', latin1('per_1\nper_\xe9\n')), 'r');
      onTestFinished(() => closeSync(descriptor));
      const input = await openInput({
        path: `/dev/fd/${descriptor}`,
        io: { stdin: untouchable() },
        candidates: personNames,
      });
      expect(asked((await rowsUntilFailure(input)).rows)).toEqual(['per_1', undefined]);
    },
  );
});

describe('a pipe stops at the line: the rows before it come first, and the rest is not read', () => {
  const shiftJis = Buffer.concat([
    latin1('per_1\nper_\x93\xfa\n'),
    Buffer.from([0x70, 0xff, 0x0a]),
    latin1('per_4\n'),
  ]);
  const two = ['per_1', 'per_2', undefined, undefined];
  const lost = Buffer.concat([Buffer.from('per_1\nper_\uFFFD\n'), latin1('per_\xe9\nper_4\n')]);

  describe.each<
    [
      what: string,
      content: Buffer,
      encoding: string | undefined,
      asked: (string | undefined)[],
      mistake: string,
    ]
  >([
    ['lines', latin1('per_1\nper_2\nper_\xe9\nper_4\n'), undefined, two, 'line 3: not valid UTF-8'],
    [
      'after a U+FFFD that somebody wrote',
      lost,
      undefined,
      ['per_1', 'per_\uFFFD', undefined, undefined],
      'line 3: not valid UTF-8',
    ],
    [
      'cells over lines',
      latin1('person_id,n\nper_1,"a\nb"\nper_2,c\nper_3,\xe9\nper_4,d\n'),
      undefined,
      two,
      'line 5: not valid UTF-8',
    ],
    [
      'what shift_jis lacks',
      shiftJis,
      'shift_jis',
      ['per_1', 'per_日', undefined, undefined],
      'line 3, column 2: not valid shift_jis',
    ],
    [
      'half a character',
      utf16le('per_1\nper_2').subarray(0, -1),
      undefined,
      ['per_1', undefined],
      'line 2, column 5: not valid utf-16le',
    ],
  ])('%s', (_what, content, encoding, texts, mistake) => {
    test.each([1, 3, 7, 100_000])('%d bytes at a time', async (size) => {
      const { rows, failure } = await rowsUntilFailure(
        await openPiped(content, { encoding }, size),
      );
      expect(asked(rows)).toEqual(texts);
      expect(failure).toHaveProperty('message', `standard input, ${mistake}`);
      if (rows[3] !== undefined)
        expect(rows[3]).toMatchObject({
          text: 'per_4',
          status: 'skipped',
          invalid: `not sent: standard input, ${mistake}`,
        });
    });
  });

  test('also where a cell over several lines holds it, and rows keep one column of several', async () => {
    const content = latin1('person_id,n\nper_1,"a\nb"\nper_2,"c\n\xe9"\nper_3,d\n');
    const { rows, failure } = await rowsUntilFailure(
      await openPiped(content, { column: 'person_id,n' }, 100_000),
    );
    expect(asked(rows)).toEqual(['per_1', undefined, undefined]);
    expect(rows.map(({ next }) => next?.text)).toEqual(['a\nb', undefined, undefined]);
    expect(failure).toHaveProperty('message', 'standard input, line 5: not valid UTF-8');
  });

  test('in a header: there are no rows', async () => {
    const failure = await failureOf(
      openPiped(latin1('person_id,\xe9\nper_1,a\n'), { inputFormat: 'csv' }, 100_000),
    );
    expect(failure).toHaveProperty('message', 'standard input, line 1: not valid UTF-8');
  });
});

describe('other encodings', () => {
  test.each([1, 7, 100_000])('windows-1252, %d bytes at a time', async (size) => {
    const rows = await rowsOf(
      await openPiped(
        latin1('person_id,n\nper_1,\xe9\x80\nper_2,"\x93a\nb\x94"\n'),
        { encoding: 'windows-1252' },
        size,
      ),
    );
    expect(rows.map(({ own }) => own)).toEqual([
      { raw: 'per_1,é€', cells: ['per_1', 'é€'] },
      { raw: 'per_2,"“a\nb”"', cells: ['per_2', '“a\nb”'] },
    ]);
  });

  test('every byte of windows-1252 that is a character, from a file', async () => {
    const bytes = Uint8Array.from({ length: 0xff - 0x20 }, (_, index) => 0x21 + index).filter(
      (byte) => byte !== 0x7f && byte !== 0xa0,
    );
    const [row] = await rowsOf(
      await openFile('a.txt', Buffer.from(bytes), {
        encoding: 'windows-1252',
        inputFormat: 'lines',
      }),
    );
    expect(row?.text?.slice(94, 126)).toBe(
      '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ',
    );
    expect(row?.text?.slice(126)).toBe(
      latin1(Buffer.from(bytes).toString('latin1').slice(126)).toString('latin1'),
    );
  });

  test.each([
    ['UTF-16 LE', utf16le],
    ['UTF-16 BE', utf16be],
  ])('%s with a byte order mark needs no flag, in files and pipes', async (_what, encoded) => {
    const content = encoded('person_id;n\r\nper_1;é🦊\r\n');
    for (const input of [
      await openFile('a.csv', content),
      await openPiped(content, {}, 1),
      await openPiped(content, {}, 3),
    ]) {
      expect(input.own).toMatchObject({
        rawHeader: 'person_id;n',
        delimiter: ';',
        lineEnd: '\r\n',
      });
      expect((await rowsOf(input)).map(({ own }) => own?.raw)).toEqual(['per_1;é🦊']);
    }
  });

  test.each([
    ['little', 'utf-16le', 'per_1\nper_é\n'],
    ['big', 'utf-16be', 'per_1\nper_é\n'],
    ['big', 'utf-16be', 'person_id,n\r\nper_1,日本\r\n'],
    ['little', 'utf-16le', 'person_id\tn\r\nper_1\t회사\r\n'],
  ])(
    'UTF-16 (%s-endian) without a mark is told as such, and text as %s',
    async (end, encoding, text) => {
      const little = Buffer.from(text, 'utf16le');
      const content = end === 'big' ? Buffer.from(little).swap16() : little;
      const wish = { candidates: ['person_id'] };
      const files = ['a.csv', 'a.txt'].map((name) => () => openFile(name, content, wish));
      for (const open of [...files, () => openPiped(content, wish, 3)]) {
        expect(await failureOf(open())).toMatchObject({
          message: expect.stringMatching(
            new RegExp(`is UTF-16 \\(${end}-endian\\) without a byte order mark$`),
          ),
          details: { hint: `Say --encoding ${encoding}.` },
        });
      }
      const [row] = await rowsOf(await openFile('a.txt', content, { ...wish, encoding }));
      expect(row?.text).toBe('per_1');
    },
  );

  test.each([
    ['big', [0, 0, 0xfe, 0xff]],
    ['big', []],
    ['little', [0xff, 0xfe, 0, 0]],
    ['little', []],
  ])('UTF-32 (%s-endian) is told as such', async (end, mark) => {
    const written = [...'per_1\nper_2\n'].flatMap((character) => [
      0,
      0,
      0,
      character.charCodeAt(0),
    ]);
    const content = Buffer.from([...mark, ...(end === 'big' ? written : written.reverse())]);
    expect(await failureOf(openFile('a.txt', content))).toMatchObject({
      message: expect.stringMatching(new RegExp(`is UTF-32 \\(${end}-endian\\)$`)),
      details: { hint: expect.stringContaining('iconv -f UTF-32') },
    });
  });

  test.each([
    ['euc-kr', [0xb0, 0xa1, 0x8c, 0x63], 2],
    ['euc-kr', [0x41, 0xb0, 0xa1, 0x81, 0x41], 3],
    ['euc-kr', [0xc9, 0xa1], 1],
    ['big5', [0xa4, 0x40, 0x87, 0x40], 2],
    ['big5', [0xfa, 0x40], 1],
    ['big5', [0x41, 0x80], 2],
    ['euc-jp', [0xa4, 0xa2, 0x80, 0x41], 2],
    ['shift_jis', [0x41, 0xf0, 0x20], 2],
    ['gbk', [0x41, 0x81, 0x20], 2],
    ['gbk', [0xd6, 0xd0, 0xff], 2],
  ])(
    'of %s, a character that the engine does not know is refused at its line and column',
    async (encoding, bytes, column) => {
      const content = Buffer.concat([
        latin1('person_id,n\nper_1,x\nper_2,'),
        Buffer.from(bytes),
        latin1('\nper_3,y\n'),
      ]);
      const words = new RegExp(`line 3, column ${6 + column}: not valid ${encoding}$`);
      await expectRefused(openFile('a.csv', content, { encoding }), words, /--encoding.*iconv -f /);
      for (const size of [1, 5, 100_000]) {
        const { rows } = await rowsUntilFailure(
          await openPiped(content, { encoding, inputFormat: 'csv' }, size),
        );
        expect(asked(rows)).toEqual(['per_1', undefined, undefined]);
      }
    },
  );

  test.each([
    ['euc-kr', [0xb0, 0xa1, 0xc8, 0xfe], '가힝'],
    ['big5', [0xa4, 0x40, 0xb4, 0xfa], '一測'],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['gb18030', [0x81, 0x30, 0x84, 0x36, 0xd6, 0xd0], '¥中'],
  ])('of %s, what it knows is read', async (encoding, bytes, text) => {
    const content = Buffer.concat([
      latin1('person_id,n\nper_1,'),
      Buffer.from(bytes),
      latin1('\n'),
    ]);
    expect((await rowsOf(await openFile('a.csv', content, { encoding })))[0]?.own?.cells[1]).toBe(
      text,
    );
  });

  test('of windows-874, a byte that it does not have is refused', async () => {
    const content = Buffer.from([...latin1('person_id,n\nper_1,'), 0xa1, 0xdb, 0x0a]);
    await expectRefused(
      openFile('a.csv', content, { encoding: 'windows-874' }),
      /line 2, column 8: not valid windows-874$/,
    );
  });

  test('a U+FFFD that somebody wrote in UTF-16 is text', async () => {
    expect(await textsOf(await openFile('a.txt', utf16le('per_\uFFFD\n')))).toEqual(['per_\uFFFD']);
  });

  test('a mark wins over the flag', async () => {
    expect(
      await textsOf(await openFile('a.txt', '\uFEFFper_é\n', { encoding: 'windows-1252' })),
    ).toEqual(['per_é']);
    expect(
      await textsOf(await openFile('a.txt', utf16le('per_é\n'), { encoding: 'windows-1252' })),
    ).toEqual(['per_é']);
  });

  test.each([
    [
      'shift_jis',
      Buffer.concat([latin1(many((index) => `per_${index}`)), Buffer.from([0xff, 0x0a])]),
      20_001,
    ],
    ['utf-16le', Buffer.from('per_1\nper_\uD800\nx\n', 'utf16le'), 2],
    ['utf-8', latin1('per_1\nper_\xe9\n'), 2],
  ])(
    'a file with bytes that %s does not have is refused at once',
    async (encoding, content, line) => {
      const words = new RegExp(
        `a\\.txt, line ${line}(, column \\d+)?: not valid ${encoding}$`,
        'i',
      );
      await expectRefused(openFile('a.txt', content, { encoding }), words);
    },
  );

  test('any text in UTF-16, cut anywhere, is the same text', async () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((text) => /^[^\p{C}\s\u2500-\u257f]+$/u.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (words, little, size) => {
          const content = (little ? utf16le : utf16be)(words.join('\n'));
          expect(await linesIn(await openPiped(content, { inputFormat: 'lines' }, size))).toEqual(
            words,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('labels are those of the WHATWG, in any case', () => {
    const names = ['Windows-1252', 'latin1', 'SJIS', 'utf8', 'UTF-16'].map(encodingName);
    expect(names.join(' ')).toBe('windows-1252 windows-1252 shift_jis utf-8 utf-16le');
    expect(() => encodingName('klingon')).toThrow('no encoding is called "klingon"');
    const details = expect.objectContaining({
      hint: expect.stringMatching(/: iconv -f CP850 -t UTF-8 FILE \| pdi … -i -$/),
    });
    expect(() => encodingName('CP850')).toThrow(expect.objectContaining({ details }));
  });
});
