import { describe, expect, it } from 'vitest';
import { plainIdentifier } from '../../src/contract/identifier.ts';
import { classify } from '../../src/contract/person-identifier.ts';
import { RunCount } from '../../src/road/run-count.ts';

describe('the count of a run', () => {
  it.each([
    [[], '0 rows'],
    [['ok'], '1 row: 1 ok'],
    [
      ['skipped', 'not_found', 'unknown', 'failed', 'not_found'],
      '5 rows: 2 not found, 1 unknown, 1 failed, 1 skipped',
    ],
  ] as const)('%j is said as "%s"', (statuses, words) => {
    const count = new RunCount();
    count.add(statuses.map((status) => ({ status })));
    expect(count.words).toBe(words);
  });

  it.each([
    ['ok', false, false, false],
    ['not_found', false, true, false],
    ['invalid', false, true, true],
    ['unknown', true, true, true],
    ['failed', true, true, true],
    ['skipped', true, true, true],
  ] as const)(
    'one %s row: unfinished %s, partial %s, partial for resolve %s',
    (status, unfinished, partial, partialForResolve) => {
      const count = new RunCount();
      count.add([{ status }]);
      // What is unknown is not sent again unasked.
      const retryable = unfinished && status !== 'unknown';
      const failure = {
        code: 'partial',
        details: { billed: status === 'unknown' ? 'unknown' : 'no', retryable },
      };
      const ends = [count.failure([]), count.failure(['not_found'])];
      for (const [index, isPartial] of [partial, partialForResolve].entries()) {
        if (isPartial) expect(ends[index]).toMatchObject(failure);
        else expect(ends[index]).toBeUndefined();
      }
      expect(count.failure([status])).toBeUndefined();
      expect(count.isUnfinished).toBe(unfinished);
      expect(count.rows).toBe(1);
    },
  );

  it('counts what was bought before, written or not, and all else of what was written alone', () => {
    const count = new RunCount();
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
    expect([count.words, count.firstError, count.unknownItems.size]).toEqual([
      '1 row: 1 ok',
      undefined,
      0,
    ]);
    count.addEmpty({ source: 'book', fetchedAt: late });
    expect([count.origins.from_book, count.originUnit, count.rows]).toEqual([2, 'empty answer', 1]);
  });
});

function classOf(error: string): string | undefined {
  const count = new RunCount();
  count.add([{ status: 'failed', error }]);
  return count.commonestReasons(1)[0]?.[0];
}

const sentEarlier =
  'sent earlier, and the answer was lost: it may have been billed (--retry-unknown sends it again, which may be billed a second time)';

describe('the class of an error', () => {
  it.each([
    ['no id', 'blank'],
    ['empty', 'blank'],
    ['not a URL', 'not a URL'],
    [
      'not found (404): Person per_1 does not exist or is not shared with the API',
      'not found (404)',
    ],
    [
      'the request was refused as malformed (422): "per 1" is no id',
      'the request was refused as malformed (422)',
    ],
    ['a rounded number: format the column as text in the spreadsheet', 'a rounded number'],
    ['a profile URL, not a person id: pdi resolve (free) finds the id', 'a profile URL'],
    ['no record: invalid, a URL without a profile slug', 'no record'],
    ['7 cells where the header has 5', 'more cells than the header'],
    ['the answer is about another identifier: ada', 'the answer is about another identifier'],
    [
      'the field "17.matches" should be array, and is string',
      'an answer that is not as documented',
    ],
    ['the field "3.matches" should be array, and is null', 'an answer that is not as documented'],
    [sentEarlier, 'the answer was lost earlier'],
  ])('%j is %j', (error, name) => {
    expect(classOf(error)).toBe(name);
  });

  it.each([
    'https://x/',
    'two words',
    '1.23E+15',
    '1,000',
    '12.0',
    'urn:x',
    'per_1,per_2',
    '..',
    'https://',
    'ada:x',
  ])('says nothing of what stands in the row: %j', (text) => {
    const errors = [classify(text), plainIdentifier(text, 'person'), plainIdentifier(text)].flatMap(
      (found) => ('invalid' in found ? [found.invalid] : []),
    );
    expect(errors).not.toEqual([]);
    for (const error of errors) expect(classOf(error)).not.toContain(text);
  });
});

it('reasons do not grow with a job whose every error is another one, and the common ones are still counted', () => {
  const errors = ['empty', ...Array.from({ length: 100_000 }, (_, at) => `error ${at}`), 'empty'];
  const count = new RunCount();
  count.add(errors.map((error) => ({ status: 'invalid', error })));
  expect(count.commonestReasons(1)).toEqual([['blank', 2]]);
  expect(count.commonestReasons(100_000)).toHaveLength(100);
});
