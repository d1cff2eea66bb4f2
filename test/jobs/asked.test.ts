import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { Asked, type Outcome } from '../../src/jobs/asked.ts';

function asking(...items: readonly string[]): Asked {
  const asked = new Asked();
  asked.items.push(...items);
  return asked;
}

describe('items asked for together', () => {
  it('have their outcomes by place, for those who wait and for those who come later', async () => {
    const asked = asking('a', 'b');
    const waiting = asked.outcomeOf('b');
    asked.settle([{ status: 'ok', record: 1 }, { status: 'not_found' }]);
    expect(await waiting).toEqual({ status: 'not_found' });
    expect(await asked.outcomeOf('a')).toEqual({ status: 'ok', record: 1 });
  });

  it('are read once more from their answer where one is asked for again, not before, and then have a text each', async () => {
    const asked = asking('a', 'b', 'c');
    let read = 0;
    const again = (): readonly Outcome[] => {
      read += 1;
      return [{ status: 'ok', record: [1], json: '[1]' }, { status: 'ok', record: { two: 2 } }, { status: 'not_found' }];
    };
    asked.settle([{ status: 'ok', record: [1] }, { status: 'ok', record: { two: 2 } }, { status: 'not_found' }], again);
    expect(read).toBe(0);
    const first = await asked.outcomeOf('a');
    expect(first).toEqual({ status: 'ok', record: [1], json: '[1]' });
    expect(await asked.outcomeOf('b')).toEqual({ status: 'ok', record: { two: 2 } });
    expect(await asked.outcomeOf('c')).toEqual({ status: 'not_found' });
    expect((await asked.outcomeOf('a')).record).not.toBe(first.record);
    expect(read).toBe(1);
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
