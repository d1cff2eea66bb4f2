/** How long an answer is waited for, and what a standstill of our own does to that. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { Deadline } from '../../src/client/pace.ts';
import { standstill } from '../support/standstill.ts';
import { clientFor, failureIn, getPerson, person } from './calling.ts';

/** Calls a service that answers while this thread stands still for so many milliseconds. */
async function callHeldUp(answer: string, timeoutMs: number, heldUpMs: number, rest = '') {
  const { baseUrl, hold } = await standstill(answer, rest);
  const { client } = await clientFor(baseUrl, { timeoutMs, retries: 0 });
  const call = client.call(getPerson, person);
  // Looked at later.
  call.catch(() => {});
  await hold(heldUpMs);
  return call;
}

const answerOf = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('an answer that came while the event loop stood still', () => {
  test.each([
    ['a little too long', 600, 650],
    ['much too long', 600, 1300],
    ['in the middle of several steps', 1050, 1500],
  ])('%s', async (_name, timeoutMs, heldUpMs) => {
    expect(
      (await callHeldUp(answerOf('{"person_id":"per_1"}'), timeoutMs, heldUpMs)).record.value,
    ).toEqual({ person_id: 'per_1' });
  });

  test('as far as the network holds it; the rest comes then', async () => {
    const whole = answerOf('{"person_id":"per_1"}');
    expect(
      (await callHeldUp(whole.slice(0, -9), 600, 1300, whole.slice(-9))).record.value,
    ).toMatchObject({ person_id: 'per_1' });
  });
});

test('where none came, the call ends after the standstill', async () => {
  const failure = await failureIn(callHeldUp('', 600, 1000));
  expect(failure).toMatchObject({
    billed: 'unknown',
    message: expect.stringContaining('no complete answer within 0.6 s'),
  });
});

describe('a deadline', () => {
  /** Milliseconds until it expires. */
  const lifeOf = (timeoutMs: number, now = () => performance.now()) =>
    new Promise<number>((resolve) => {
      const startedAt = performance.now();
      new Deadline(timeoutMs, now, () => resolve(performance.now() - startedAt));
    });

  test('on a machine that is always late comes to an end all the same', async () => {
    let late = 0;
    // By this clock every step fires a second late.
    const life = await lifeOf(60, () => {
      late += 1000;
      return late;
    });
    expect(life).toBeGreaterThan(0);
  });

  test('that is cancelled while what has arrived is read first never expires', async () => {
    let expired = false;
    await new Promise<void>((resolve) => {
      let asked = 0;
      // The clock is looked at when the time begins, and when it is up.
      const now = () => {
        asked += 1;
        if (asked === 2) queueMicrotask(cancel);
        return performance.now();
      };
      const deadline = new Deadline(1, now, () => {
        expired = true;
      });
      const cancel = () => {
        deadline.cancel();
        setImmediate(() => setImmediate(resolve));
      };
    });
    expect(expired).toBe(false);
  });

  test('of several steps takes as long as it should', async () => {
    expect(await lifeOf(1100)).toBeGreaterThan(1080);
  });

  test('waits no longer for what keeps coming than the largest answer takes', async () => {
    let over = false;
    onTestFinished(() => {
      over = true;
    });
    await new Promise<void>((resolve) => {
      const deadline = new Deadline(
        20,
        () => performance.now(),
        () => resolve(),
      );
      const more = () => {
        deadline.arrived();
        if (!over) setImmediate(more);
      };
      setTimeout(more, 10);
    });
    expect(over).toBe(false);
  });
});
