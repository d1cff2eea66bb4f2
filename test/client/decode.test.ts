import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { decode, isOutOfCredits, readRefusal } from '../../src/client/decode.ts';
import { NoAnswer } from '../../src/client/failure.ts';
import { operations } from '../../src/contract/operations.ts';
import { ExactNumber, jsonText, readJson } from '../../src/json/exact.ts';
import { asRecord } from '../support/service.ts';

const person = operations.getPerson;
const revenue = operations.getCompanyLatestRevenue;
const groups = operations.resolvePeople;
const health = operations.checkHealth;
const any = { method: 'GET', response: z.unknown() } as const;
const open = { ...any, successBody: 'open' } as const;

describe('decode', () => {
  test('gives back what was sent: unknown fields, null, order, prototype names', () => {
    const text =
      '{"zebra":1,"person_id":"p","full_name":null,"__proto__":{"x":1},"constructor":2,"average_tenure":2.50}';
    const value = asRecord(decode(person, text).record.value);
    expect(Object.keys(value)).toEqual([
      'zebra',
      'person_id',
      'full_name',
      '__proto__',
      'constructor',
      'average_tenure',
    ]);
    expect(value.average_tenure).toEqual(new ExactNumber('2.50'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('no text is undefined only where the answer is open', () => {
    expect(decode(open, ' \n').record.value).toBeUndefined();
    expect(() => decode(any, '')).toThrow('the body is not JSON (it is empty)');
  });

  test.each(['deleted', 'OK\n', '{deleted: true}', 'true that', '\u0000'])(
    'words are no body where the answer is open: %j',
    (text) => {
      expect(decode(open, text).record.value).toBeUndefined();
      expect(() => decode(any, text)).toThrow('the body is not JSON');
    },
  );

  test.each([
    ['<html>proxy</html>', /page of HTML/],
    [' \n<?xml version="1.0"?>', /not JSON/],
    ['['.repeat(200_000), /nested|too many/],
  ])('a page, or JSON beyond the bounds, is an error all the same', (text, message) => {
    expect(() => decode(open, text)).toThrow(message);
  });

  test.each(['"deleted"', 'true', '{"deleted":true}'])('JSON is a body: %s', (text) => {
    expect(decode(open, text).record.value).toEqual(JSON.parse(text));
  });

  test.each([
    [person, '[]', 'the body should be an object, and is an array'],
    [person, '"x"', 'the body should be an object, and is a string'],
    [person, '7', 'the body should be an object, and is a number'],
    [person, '1.0', 'the body should be an object, and is a number'],
    [groups, '{}', 'the body should be an array, and is an object'],
    [groups, 'null', 'the body should be an array, and is null'],
    [health, '{"status":true}', 'the field "status" should be a string, and is a boolean'],
    [health, '{}', 'the field "status" should be a string, and is missing'],
    [person, '{"person_id": "p"', 'the body is not JSON'],
    [person, '{"person_id": "p"} trailing', 'the body is not JSON'],
    [person, '{"person_id": 1.0,}', 'the body is not JSON'],
    [person, '<feed></feed>', 'the body is not JSON'],
    [person, '<html></html>', 'a page of HTML came, no answer of the API'],
    [
      groups,
      '\n<!DOCTYPE html>\n<html><head><title>Sign\n in</title>',
      'a page of HTML ("Sign in") came, no answer of the API',
    ],
    [
      health,
      '<!-- x --><HTML lang="en"><TITLE></TITLE>',
      'a page of HTML came, no answer of the API',
    ],
    [person, '<p>blocked by policy</p>', 'a page of HTML came, no answer of the API'],
    [
      person,
      '<html><title>Sign in &amp; go &#8211; Caf&#xe9; &eacute; &#7;</title>',
      'a page of HTML ("Sign in &amp; go &#8211; Caf&#xe9; &eacute; &#7;") came, no answer of the API',
    ],
    [
      person,
      `<html><title>${'x'.repeat(80)}</title>`,
      `a page of HTML ("${'x'.repeat(80)}") came, no answer of the API`,
    ],
    [
      person,
      `<html><title>${'x '.repeat(39)}secret</title>`,
      `a page of HTML ("${'x '.repeat(39)}…") came, no answer of the API`,
    ],
    [person, ' ', 'the body is not JSON (it is empty)'],
    [person, '{}', 'the answer has no person_id'],
    [person, '{"person_id":{"a":1}}', 'the answer has no person_id: {"person_id":{"a":1}}'],
    [revenue, '{"id":null,"message":"wait"}', 'the answer has no id: wait'],
    [
      groups,
      '{"detail":"Not found."}',
      'the body should be an array, and is an object: {"detail":"Not found."}',
    ],
  ])('case %#', (endpoint, text, message) => {
    const facts = message.startsWith('a page of HTML') ? { isPage: true } : {};
    expect(() => decode(endpoint, text)).toThrow(new NoAnswer('misshapen', message, facts));
  });

  test.each([
    ['comments before another element', `${'<!-- -->'.repeat(500)}<svg>`, 'the body is not JSON'],
    [
      'a title that never comes',
      `<html>${'<title'.repeat(200_000)}`,
      'a page of HTML came, no answer of the API',
    ],
  ])('no body holds the program up: %s', (_what, text, message) => {
    expect(() => decode(person, text)).toThrow(message);
  });

  test.each([
    [
      person,
      '{"errorCode":"RATE_LIMITED","message":"slow down"}',
      'the answer is an error: RATE_LIMITED: slow down',
    ],
    [groups, '{"errorCode":"NOT_PERMITTED"}', 'the answer is an error: NOT_PERMITTED'],
    [open, '{"errorCode":"NOT_PERMITTED","message":7}', 'the answer is an error: NOT_PERMITTED'],
  ])(
    'an error body is no answer, though its status is a success: case %#',
    (endpoint, text, message) => {
      const refusal = { errorCode: JSON.parse(text).errorCode };
      expect(() => decode(endpoint, text)).toThrow(new NoAnswer('misshapen', message, { refusal }));
    },
  );

  test.each([
    [person, '{"person_id":"p","errorCode":"STALE"}'],
    [person, '{"person_id":7,"errorCode":"","message":"none"}'],
    [revenue, '{"id":null,"company_name":null}'],
  ])('what was paid for is used, whatever it says beside: case %#', (endpoint, text) => {
    expect(decode(endpoint, text).record.value).toEqual(JSON.parse(text));
  });
});

describe('the records of a list', () => {
  /** Literals, as a service may write them, and what stands around them. */
  const number = fc.constantFrom(
    '7',
    '-0',
    '1.0',
    '1e5',
    '-2.50',
    '0.1',
    '12345678901234567890',
    '1E400',
    '-7',
  );
  const scalar = fc.oneof(
    number,
    fc.constantFrom('null', 'true', '"x"', '":1.0"', '"\\\\":5.0,"', '", 1e5"'),
  );
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      tie('value').map((inner) => `{"more":${inner}}`),
    ),
  }));
  const documented = [
    'signal_score',
    'signal_total_funding_usd',
    'company',
    'source_types',
    'tech_verticals',
  ];
  const names = fc.constantFrom(...documented, 'more', '__proto__');
  const member = fc
    .tuple(names, fc.constantFrom('', '', ' ', '\n\t'), value)
    .map(([name, gap, held]) => `"${name}"${gap}:${gap}${held}`);
  const record = fc
    .array(member, { maxLength: 4 })
    .map((members) => `{${['"signal_id":"s"', ...members].join(',')}}`);
  const text = fc.oneof(
    fc.array(record, { maxLength: 3 }).map((records) => `[${records.join(',')}]`),
    value,
    fc.constant('[{"signal_id":"s"},'),
  );

  test('have the texts of their values, every digit of them, and are on one line', () => {
    fc.assert(
      fc.property(text, (body) => {
        let decoded: ReturnType<typeof decode>;
        try {
          decoded = decode(operations.readInvestorInterest, body);
        } catch (error) {
          expect(error).toBeInstanceOf(NoAnswer);
          return;
        }
        const { record, records } = decoded;
        expect(records.map(({ value: one }) => one)).toEqual(record.value);
        for (const one of [record, ...records]) {
          expect(jsonText(readJson(one.text).value)).toBe(jsonText(one.value));
          expect(one.text).not.toMatch(/[\n\r]/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('are as they were sent where that is on one line', () => {
    const sent = ['{"signal_id":"s","more":1e5,"2":1,"1":2}', '{"signal_id":"t\u202e"}'];
    const spaced = decode(operations.readInvestorInterest, `[${sent[0]}, ${sent[1]}]`);
    expect(spaced.records[1]?.text).toBe('{"signal_id":"t\\u202e"}');
    const exact = '{"signal_id":"s","2":1,"1":2}';
    expect(decode(operations.readInvestorInterest, `[${exact}]`).records[0]?.text).toBe(exact);
  });

  test('are refused where they are nested without end', () => {
    const deep = `[{"signal_id":"s","more":${'['.repeat(501)}${']'.repeat(501)}}]`;
    expect(() => decode(operations.readInvestorInterest, deep)).toThrow(
      'the body is nested too deep',
    );
  });
});

test.each([
  ['{"errorCode":"X","message":"m"}', { errorCode: 'X', message: 'm' }],
  ['{"errorCode":"X","message":null,"more":1}', { errorCode: 'X' }],
  ['{"message":"m"}', { message: 'm' }],
  ['{}', {}],
  ['{"errorCode":""}', {}],
  ['[]', {}],
  ['null', {}],
  ['"no"', {}],
  ['<html>', {}],
  ['', {}],
])('error bodies: %s', (text, refusal) => {
  expect(readRefusal(text)).toEqual(refusal);
});

const body = '{"errorCode":"OUT_OF_CREDITS","message":"none"}';
test.each([
  [402, body, true],
  [200, body, true],
  [500, `${body}${' '.repeat(5000)}`, true],
  [402, '{"errorCode":"NOT_PERMITTED","message":"OUT_OF_CREDITS"}', false],
  [402, 'OUT_OF_CREDITS', false],
  [200, '{"about":"OUT_OF_CREDITS"}', false],
  [402, '', false],
  [402, '{"errorCode":"OUT_OF_CREDITS","message":["none"]}', true],
  [402, '{"errorCode":{"x":"OUT_OF_CREDITS"},"message":"none"}', false],
])('OUT_OF_CREDITS, %d %s', (status, text, expected) => {
  expect(isOutOfCredits({ status, text })).toBe(expected);
});
