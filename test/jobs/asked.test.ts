import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { Asked } from '../../src/jobs/asked.ts';
import { ApiRecord, readRecord } from '../../src/rows/record.ts';

function asking(...items: readonly string[]): Asked {
  const asked = new Asked();
  asked.items.push(...items);
  return asked;
}

describe('items asked for together', () => {
  it('have their outcomes by place, for those who wait and for those who come later', async () => {
    const asked = asking('a', 'b');
    const waiting = asked.outcomeOf('b');
    asked.settle([{ status: 'ok', record: new ApiRecord({ a: 1 }) }, { status: 'not_found' }]);
    expect(await waiting).toEqual({ status: 'not_found' });
    expect((await asked.outcomeOf('a')).record?.value).toEqual({ a: 1 });
  });

  it('are read again from their text, every digit, for each who asks later', async () => {
    const asked = asking('a');
    const text = '{"n":90071992547409931,"m":1.50}';
    asked.settle([{ status: 'ok', record: readRecord(text) }]);
    const [first, second] = [await asked.outcomeOf('a'), await asked.outcomeOf('a')];
    expect([first.record?.text, second.record?.text]).toEqual([text, text]);
    expect(first.record).not.toBe(second.record);
  });

  it('keep the words of a failure, not the failure', async () => {
    const asked = asking('a');
    asked.settle([{ status: 'failed', error: 'no answer', failure: new ServiceError('unavailable', 'no answer', {}) }]);
    expect(await asked.outcomeOf('a')).toEqual({ status: 'failed', error: 'no answer' });
  });

  it('fail for all who wait and all who come later, and without a word where nobody does', async () => {
    const bug = new TypeError('a bug');
    const asked = asking('a');
    const waiting = asked.outcomeOf('a');
    asked.fail(bug);
    await expect(waiting).rejects.toBe(bug);
    await expect(asked.outcomeOf('a')).rejects.toBe(bug);
    // A rejection that nobody handles fails the run of the tests.
    asking('b').fail(bug);
    await setImmediate();
  });
});
