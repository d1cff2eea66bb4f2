import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerLine, jobLine, readEntry } from '../../src/book/job-lines.ts';
import { maxDepth } from '../../src/json/parse.ts';
import { readRecord } from '../../src/rows/row.ts';

const deep = `${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}`;
const bought = (record: string) => ({ status: 'ok', record: readRecord(record) }) as const;

/** The record's text in a line. */
function recordIn(line: string): string | undefined {
  const entry = readEntry(line);
  return entry !== undefined && 'outcome' in entry ? entry.outcome.record?.text : undefined;
}

describe('a line about an answer', () => {
  test.each([
    ['an object', '{"id":12345678901234567890.10,"name":"Zoë\u2028"}'],
    ['fields in their order', '{"b":1,"2":1,"1":2}'],
    ['a bare number', '1.0'],
    ['the deepest record', deep],
    ['what looks like a line of ours', '{"item":"x","record":{"record":"{}"}}'],
  ])('keeps each character of %s', (_, record) => {
    const line = answerLine('per_1', bought(record));
    expect(line).toBe(`{"item":"per_1","status":"ok","record":${record}}\n`);
    expect(recordIn(line)).toBe(record);
  });

  test('is one line, read as it was written, whatever item and record are, and torn wherever it was cut', () => {
    const item = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('x","record":{"a":1}', 'one\ntwo', ''));
    const text = fc.tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\t')).map(([value, gap]) => JSON.stringify(value, null, gap));
    fc.assert(
      fc.property(item, text, fc.nat(), (item, json, cut) => {
        const line = answerLine(item, bought(json));
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(readEntry(line)).toMatchObject({ item, state: 'ok', outcome: { status: 'ok' } });
        expect([recordIn(line), recordIn(`${line.trimEnd()}   `)]).toEqual([readRecord(json).text, readRecord(json).text]);
        expect(readEntry(line.slice(0, cut % (line.length - 1)))).toBeUndefined();
        const outcome = { status: 'not_found', error: `not found: ${item}` } as const;
        expect(readEntry(answerLine(item, outcome))).toEqual({ item, state: 'not_found', outcome });
        expect(readEntry(jobLine({ sent: item }))).toMatchObject({ item, state: 'sent', outcome: { status: 'unknown' } });
      }),
    );
  });

  test.each(['{"a":1', '{"a":1}}', '"{}', '', 'nothing', `[${deep}]`])('is damaged where its record is %s', (record) => {
    expect(readEntry(`{"item":"per_1","status":"ok","record":${record}}`)).toBeUndefined();
  });
});
