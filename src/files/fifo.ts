/** Opens a named pipe so that its opening and its reading can be stopped. */
import { closeSync, constants, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** The unit is milliseconds. At the first try the opening may not wait yet, so there are more. */
const pauseBetweenTries = 20;

/** Waits for a writer, as the system does. A stop ends that wait without data. @throws the system's error */
export async function openFifo(path: string, stop?: AbortSignal): Promise<Readable> {
  let waiting = true;
  const letGo = (): void => {
    if (!waiting) return;
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      // There is no reader yet.
    }
    setTimeout(letGo, pauseBetweenTries);
  };
  if (stop?.aborted === true) letGo();
  stop?.addEventListener('abort', letGo, { once: true });
  const fd = await promisify(open)(path, 'r').finally(() => {
    waiting = false;
  });
  // A file's stream would leave a read behind that never ends.
  return new Socket({ fd, readable: true, writable: false });
}
