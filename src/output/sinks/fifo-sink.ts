/** Writes to a named pipe, and never blocks the end of the process even if nothing reads from the pipe. */
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../../errors.ts';
import type { Sink } from './sink.ts';
import { stdoutSink } from './stdout-sink.ts';
import { type Target, unusable } from './target.ts';

const pauseBetweenTries = 20;

/** Waits for a reader until `stop`. @throws UsageError if the pipe cannot be opened, PdiError `interrupted` after `stop` */
export async function fifoSink({ name, path }: Target, stop?: AbortSignal): Promise<Sink> {
  const stream = new Socket({ fd: await openForWriting(name, path, stop), readable: false, writable: true });
  const { write } = stdoutSink(stream, name);
  const close = async (): Promise<void> => {
    if (stream.destroyed) return;
    stream.destroy();
    await once(stream, 'close');
  };
  // Every write has waited for its bytes, so nothing is pending at the end.
  return { write, commit: close, discard: close };
}

async function openForWriting(name: string, path: string, stop?: AbortSignal): Promise<number> {
  for (;;) {
    if (stop?.aborted === true) throw new PdiError('interrupted', `interrupted before anybody read ${name}`, { retryable: true });
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENXIO') throw unusable(name, error);
    }
    await delay(pauseBetweenTries, undefined, stop === undefined ? {} : { signal: stop }).catch(() => {});
  }
}
