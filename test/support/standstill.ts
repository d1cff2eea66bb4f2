/** An event loop that stands still while an answer comes: a service in a thread of its own answers in that time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** Answers a request when it is told to, and the rest when our thread goes on; `told` is what the two threads tell each other. */
const service = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: { told, answer, rest } } = require('node:worker_threads');
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => {
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

export interface Standstill {
  readonly baseUrl: string;
  /** Waits for the request, then keeps this thread from doing anything until it is answered and so many milliseconds passed. */
  hold(milliseconds: number): Promise<void>;
}

/** Starts a service that answers one request with these bytes, while our thread stands still. */
export async function standstill(answer: string, rest = ''): Promise<Standstill> {
  const told = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(service, { eval: true, workerData: { told, answer, rest } });
  onTestFinished(() => void worker.terminate());
  const [port]: number[] = await once(worker, 'message');
  const asked = once(worker, 'message');
  const say = (place: number) => {
    Atomics.store(told, place, 1);
    Atomics.notify(told, place);
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    async hold(milliseconds) {
      await asked;
      say(0);
      Atomics.wait(told, 1, 0);
      // Nobody notifies.
      Atomics.wait(told, 1, 1, milliseconds);
      say(2);
    },
  };
}
