import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { getPerson } from '../../src/contract/person.ts';
import { type FailureDetails, PdiError, ServiceError } from '../../src/errors.ts';
import type { FailureCode } from '../../src/exit.ts';
import type { JobRun } from '../../src/road/ask.ts';
import { StopRule } from '../../src/road/stop-rule.ts';
import { readRecord } from '../../src/rows/row.ts';
import { buyerOf, clientOf } from '../book/places.ts';
import { gate, later } from '../support/later.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { collectedWithFailure, inputRows, lookupOf } from './direct.ts';

const failure = (code: FailureCode, details: FailureDetails = {}): PdiError =>
  new PdiError(code, `it was ${code}`, details);
const unreached = failure('unavailable', { billed: 'no' });

const newRule = (
  stopOnError = false,
  interrupt = new AbortController().signal,
  missesAt?: string,
) => new StopRule({ interrupt, stopOnError, missesAt });

describe('a stop rule', () => {
  it('ends at a failure of our own and with it', () => {
    const stopRule = newRule();
    const cause = failure('internal');
    stopRule.failed(cause);
    stopRule.failed(failure('auth'));
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.outcomeOf(cause)).toEqual({
      status: 'skipped',
      error: 'not sent: it was internal',
      failure: cause,
    });
    expect(stopRule.outcomeOf(failure('internal', { billed: 'unknown' }))).toMatchObject({
      status: 'unknown',
    });
    expect(stopRule.failureOf(3)).toBe(cause);
  });

  it('ends when ten calls in a row failed, whether they were sent or not', () => {
    const stopRule = newRule();
    for (let call = 0; call < 9; call += 1) stopRule.failed(unreached);
    stopRule.answered();
    for (let call = 0; call < 9; call += 1) stopRule.failed(unreached);
    stopRule.failed(failure('not_found', { status: 404, billed: 'no' }));
    for (let call = 0; call < 9; call += 1)
      stopRule.failed(failure('unavailable', { status: 500, billed: 'unknown' }));
    expect(stopRule.stopped).toBe(false);
    stopRule.failed(unreached);
    expect(stopRule.stopped).toBe(true);
    expect(stopRule.skipped.error).toBe(
      'not sent: 10 calls in a row got no answer: it was unavailable',
    );
    expect(stopRule.failureOf(3)).toMatchObject({
      code: 'unavailable',
      details: { retryable: true },
    });
  });

  it('learns from what was bought in this run, also of an answer that could not be written down', () => {
    const stopRule = newRule();
    const cause = failure('internal');
    const answer = { status: 200, record: readRecord('{}'), records: [] };
    stopRule.bought({ result: cause, withheld: true });
    stopRule.bought({ result: cause, source: 'book' });
    stopRule.bought({ result: answer });
    expect(stopRule.stopped).toBe(false);
    stopRule.bought({ result: { ...answer, trouble: cause } });
    expect(stopRule.failureOf(1)).toBe(cause);
  });

  it('ends when the first ten answers are 404, unless anything was ever found', () => {
    const answer = { status: 200, record: readRecord('{}'), records: [] };
    const miss = { result: failure('not_found', { status: 404, billed: 'no' }) } as const;
    const stoppedAfter = (misses: number, before: (rule: StopRule) => void = () => {}) => {
      const rule = newRule(false, undefined, 'https://x.example');
      before(rule);
      for (let call = 0; call < misses; call += 1) rule.bought(miss, 'Id');
      return rule;
    };
    expect(stoppedAfter(9).stopped).toBe(false);
    const message =
      'the first 10 calls found nothing (404): what the column Id holds is not known at https://x.example';
    expect(stoppedAfter(10).failureOf(1)).toMatchObject({
      code: 'unavailable',
      message,
      details: { retryable: false },
    });
    expect(stoppedAfter(30, (rule) => rule.bought({ result: answer })).stopped).toBe(false);
    expect(
      stoppedAfter(30, (rule) => rule.bought({ result: answer, source: 'book' })).stopped,
    ).toBe(false);
    expect(stoppedAfter(30, (rule) => rule.found()).stopped).toBe(false);
    const kept = newRule(false, undefined, 'https://x.example');
    for (let call = 0; call < 30; call += 1) kept.bought({ ...miss, source: 'book' });
    expect(kept.stopped).toBe(false);
  });

  it('ends with answers that are not documented where there were no others, which will hardly change', () => {
    const stopRule = newRule();
    stopRule.failed(
      failure('unavailable', { status: 413, reason: 'an unexpected answer (413)', billed: 'no' }),
    );
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

const lost = new ServiceError('unavailable', 'the answer was lost', { billed: 'unknown' });

/** A client whose answers are all lost, and what it was asked to do: calls, and pauses by their number. */
function losing(pause: () => Promise<void> = async () => {}): {
  readonly client: Client;
  readonly done: readonly (string | number)[];
} {
  const done: (string | number)[] = [];
  const fail = async () => {
    done.push('call');
    throw lost;
  };
  const pausing = async (attempt: number) => {
    done.push(attempt);
    await pause();
  };
  return { client: { ...clientOf(fail), pause: pausing }, done };
}

/** A job that sends again what was lost, up to so many times. */
const jobOf = (client: Client, retriesOfUnknown: number, more: Partial<JobRun> = {}) =>
  collectedWithFailure(
    lookupOf(client, inputRows(personIds(30)), {
      concurrency: 1,
      buyer: buyerOf({ client, retriesOfUnknown }),
      ...more,
    }),
  );

it('--retry-unknown pauses ever longer before it buys again, and gives up where ten calls in a row got no answer', async () => {
  const { client, done } = losing();
  const { rows, failure } = await jobOf(client, 3);
  expect(failure).toMatchObject({
    code: 'unavailable',
    message: '10 calls in a row got no answer: the answer was lost',
  });
  expect(done).toEqual([
    'call',
    1,
    'call',
    2,
    'call',
    3,
    'call',
    'call',
    1,
    'call',
    2,
    'call',
    3,
    'call',
    'call',
    1,
    'call',
  ]);
  expect(rows.map(({ status }) => status)).toEqual([
    ...Array(3).fill('unknown'),
    ...Array(27).fill('skipped'),
  ]);
  expect(rows.at(-1)?.error).toContain('10 calls in a row got no answer');
});

it('what was lost is unknown where the run is stopped while another run is asking the same', async () => {
  const shared = { path: join(newFolder(), 'book.db'), maxAge: 60_000, retriesOfUnknown: 1 };
  const [asking, answered, controller] = [gate(), gate(), new AbortController()];
  const slow = clientOf(async () => {
    asking.open();
    await answered.opened;
    throw lost;
  });
  const other = buyerOf({ client: slow, ...shared });
  const { client } = losing(async () => {
    void other.buy(
      { endpoint: getPerson, request: { path: { personId: 'per_sample1' } } },
      { stopped: () => false },
    );
    await asking.opened;
    void later(5).then(() => controller.abort());
  });
  const stopRule = newRule(false, controller.signal);
  const buyer = buyerOf({ client, ...shared });
  const { rows } = await collectedWithFailure(
    lookupOf(client, inputRows(personIds(2)), { concurrency: 1, buyer, stopRule }),
  );
  answered.open();
  expect(rows.map(({ status }) => status)).toEqual(['unknown', 'skipped']);
});

it('a lost answer that is sent again is no failure for --on-error stop before the last try', async () => {
  const { client, done } = losing();
  const { rows } = await jobOf(client, 2, { stopRule: newRule(true) });
  expect(done.filter((what) => what === 'call')).toHaveLength(3);
  expect(rows[1]).toMatchObject({
    status: 'skipped',
    error: expect.stringContaining('--on-error is stop'),
  });
});

it.each([
  ['breaks off', async () => Promise.reject(lost)],
  ['just ends', async () => {}],
])(
  '--retry-unknown buys nothing more where the run is stopped in a pause that %s',
  async (_words, end) => {
    const controller = new AbortController();
    const { client, done } = losing(() => {
      controller.abort();
      return end();
    });
    const { failure } = await jobOf(client, 4, { stopRule: newRule(false, controller.signal) });
    expect(failure).toMatchObject({
      code: 'interrupted',
      message: 'interrupted: 29 rows were not reached',
    });
    expect(done).toEqual(['call', 1]);
  },
);
