/** Standard output as a sink. A reader that goes away (`| head`) is no failure. */

import type { Writable } from 'node:stream';
import { systemCodeOf } from '../errors.ts';
import type { Output } from './format.ts';
import type { Sink } from './sink.ts';
import { writeFailure } from './write-failure.ts';

/** What became of a stream; kept by stream, since a stream may serve several sinks but should have one listener. */
interface Fate {
  gone: boolean;
  failure?: unknown;
}

const fates = new WeakMap<Writable, Fate>();

const goneCodes: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'EOF',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether an error on a stream says that nobody reads it any more. */
export const readerHasGone = (error: unknown): boolean => goneCodes.has(systemCodeOf(error));

function record(fate: Fate, error: unknown): void {
  if (readerHasGone(error)) fate.gone = true;
  else fate.failure ??= error;
}

/** Listens for errors from now on, for good: a late EPIPE must not become an unhandled error. */
function fateOf(stream: Writable): Fate {
  const known = fates.get(stream);
  if (known !== undefined) return known;
  const fate: Fate = { gone: false };
  stream.on('error', (error) => record(fate, error));
  fates.set(stream, fate);
  return fate;
}

/** Resolves when the stream has taken `output`, or never will: this is the back-pressure. */
const passed = (stream: Writable, output: Output, fate: Fate): Promise<void> =>
  new Promise((resolve) => {
    stream.write(output, (error) => {
      if (error) record(fate, error);
      resolve();
    });
  });

/** A sink on a stream that is not ours to close. */
export function stdoutSink(stream: Writable): Sink {
  const fate = fateOf(stream);
  const write = async (output: Output): Promise<boolean> => {
    if (output.length > 0 && !fate.gone) await passed(stream, output, fate);
    if (fate.failure !== undefined) throw writeFailure('standard output', fate.failure);
    return !fate.gone;
  };
  return {
    write,
    // Every write has waited for its bytes, so nothing is pending here.
    commit: async () => {
      await write('');
    },
    discard: async () => {},
  };
}
