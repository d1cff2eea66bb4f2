import { describe, expect, test } from 'vitest';
import { answerLine, jobLine, readEntry } from '../../src/book/job-lines.ts';
import { maxDepth } from '../../src/json/parse.ts';
import { readRecord } from '../../src/rows/row.ts';

const deep = `${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}`;

describe('a line about an answer', () => {
  test.each([
    ['an object', '{"id":12345678901234567890.10,"name":"Zoë\u2028"}'],
    ['a page of records', '[{"a":1},{"a":2}]'],
    ['fields in their order', '{"b":1,"2":1,"1":2}'],
    ['a bare number', '1.0'],
    ['the deepest record', deep],
    ['what looks like a line of ours', '{"item":"x","record":{"record":"{}"}}'],
  ])('keeps each character of %s', (_, record) => {
    const line = answerLine('per_1', { status: 'ok', record: readRecord(record) });
    expect(line).toBe(`{"item":"per_1","status":"ok","record":${record}}\n`);
    const entry = readEntry(line);
    expect(entry).toMatchObject({ item: 'per_1', state: 'ok', outcome: { status: 'ok' } });
    expect(entry !== undefined && 'outcome' in entry && entry.outcome.record?.text).toBe(record);
  });

  test.each([
    ['white space between its tokens', '{\n "a": 1.0 }', '{"a":1.0}'],
    ['white space around it', ' {"a":1} ', '{"a":1}'],
  ])('puts a record with %s on one line', (_, record, written) => {
    expect(answerLine('per_1', { status: 'ok', record: readRecord(record) })).toBe(`{"item":"per_1","status":"ok","record":${written}}\n`);
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
    expect(readEntry(answerLine(item, { status: 'ok', record: readRecord('{}') }))).toEqual({
      item,
      state: 'ok',
      outcome: { status: 'ok', record: readRecord('{}') },
    });
    expect(readEntry(jobLine({ sent: item }))).toMatchObject({ item, state: 'sent', outcome: { status: 'unknown' } });
  });

  test('is read with blanks behind it', () => {
    const read = { item: 'per_1', state: 'ok', outcome: { status: 'ok', record: readRecord('{"a":1}') } };
    expect(readEntry('{"item":"per_1","status":"ok","record":{"a":1}}   ')).toEqual(read);
  });

  test.each(['{"a":1', '{"a":1}}', '"{}', '', 'nothing', `[${deep}]`])('is damaged where its record is %s', (record) => {
    expect(readEntry(`{"item":"per_1","status":"ok","record":${record}}`)).toBeUndefined();
  });

  test('is torn wherever it was cut', () => {
    for (const record of ['{"a":{"b":[1,"}"]}}', '"text"']) {
      const line = answerLine('per_1', { status: 'ok', record: readRecord(record) }).trimEnd();
      for (let cut = 0; cut < line.length; cut += 1) expect(readEntry(line.slice(0, cut))).toBeUndefined();
    }
  });
});
