import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, jsonText, parseJson, readJson, withoutUnsafe } from '../../src/json/exact.ts';
import { anyCharacter } from '../support/any-text.ts';

describe('numbers come out as they went in', () => {
  test.each([
    ...[
      '0',
      '-0',
      '0.0',
      '-0.0',
      '1.0',
      '1.10',
      '100',
      '-7',
      '2.5',
      '1e5',
      '1E+5',
      '-1.5e-7',
      '0.000001',
      '0.0000001',
      '-0.00000012',
    ],
    ...[
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '-9007199254740993',
      '123456789012345678901234567890',
    ],
    ...[
      '1.7976931348623159e309',
      '5e-324',
      '0.1000000000000000055511151231257827',
      '0.30000000000000004',
      '100000000000000000000',
    ],
    ...['1000000000000000000000000'],
  ])('%s', (digits) => {
    for (const text of [digits, `[${digits}]`, `{"a":${digits},"b":[1,${digits}]}`])
      expect(jsonText(parseJson(text))).toBe(text);
    expect(jsonText(parseJson(` [ ${digits} ,\n\t${digits} ] `))).toBe(`[${digits},${digits}]`);
  });

  test('any number literal', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(digits, (literal) => {
        expect(jsonText(parseJson(`{"a":${literal}}`))).toBe(`{"a":${literal}}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('a number that a double holds as written is a plain one', () => {
    expect(parseJson('[1, 2.5, -3, 1234567.891, 9007199254740991]')).toEqual([
      1, 2.5, -3, 1234567.891, 9007199254740991,
    ]);
    expect(parseJson('[1.0, 2.5]')).toEqual([new ExactNumber('1.0'), 2.5]);
  });

  test('a million zeros within a number hold nothing up', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`;
    expect(jsonText(parseJson(digits))).toBe(digits);
  });
});

describe('parsing', () => {
  test.each([
    ...[
      '',
      '{',
      '{"a":1.0,}',
      '[1.0 2]',
      '01',
      '1.',
      '.5',
      '+1',
      'NaN',
      '[1e]',
      '"\t"',
      '{"a":1.0} x',
      'undefined',
      '[1,]',
      '{"a":1',
    ],
    ...['["a', '["a\\"]', '[1}', '\ufeff{}', '[01]', '-', '[1-2]', 'tru'],
  ])('%j is refused', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([1, '1.0'])(
    'of two equal names the last wins, and none reaches the prototype (%s)',
    (number) => {
      const value = parseJson(`{"a":1,"a":${number},"__proto__":{"x":1}}`);
      expect(jsonText(value)).toBe(`{"a":${number},"__proto__":{"x":1}}`);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    },
  );
});

describe('writing', () => {
  test('indented, exact numbers included', () => {
    expect(jsonText({ a: new ExactNumber('1.0'), b: [] }, 2)).toBe('{\n  "a": 1.0,\n  "b": []\n}');
  });

  test('an object that only looks like an exact number', () => {
    expect(jsonText({ source: 'x', n: new ExactNumber('1.0') })).toBe('{"source":"x","n":1.0}');
  });

  test('what JSON cannot hold is null', () => {
    expect([jsonText(undefined), jsonText(Number.NaN), jsonText([undefined])]).toEqual([
      'null',
      'null',
      '[null]',
    ]);
  });

  test('nothing that a terminal obeys, and the same value when read', () => {
    const text = '\u0007\u001b[31m\u007f\u009b31m\u202e\u2066x\u200f';
    const written = jsonText({ text });
    expect(written).toMatch(/^[\u0020-\u007e]+$/);
    expect(JSON.parse(written)).toEqual({ text });
  });
});

/** What a terminal obeys, and JSON allows as it is. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Characters of strings: any at all, and often those that are written, cut or obeyed in some way of their own. */
const stringUnit = fc.oneof(
  fc.constantFrom(
    'z',
    'é',
    '"',
    '\\',
    '\n',
    '\u0001',
    '},',
    '{',
    '\u007f',
    '\u009b',
    '\u061c',
    '\u200e',
    '\u202e',
    '\u2066',
    '\u2028',
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
);

/** The text of a value, where that goes out as it came. */
function asItCame(text: string): string | undefined {
  const { whole } = readJson(text);
  return whole === undefined ? undefined : withoutUnsafe(whole);
}

describe('a text that may go out as it came', () => {
  test('is what would be written, and its elements too', () => {
    const text = '[{"name":"Zoë \\"Z\\" 名","n":1.5,"tags":["a\\n"]},{"name":null}]';
    expect(readJson(`${text}\n`)).toMatchObject({
      whole: text,
      parts: ['{"name":"Zoë \\"Z\\" 名","n":1.5,"tags":["a\\n"]}', '{"name":null}'],
    });
    expect(jsonText(parseJson(text))).toBe(text);
    expect(asItCame(text)).toBe(text);
  });

  test.each([
    ['white space', '{"a": 1}'],
    ['an exact number', '{"a":1.0}'],
    ['an escape', '{"a":"\\u202e"}'],
  ])('is none with %s', (_what, text) => {
    expect(asItCame(text)).toBeUndefined();
    expect(jsonText(readJson(text).value)).not.toMatch(/[\u007f-\u009f\u202e]/);
  });

  test.each([
    ['a control character of the second set', '{"a":"\u009b31m"}', '{"a":"\\u009b31m"}'],
    ['a change of direction', '{"a":"\u202e","n":1}', '{"a":"\\u202e","n":1}'],
    ['a deletion', '{"a":"é\u007f"}', '{"a":"é\\u007f"}'],
  ])('is written with an escape for %s', (_what, text, written) => {
    expect(asItCame(text)).toBe(written);
    expect(jsonText(readJson(text).value)).toBe(written);
  });

  test('any other gives the value that it gives otherwise', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit }), (value) => {
        const text = JSON.stringify(value);
        const { value: read } = readJson(text);
        const came = asItCame(text);
        if (came !== undefined) expect(came).toBe(jsonText(read));
        if (came !== undefined && !obeyed.test(text)) expect(came).toBe(text);
        expect(
          JSON.stringify(read, (_key, inner) =>
            inner instanceof ExactNumber ? Number(inner.source) : inner,
          ),
        ).toBe(text);
        // A number that no double holds makes the other parser read it, and the other writer write it.
        const delicate = `{"n":1.0,"v":${text}}`;
        expect(parseJson(jsonText(parseJson(delicate)))).toEqual({
          n: new ExactNumber('1.0'),
          v: read,
        });
      }),
      { numRuns: 2000 },
    );
  });
});
