/** Opens a named pipe so that its opening and its reading can be given up. */
import { closeSync, constants, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** In milliseconds: by the first try, the opening may not have begun to wait. */
const pauseBetweenTries = 20;

/** Waits for somebody who writes, as the system does; a stop ends that wait, by writing nothing. Throws the system's error. */
export async function openFifo(path: string, stop?: AbortSignal): Promise<Readable> {
  let waiting = true;
  const letGo = (): void => {
    if (!waiting) return;
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      // Nobody reads yet.
    }
    setTimeout(letGo, pauseBetweenTries);
  };
  if (stop?.aborted === true) letGo();
  stop?.addEventListener('abort', letGo, { once: true });
  const fd = await promisify(open)(path, 'r').finally(() => {
    waiting = false;
  });
  // A file's stream would leave a read behind that nothing ends.
  return new Socket({ fd, readable: true, writable: false });
}
