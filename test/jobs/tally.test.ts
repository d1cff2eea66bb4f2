import { describe, expect, it } from 'vitest';
import { describeTally, emptyTally, failureOfRows, isUnfinished, rowsIn } from '../../src/jobs/tally.ts';

describe('a tally', () => {
  it.each([
    [{}, '0 rows'],
    [{ ok: 1 }, '1 row: 1 ok'],
    [{ ok: 128, invalid: 2 }, '130 rows: 128 ok, 2 invalid'],
    [{ skipped: 1, not_found: 2, unknown: 3, failed: 4 }, '10 rows: 2 not found, 3 unknown, 4 failed, 1 skipped'],
  ])('%j is said as "%s"', (counts, words) => {
    expect(describeTally({ ...emptyTally(), ...counts })).toBe(words);
  });

  it.each([
    ['ok', false, false, false],
    ['not_found', false, true, false],
    ['invalid', false, true, true],
    ['unknown', true, true, true],
    ['failed', true, true, true],
    ['skipped', true, true, true],
  ] as const)('one %s row: unfinished %s, partial %s, partial for resolve %s', (status, unfinished, partial, partialForResolve) => {
    const tally = { ...emptyTally(), [status]: 1 };
    // What is unknown is not sent again unasked.
    const retryable = unfinished && status !== 'unknown';
    const failure = { code: 'partial', details: { billed: status === 'unknown' ? 'unknown' : 'no', retryable } };
    const ends = [failureOfRows(tally, []), failureOfRows(tally, ['not_found'])];
    for (const [index, isPartial] of [partial, partialForResolve].entries()) {
      if (isPartial) expect(ends[index]).toMatchObject(failure);
      else expect(ends[index]).toBeUndefined();
    }
    expect(failureOfRows(tally, [status])).toBeUndefined();
    expect(isUnfinished(tally)).toBe(unfinished);
    expect(rowsIn(tally)).toBe(1);
  });
});
