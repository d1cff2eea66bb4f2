import { describe, expect, it } from 'vitest';
import { type FailureDetails, PdiError } from '../../src/errors.ts';
import type { FailureCode } from '../../src/exit.ts';
import { StopRule } from '../../src/road/stop-rule.ts';

const failure = (code: FailureCode, details: FailureDetails = {}): PdiError => new PdiError(code, `it was ${code}`, details);
const unreached = failure('unavailable', { billed: 'no' });

function newRule(stopOnError = false) {
  return new StopRule({ interrupt: new AbortController().signal, stopOnError });
}

describe('a stop rule', () => {
  it('ends at a failure of our own and with it', () => {
    const stopRule = newRule();
    const cause = failure('internal');
    stopRule.failed(cause);
    stopRule.failed(failure('auth'));
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.outcomeOf(cause)).toEqual({ status: 'skipped', error: 'not sent: it was internal', failure: cause });
    expect(stopRule.outcomeOf(failure('internal', { billed: 'unknown' }))).toMatchObject({ status: 'unknown' });
    expect(stopRule.failureOf(3)).toBe(cause);
  });

  it('ends when ten calls in a row failed, whether they were sent or not', () => {
    const stopRule = newRule();
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

  it('ends with answers that are not documented where there were no others, which will hardly change', () => {
    const stopRule = newRule();
    stopRule.failed(failure('unavailable', { status: 413, reason: 'an unexpected answer (413)', billed: 'no' }));
    expect(stopRule.failureOf(0)).toMatchObject({
      message: 'no call got an answer of use: an unexpected answer (413)',
      details: { status: 413, retryable: false },
    });
  });

  it('goes on where the answers of calls do not fit their items, but for --on-error stop', () => {
    for (const stopOnError of [false, true]) {
      const stopRule = newRule(stopOnError);
      stopRule.answered();
      for (let item = 0; item < 20; item += 1) stopRule.itemFailed(unreached);
      expect(stopRule.stopped).toBe(stopOnError);
    }
  });
});
