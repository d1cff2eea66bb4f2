/** `--retry-unknown` within a run: what it buys again, when, and when no more. */
import { expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { ServiceError } from '../../src/errors.ts';
import { StopRule } from '../../src/road/stop-rule.ts';
import { buyerOf } from '../book/places.ts';
import { collectedWithFailure, failingClient, inputRows, lookupOf } from './direct.ts';

const lost = new ServiceError('unavailable', 'the answer was lost', { billed: 'unknown' });

/** A client whose answers are all lost, and what it was asked to do: calls, and pauses by their number. */
function losing(pause: () => Promise<void> = async () => {}): { readonly client: Client; readonly done: readonly (string | number)[] } {
  const done: (string | number)[] = [];
  const fail = async () => {
    done.push('call');
    throw lost;
  };
  const pausing = async (attempt: number) => {
    done.push(attempt);
    await pause();
  };
  return { client: { ...failingClient(fail), pause: pausing }, done };
}

const ruleOf = (stopOnError = false) => {
  const controller = new AbortController();
  return { stopRule: new StopRule({ interrupt: controller.signal, stopOnError }), interrupt: () => controller.abort() };
};

const ids = Array.from({ length: 30 }, (_, index) => `per_${index}`);

it('pauses ever longer before it buys again, and gives up where ten calls in a row got no answer', async () => {
  const { client, done } = losing();
  const { rows, failure } = await collectedWithFailure(
    lookupOf(client, inputRows(ids), { concurrency: 1, buyer: buyerOf({ client, retriesOfUnknown: 3 }) }),
  );
  expect(failure).toMatchObject({ code: 'unavailable', message: '10 calls in a row got no answer: the answer was lost' });
  expect(done).toEqual(['call', 1, 'call', 2, 'call', 3, 'call', 'call', 1, 'call', 2, 'call', 3, 'call', 'call', 1, 'call']);
  expect(rows.map(({ status }) => status)).toEqual([...Array(3).fill('unknown'), ...Array(27).fill('skipped')]);
  expect(rows.at(-1)?.error).toContain('10 calls in a row got no answer');
});

it('is no failure for --on-error stop before the last try', async () => {
  const { client, done } = losing();
  const { stopRule } = ruleOf(true);
  const { rows } = await collectedWithFailure(
    lookupOf(client, inputRows(ids), { stopRule, concurrency: 1, buyer: buyerOf({ client, retriesOfUnknown: 2 }) }),
  );
  expect(done.filter((what) => what === 'call')).toHaveLength(3);
  expect(rows[1]).toMatchObject({ status: 'skipped', error: expect.stringContaining('--on-error is stop') });
});

it.each([
  ['breaks off', async () => Promise.reject(lost)],
  ['just ends', async () => {}],
])('buys nothing more where the run is stopped in a pause that %s', async (_words, end) => {
  const { stopRule, interrupt } = ruleOf();
  const { client, done } = losing(() => {
    interrupt();
    return end();
  });
  const { failure } = await collectedWithFailure(
    lookupOf(client, inputRows(ids.slice(0, 2)), { stopRule, concurrency: 1, buyer: buyerOf({ client, retriesOfUnknown: 4 }) }),
  );
  expect(failure).toMatchObject({ code: 'interrupted', message: 'interrupted: 1 row was not reached' });
  expect(done).toEqual(['call', 1]);
});
