import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../src/contract/fields.ts';
import { hasNumberedEscapes, jsonText, parseJson, readAsSent, readJson, withoutUnsafe } from '../src/json.ts';
import { areMembersExact, compactParts, isSameValue } from '../src/json-text.ts';

const deepest = 3;

describe('a number that a double writes otherwise', () => {
  test.each(['5.0', '8.50', '1e7', '4.58E7', '0.0', '0.10', '1500000.50', '-4.0', '12e-1', '9007199254740992.0'])(
    '%s has the same value',
    (digits) => {
      expect(isSameValue(digits)).toBe(true);
    },
  );

  test.each(['9007199254740993', '1e400', '0.1000000000000000055', '-0', '123456789012345678.5'])('%s has another', (digits) => {
    expect(isSameValue(digits)).toBe(false);
  });
});

describe('compact text', () => {
  test.each([
    ['{}', ['{}']],
    ['[]', []],
    ['7', ['7']],
    ['"a, b"', ['"a, b"']],
    ['[1,"x",null,[2,3],{"a":[4,5]}]', ['1', '"x"', 'null', '[2,3]', '{"a":[4,5]}']],
    ['{"a":[1,2],"b":{}}', ['{"a":[1,2],"b":{}}']],
    ['["a\\"],[","\\\\",{"k\\\\\\"]":"}"}]', ['"a\\"],["', '"\\\\"', '{"k\\\\\\"]":"}"}']],
    ['[123456789012345,4.05,-7]', ['123456789012345', '4.05', '-7']],
  ])('%s is taken apart', (text, parts) => {
    expect(compactParts(text, deepest)).toEqual(parts);
  });

  test.each(['[1, 2]', '{"a": 1}', '[\n1]', '[1.0]', '[-0]', '{"a":1e5}', '[9007199254740993]', '[0.10]', '[1E400]', '[[[[]]]]'])(
    '%s has white space, a number that a double would change, or a level too many',
    (text) => {
      expect(compactParts(text, deepest)).toBeUndefined();
    },
  );
});

describe('members of objects', () => {
  test.each([
    ['{"a":1}', true],
    ['{"a": 1.5,"b":\n-7}', true],
    ['{"a":123456789012345}', true],
    ['{"a":"1.0","b":[1.0]}', true],
    ['1.0', true],
    ['{"a":"12:30:00"}', true],
    ['{"a":1.0}', false],
    ['{"a": \t1e5}', false],
    ['[[{"a":{"b":-0}}]]', false],
    ['{"a":12345678901234567}', false],
    ['{"a":":1.0"}', false],
  ])('%s: a double gives each back, or what looks like one: %j', (text, exact) => {
    expect(areMembersExact(text)).toBe(exact);
  });
});

test('what JSON.stringify writes is taken apart where its elements end', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }), (values) => {
      const parts = compactParts(JSON.stringify(values), 10);
      // A number may look another way than it is written here: 1e-7, or minus zero that came out as 0.
      if (parts !== undefined) expect(parts).toEqual(values.map((value) => JSON.stringify(value)));
    }),
    { numRuns: 2000 },
  );
});

/** What a terminal obeys, and JSON allows as it is. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Characters of strings: any at all, and often those that are written, cut or obeyed in some way of their own. */
const stringUnit = fc.oneof(
  fc.constantFrom('z', 'é', '"', '\\', '\n', '\u0001', '},', '{', '\u007f', '\u009b', '\u061c', '\u200e', '\u202e', '\u2066', '\u2028'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

/** The text of a value, where that goes out as it came. */
function asItCame(text: string): string | undefined {
  const { sent } = readJson(text);
  return sent === undefined || hasNumberedEscapes(sent.whole) ? undefined : withoutUnsafe(sent.whole);
}

describe('a text that may go out as it came', () => {
  test('is what would be written, and its elements too', () => {
    const text = '[{"name":"Zoë \\"Z\\" 名","n":1.5,"tags":["a\\n"]},{"name":null}]';
    expect(readJson(`${text}\n`).sent).toEqual({
      whole: text,
      records: ['{"name":"Zoë \\"Z\\" 名","n":1.5,"tags":["a\\n"]}', '{"name":null}'],
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
      }),
      { numRuns: 2000 },
    );
  });

  test.each(['[1,]', '{"a":1', '["a', '["a\\"]', '[1}', '\ufeff{}', '[01]', '"\t"', '', '-', '[1-2]', 'tru'])('%j is refused', (text) => {
    expect(() => readJson(text)).toThrow(SyntaxError);
  });
});

describe('a list whose records go out as they came', () => {
  test('is cut where they begin, and keeps digits that a double would change', () => {
    const records = ['{"id":"a\u202e","in":{"tags":["},{"]}}', '{"id":null,"n":1.50}', '{"id":"","more":[{"id_":90071992547409931}]}'];
    expect(readAsSent(`[${records.join(',')}]\n`).sent?.records).toEqual(records);
  });

  test.each([
    ['one whose records hold others that begin alike', '[{"id":1,"in":[{"id":2},{"id":3}]},{"id":4}]'],
    ['a record that begins with another key', '[{"id":1,"in":[{"id":2},{"id":3}]},{"no":4}]'],
    ['a key that is written another way', '[{"id":1,"in":[{"id":2},{"id":3}]},{"\\u0069d":4}]'],
    ['a key written another way, and one within too many', '[{"id":1},{"\\u0069d":2,"in":[{"no":3},{"id":4}]}]'],
    ['white space between records', '[{"id":1}, {"id":2}]'],
    ['white space in them', '[{"id": 1},{"id": 2}]'],
    ['white space after a comma, and one within too many', '[{"id":1,"in":[{"id":2},{"id":3}]}, {"id":4}]'],
    ['white space before a comma', '[{"id":1,"in":[{"id":2},{"id":3}]} ,{"id":4}]'],
    ['a line end', '[{"id":1,"in":[{"id":2},{"id":3}]},\n{"id":4}]'],
    ['white space before a key', '[{"id":1,"in":[{"no":2},{"id":3}]},{ "id":4}]'],
    ['white space behind a key', '[{"id":1,"in":[{"no":2},{"id":3}]},{"id" :4}]'],
    ['no object', '["a","b"]'],
    ['an empty list', '[]'],
    ['one object', '{"id":1}'],
    ['a key with a number first', '[{"1":1,"0":2},{"1":3}]'],
  ])('is read with care if it is %s', (_what, text) => {
    expect(readAsSent(text)).toEqual(readJson(text));
  });

  test('is what a careful reading gives', () => {
    const member = fc.tuple(fc.constantFrom('id', 'in', 'no'), fc.jsonValue({ maxDepth: 2, stringUnit }));
    const record = fc.array(member, { maxLength: 3 }).map((members) => Object.fromEntries(members));
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const text = JSON.stringify(records);
        const { value, sent } = readAsSent(text);
        expect(jsonText(value)).toBe(jsonText(readJson(text).value));
        if (sent !== undefined) expect(sent.records).toEqual(records.map((one) => JSON.stringify(one)));
      }),
      { numRuns: 2000 },
    );
  });

  test('is cut right or read with care, wherever white space stands', () => {
    const leaf = fc.constantFrom('1', '"},{\\"id\\":"', '" }, {"', '"a"', 'null');
    const gap = fc.oneof({ arbitrary: fc.constant(''), weight: 60 }, fc.constantFrom(' ', '\n', '\t', '\r', '  '));
    const { list } = fc.letrec<{ object: string; list: string; value: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('object')),
      object: fc
        .tuple(fc.constantFrom('id', 'id', 'id', 'no'), tie('value'), tie('value'), fc.array(gap, { minLength: 6, maxLength: 6 }))
        .map(([key, first, second, [a, b, c, d, e, f]]) => `{${a}"${key}"${b}:${c}${first}${d},"in":${e}${second}${f}}`),
      list: fc
        .array(fc.tuple(gap, tie('object'), gap), { minLength: 1, maxLength: 4 })
        .map((objects) => `[${objects.map((parts) => parts.join('')).join(',')}]`),
    }));
    let cut = 0;
    fc.assert(
      fc.property(list, (text) => {
        const { value, sent } = readAsSent(text);
        expect(value).toEqual(JSON.parse(text));
        if (sent === undefined) return;
        cut += 1;
        expect(sent.records.map((record): unknown => JSON.parse(record))).toEqual(value);
        expect(`[${sent.records.join(',')}]`).toBe(text);
      }),
      { numRuns: 5000 },
    );
    expect(cut).toBeGreaterThan(100);
  });

  test.each(['[{"id":1},{"id":2]', '[{"id":1},{"id":2}', '[{"id":}]'])('%j is refused', (text) => {
    expect(() => readAsSent(text)).toThrow(SyntaxError);
  });
});
