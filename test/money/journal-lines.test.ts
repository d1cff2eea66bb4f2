import { describe, expect, test } from 'vitest';
import { deepestJson } from '../../src/json-depth.ts';
import { answerLine, readEntry, sentLine } from '../../src/money/journal-lines.ts';

const deep = `${'['.repeat(deepestJson)}${']'.repeat(deepestJson)}`;

describe('a line about an answer', () => {
  test.each([
    ['an object', '{"id":12345678901234567890.10,"name":"Zoë\u2028"}', ':{"id":12345678901234567890.10'],
    ['a page of records', '[{"a":1}, {"a":2}]', ':[{"a":1}, {"a":2}]}'],
    ['an object on several lines', '{\n "a": 1 }', ':"{\\n \\"a\\": 1 }"}'],
    ['white space before it', ' {"a":1}', ':" {\\"a\\":1}"}'],
    ['a bare text', '"a \\"b\\""', ':"\\"a \\\\\\"b\\\\\\"\\""}'],
    ['a bare number', '1.0', ':"1.0"}'],
    ['the deepest record', deep, ':[[['],
    ['what looks like a line of ours', '{"item":"x","record":{"record":"{}"}}', ':{"item":"x","record":{"record":"{}"}}}'],
  ])('keeps each character of %s', (_, record, written) => {
    const line = answerLine('per_1', { status: 'ok', record });
    expect(line.slice(line.indexOf('"record"') + '"record"'.length)).toContain(written);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(readEntry(line)).toEqual({ item: 'per_1', state: 'ok', outcome: { status: 'ok', record } });
  });

  test.each([
    ['a quoted key', 'x","record":{"a":1}'],
    ['a line feed', 'one\ntwo'],
  ])('takes an item with %s for nothing but an item', (_, item) => {
    const error = `not found: ${item}`;
    expect(readEntry(answerLine(item, { status: 'not_found', error }))).toEqual({
      item,
      state: 'not_found',
      outcome: { status: 'not_found', error },
    });
    expect(readEntry(answerLine(item, { status: 'ok', record: '{}' }))).toEqual({
      item,
      state: 'ok',
      outcome: { status: 'ok', record: '{}' },
    });
    expect(readEntry(sentLine(item))).toEqual({ item, state: 'sent' });
  });

  test('is read with a record as a string, whatever it is, and with blanks behind it', () => {
    const read = { item: 'per_1', state: 'ok', outcome: { status: 'ok', record: '{"a":1}' } };
    expect(readEntry('{"item":"per_1","status":"ok","record":"{\\"a\\":1}"}')).toEqual(read);
    expect(readEntry('{"item":"per_1","status":"ok","record":{"a":1}}   ')).toEqual(read);
  });

  test.each(['{"a":1', '{"a":1}}', '"{\\"a\\":1"', '"{}', '', 'nothing', `[${deep}]`])('is damaged where its record is %s', (record) => {
    expect(readEntry(`{"item":"per_1","status":"ok","record":${record}}`)).toBeUndefined();
  });

  test('is torn wherever it was cut', () => {
    for (const record of ['{"a":{"b":[1,"}"]}}', '"text"']) {
      const line = answerLine('per_1', { status: 'ok', record }).trimEnd();
      for (let cut = 0; cut < line.length; cut += 1) expect(readEntry(line.slice(0, cut))).toBeUndefined();
    }
  });
});
