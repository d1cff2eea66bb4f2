import { closeSync, constants, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { attempt, interruption, systemCodeOf } from '../errors.ts';

const msBetweenTries = 20;

/** Waits for a writer, as the system does; a stop ends that wait without data. @throws the system's error */
export async function openFifo(path: string, stop?: AbortSignal): Promise<Readable> {
  let waiting = true;
  const letGo = (): void => {
    if (!waiting) return;
    // The opening may not wait yet, so that a first try finds no reader.
    attempt(() => closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)));
    setTimeout(letGo, msBetweenTries);
  };
  if (stop?.aborted === true) letGo();
  stop?.addEventListener('abort', letGo, { once: true });
  const fd = await promisify(open)(path, 'r').finally(() => {
    waiting = false;
  });
  // A file's stream would leave a read behind that never ends.
  return new Socket({ fd, readable: true, writable: false });
}

/** Waits for a reader. @throws the system's error, PdiError `interrupted` after `stop` */
export async function openFifoForWriting(path: string, stop?: AbortSignal): Promise<Writable> {
  for (;;) {
    if (stop?.aborted === true) throw interruption(`interrupted: no program has read ${path}`);
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      // A socket, because what is not read must not block the end of the process.
      return new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      if (systemCodeOf(error) !== 'ENXIO') throw error;
    }
    await delay(msBetweenTries, undefined, stop === undefined ? {} : { signal: stop }).catch(
      () => {},
    );
  }
}
