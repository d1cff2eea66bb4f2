import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson, readJson } from '../../src/json/parse.ts';
import { jsonText, withoutUnsafe } from '../../src/json/write.ts';

/** What a terminal obeys, and JSON allows as it is. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Characters of strings: any at all, and often those that are written, cut or obeyed in some way of their own. */
const stringUnit = fc.oneof(
  fc.constantFrom('z', 'é', '"', '\\', '\n', '\u0001', '},', '{', '\u007f', '\u009b', '\u061c', '\u200e', '\u202e', '\u2066', '\u2028'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
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
        expect(JSON.stringify(read, (_key, inner) => (inner instanceof ExactNumber ? Number(inner.source) : inner))).toBe(text);
        // A number that no double holds makes the other parser read it, and the other writer write it.
        const delicate = `{"n":1.0,"v":${text}}`;
        expect(parseJson(jsonText(parseJson(delicate)))).toEqual({ n: new ExactNumber('1.0'), v: read });
      }),
      { numRuns: 2000 },
    );
  });
});
