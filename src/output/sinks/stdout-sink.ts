/** Writes to standard output. It is not a failure if the reader goes away (`| head`). */
import type { Writable } from 'node:stream';
import { systemCodeOf } from '../../errors.ts';
import type { Output } from '../layout.ts';
import { type Sink, writeFailure } from './sink.ts';

/** A stream may serve several sinks but should have one listener, so the state is kept for each stream. */
interface StreamState {
  gone: boolean;
  failure?: unknown;
}

const states = new WeakMap<Writable, StreamState>();

const goneCodes: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'EOF',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  // Since Node 22, a write gets this code if the stream is closed during it.
  'ECANCELED',
]);

export const readerHasGone = (error: unknown): boolean => goneCodes.has(systemCodeOf(error));

function record(state: StreamState, error: unknown): void {
  if (readerHasGone(error)) state.gone = true;
  else state.failure ??= error;
}

/** The listener is never removed, because a late EPIPE must not become an unhandled error. */
function stateOf(stream: Writable): StreamState {
  const known = states.get(stream);
  if (known !== undefined) return known;
  const state: StreamState = { gone: false };
  stream.on('error', (error) => record(state, error));
  states.set(stream, state);
  return state;
}

/** The caller waits until the stream has taken the output; this is the back-pressure. */
const passed = (stream: Writable, output: Output, state: StreamState): Promise<void> =>
  new Promise((resolve) => {
    stream.write(output, (error) => {
      if (error) record(state, error);
      resolve();
    });
  });

export function stdoutSink(stream: Writable, name = 'standard output'): Sink {
  const state = stateOf(stream);
  const write = async (output: Output): Promise<boolean> => {
    if (output.length > 0 && !state.gone) await passed(stream, output, state);
    if (state.failure !== undefined) throw writeFailure(name, state.failure);
    return !state.gone;
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
