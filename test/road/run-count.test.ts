import { describe, expect, it } from 'vitest';
import { RunCount } from '../../src/road/run-count.ts';

describe('the count of a run', () => {
  it.each([
    [{}, '0 rows'],
    [{ ok: 1 }, '1 row: 1 ok'],
    [{ ok: 128, invalid: 2 }, '130 rows: 128 ok, 2 invalid'],
    [{ skipped: 1, not_found: 2, unknown: 3, failed: 4 }, '10 rows: 2 not found, 3 unknown, 4 failed, 1 skipped'],
  ])('%j is said as "%s"', (tally, words) => {
    expect(new RunCount(tally).words).toBe(words);
  });

  it.each([
    ['ok', false, false, false],
    ['not_found', false, true, false],
    ['invalid', false, true, true],
    ['unknown', true, true, true],
    ['failed', true, true, true],
    ['skipped', true, true, true],
  ] as const)('one %s row: unfinished %s, partial %s, partial for resolve %s', (status, unfinished, partial, partialForResolve) => {
    const count = new RunCount();
    count.add([{ status }]);
    // What is unknown is not sent again unasked.
    const retryable = unfinished && status !== 'unknown';
    const failure = { code: 'partial', details: { billed: status === 'unknown' ? 'unknown' : 'no', retryable } };
    const ends = [count.failure([]), count.failure(['not_found'])];
    for (const [index, isPartial] of [partial, partialForResolve].entries()) {
      if (isPartial) expect(ends[index]).toMatchObject(failure);
      else expect(ends[index]).toBeUndefined();
    }
    expect(count.failure([status])).toBeUndefined();
    expect(count.isUnfinished).toBe(unfinished);
    expect(count.rows).toBe(1);
  });

  it('counts what was bought before, written or not, and all else of what was written alone', () => {
    const count = new RunCount({ ok: 3 });
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    count.add(
      [
        { status: 'ok', source: 'book', fetchedAt: late },
        { status: 'failed', error: 'a', source: 'journal', fetchedAt: early },
        { status: 'unknown', input: 'x', error: 'b', source: 'journal' },
      ],
      [{ status: 'ok' }],
    );
    expect(count.origins).toEqual({ from_book: 1, from_journal: 1, oldest_bought_at: early });
    expect([count.words, count.firstError, count.unknownItems.size]).toEqual(['4 rows: 4 ok', undefined, 0]);
    count.addEmpty({ source: 'book', fetchedAt: late });
    expect([count.origins.from_book, count.originUnit, count.rows]).toEqual([2, 'empty answer', 4]);
  });
});
