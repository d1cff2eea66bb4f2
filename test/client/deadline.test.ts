/** An event loop that is held up while an answer comes: a service in a thread of its own answers while ours stands still. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Deadline } from '../../src/client/deadline.ts';
import { operations } from '../../src/contract/operations.ts';
import { clientFor, failureIn } from './calling.ts';

const { getPerson } = operations;
const person = { path: { personId: 'per_1' } };

/** Answers a request when it is told to, and the rest when our thread goes on; `told` is what the two threads tell each other. */
const service = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: { told, answer, rest } } = require('node:worker_threads');
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', () => {
      parentPort.postMessage('asked');
      Atomics.wait(told, 0, 0);
      if (answer !== '') socket.write(answer);
      setImmediate(() => {
        Atomics.store(told, 1, 1);
        Atomics.notify(told, 1);
        if (rest === '') return;
        Atomics.wait(told, 2, 0);
        setTimeout(() => socket.write(rest), 50);
      });
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** Calls a service that answers while this thread stands still, until so many milliseconds after the call. */
async function callHeldUp(answer: string, timeoutMs: number, heldUpMs: number, rest = '') {
  const told = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(service, { eval: true, workerData: { told, answer, rest } });
  onTestFinished(() => void worker.terminate());
  const [port]: number[] = await once(worker, 'message');
  const { client } = await clientFor(`http://127.0.0.1:${port}/api/v1`, { timeoutMs, retries: 0 });
  const startedAt = performance.now();
  const call = client.call(getPerson, person);
  // Looked at later.
  call.catch(() => {});
  await once(worker, 'message');
  Atomics.store(told, 0, 1);
  Atomics.notify(told, 0);
  Atomics.wait(told, 1, 0);
  // Nobody notifies: a standstill.
  Atomics.wait(told, 1, 1, Math.max(0, startedAt + heldUpMs - performance.now()));
  Atomics.store(told, 2, 1);
  Atomics.notify(told, 2);
  return { call, resumedAt: performance.now() };
}

const answerOf = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('an answer that came while the event loop stood still', () => {
  test.each([
    ['a little too long', 300, 330],
    ['much too long', 300, 900],
    ['in the middle of several steps', 1500, 2600],
  ])('%s', async (_name, timeoutMs, heldUpMs) => {
    const { call } = await callHeldUp(answerOf('{"person_id":"per_1"}'), timeoutMs, heldUpMs);
    expect((await call).body).toEqual({ person_id: 'per_1' });
  });

  test('as far as the network holds it; the rest comes then', async () => {
    const whole = answerOf('{"person_id":"per_1"}');
    const { call } = await callHeldUp(whole.slice(0, -9), 300, 900, whole.slice(-9));
    expect((await call).body.person_id).toBe('per_1');
  });
});

test('where none came, the call ends soon after the standstill', async () => {
  const { call, resumedAt } = await callHeldUp('', 300, 2000);
  expect(await failureIn(call)).toMatchObject({ billed: 'unknown', message: expect.stringContaining('no whole answer within 0.3 s') });
  expect(performance.now() - resumedAt).toBeLessThan(1500);
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
    expect(
      await lifeOf(60, () => {
        late += 1000;
        return late;
      }),
    ).toBeLessThan(1000);
  });

  test('of several steps takes as long as it should', async () => {
    const life = await lifeOf(2100);
    expect(life).toBeGreaterThan(2080);
    expect(life).toBeLessThan(4000);
  });

  test('waits no longer for what keeps coming than the largest answer takes', async () => {
    let turns = 0;
    const expired = new Promise<void>((resolve) => {
      const deadline = new Deadline(20, () => performance.now(), resolve);
      const more = () => {
        turns += 1;
        deadline.arrived();
        if (turns < 5000) setImmediate(more);
      };
      setTimeout(more, 10);
    });
    await expired;
    expect(turns).toBeLessThan(5000);
  });
});
