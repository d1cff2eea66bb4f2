import { describe, expect, it } from 'vitest';
import { type FailureDetails, PdiError } from '../../src/errors.ts';
import type { FailureCode } from '../../src/exit.ts';
import { isFatal, StopRule, statusOf } from '../../src/road/stop-rule.ts';

const failure = (code: FailureCode, details: FailureDetails = {}): PdiError => new PdiError(code, `it was ${code}`, details);
const unreached = failure('unavailable', { billed: 'no' });

function newRule(stopOnError = false) {
  const controller = new AbortController();
  return { stopRule: new StopRule({ interrupt: controller.signal, stopOnError }), interrupt: () => controller.abort() };
}

describe('what a failed call makes of its row', () => {
  it.each([
    ['unavailable', 'unknown', 'unknown'],
    ['not_found', 'no', 'not_found'],
    ['usage', 'no', 'invalid'],
    ['unavailable', 'no', 'failed'],
    ['auth', 'no', 'skipped'],
    ['credits', 'no', 'skipped'],
    ['rate_limited', 'no', 'skipped'],
    ['interrupted', 'no', 'skipped'],
    ['internal', 'no', 'skipped'],
    ['internal', 'unknown', 'unknown'],
  ] as const)('%s, billed %s: %s', (code, billed, status) => {
    expect(statusOf(failure(code, { billed }))).toBe(status);
  });
});

describe('a stop rule', () => {
  it.each(['auth', 'credits', 'rate_limited', 'internal'] as const)('ends at %s and with it', (code) => {
    const { stopRule } = newRule();
    const cause = failure(code);
    expect(isFatal(cause)).toBe(true);
    stopRule.failed(cause);
    stopRule.failed(failure('auth'));
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.skipped.error).toBe(`not sent: it was ${code}`);
    expect(stopRule.outcomeOf(cause)).toEqual({ ...stopRule.skipped, failure: cause });
    expect(stopRule.failureOf(3)).toBe(cause);
  });

  it.each(['not_found', 'usage', 'unavailable'] as const)('goes on after %s, unless --on-error is stop', (code) => {
    for (const stopOnError of [false, true]) {
      const { stopRule } = newRule(stopOnError);
      stopRule.failed(failure(code));
      expect(stopRule.stopped).toBe(stopOnError);
      if (stopOnError) expect(stopRule.skipped.error).toBe('not sent: an earlier row failed and --on-error is stop');
      stopRule.answered();
      expect(stopRule.failureOf(3)).toBeUndefined();
    }
  });

  it('ends when ten calls in a row failed, whether they were sent or not', () => {
    const { stopRule } = newRule();
    for (let call = 0; call < 9; call += 1) stopRule.failed(unreached);
    stopRule.answered();
    for (let call = 0; call < 9; call += 1) stopRule.failed(unreached);
    stopRule.failed(failure('not_found', { status: 404, billed: 'no' }));
    for (let call = 0; call < 9; call += 1) stopRule.failed(failure('unavailable', { status: 500, billed: 'unknown' }));
    expect(stopRule.stopped).toBe(false);
    stopRule.failed(unreached);
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.skipped.error).toBe('not sent: 10 calls in a row got no answer: it was unavailable');
    expect(stopRule.failureOf(3)).toMatchObject({ code: 'unavailable', details: { retryable: true } });
  });

  it('in which no call got an answer ends with that, however few rows it has', () => {
    const { stopRule } = newRule();
    stopRule.failed(unreached);
    stopRule.failed(failure('unavailable', { status: 502, reason: 'the service failed (502)', billed: 'unknown' }));
    expect(stopRule.failureOf(0)?.message).toBe('no call got an answer: the service failed (502)');
    stopRule.failed(failure('not_found', { status: 404 }));
    expect(stopRule.failureOf(0)).toBeUndefined();
  });

  it('or only such answers as are not documented, which will hardly change', () => {
    const { stopRule } = newRule();
    stopRule.failed(failure('unavailable', { status: 413, reason: 'an unexpected answer (413)', billed: 'no' }));
    expect(stopRule.failureOf(0)).toMatchObject({
      message: 'no call got an answer of use: an unexpected answer (413)',
      details: { status: 413, retryable: false },
    });
  });

  it('goes on where the answers of calls do not fit their items, but for --on-error stop', () => {
    for (const stopOnError of [false, true]) {
      const { stopRule } = newRule(stopOnError);
      stopRule.answered();
      for (let item = 0; item < 20; item += 1) stopRule.itemFailed(unreached);
      expect(stopRule.stopped).toBe(stopOnError);
    }
  });

  it('ends at Ctrl-C, which is a failure only where rows were left', () => {
    const { stopRule, interrupt } = newRule();
    interrupt();
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.skipped.error).toBe('not sent: the run was interrupted');
    expect(stopRule.failureOf(0)).toBeUndefined();
    expect(stopRule.failureOf(2)?.message).toBe('interrupted: 2 rows were not reached');
  });
});
