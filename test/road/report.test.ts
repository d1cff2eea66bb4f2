import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PdiError, UsageError } from '../../src/errors.ts';
import { describeFailure } from '../../src/road/report.ts';

const asLine = (error: unknown, verbose = false) =>
  describeFailure(error, { json: false, verbose });
const asJson = (error: unknown): unknown =>
  JSON.parse(describeFailure(error, { json: true, verbose: false }));

function systemError(): unknown {
  try {
    return readFileSync('/nowhere/to/be/found');
  } catch (error) {
    return error;
  }
}

const bug =
  'this is a bug in pdi: please report it; run it again with --verbose, which shows more of it\n';

describe('for people: one line', () => {
  test.each([
    [new UsageError('no such flag', { hint: 'see --help' }), 'pdi: no such flag; see --help\n'],
    [new PdiError('credits', 'out of credits'), 'pdi: out of credits\n'],
    [new Error('oops'), `pdi: unexpected: oops; ${bug}`],
    ['just a text', `pdi: unexpected: just a text; ${bug}`],
    [undefined, `pdi: unexpected: undefined; ${bug}`],
  ])('%#', (error, line) => {
    expect(asLine(error)).toBe(line);
  });

  test('the system’s own failures are no bugs', () => {
    const line = asLine(systemError());
    expect(line).toMatch(/^pdi: ENOENT: .*; check the disk and the file permissions\n$/);
  });

  test('a stack trace only for bugs, and only with --verbose', () => {
    expect(asLine(new Error('oops'))).not.toContain('at ');
    expect(asLine(new Error('oops'), true)).toMatch(/\n {4}at /);
    expect(asLine(new UsageError('oops'), true)).toBe('pdi: oops\n');
  });
});

describe('for programs: one object', () => {
  test('what is not known is null, and nothing was billed', () => {
    expect(asJson(new PdiError('internal', 'm'))).toEqual({
      error: {
        code: 'internal',
        message: 'm',
        status: null,
        errorCode: null,
        item: null,
        billed: 'no',
        retryable: false,
        hint: null,
      },
    });
  });

  test('a bug is one object too', () => {
    expect(asJson(new TypeError('x is not a function'))).toMatchObject({
      error: { code: 'internal', retryable: false },
    });
    expect(describeFailure('x', { json: true, verbose: false }).split('\n')).toHaveLength(2);
  });
});
