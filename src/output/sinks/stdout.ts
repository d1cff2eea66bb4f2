/** Standard output as a sink. A reader that goes away (`| head`) is no failure. */
import type { Writable } from 'node:stream';
import { systemCodeOf } from '../../errors.ts';
import type { Output } from '../formatter.ts';
import { type Sink, writeFailure } from './sink.ts';

/** What became of a stream; kept by stream, since a stream may serve several sinks but should have one listener. */
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
  // A write under way as the stream is let go of, from Node 22 on.
  'ECANCELED',
]);

/** Whether an error on a stream says that nobody reads it any more. */
export const readerHasGone = (error: unknown): boolean => goneCodes.has(systemCodeOf(error));

function record(state: StreamState, error: unknown): void {
  if (readerHasGone(error)) state.gone = true;
  else state.failure ??= error;
}

/** Listens for errors from now on, for good: a late EPIPE must not become an unhandled error. */
function stateOf(stream: Writable): StreamState {
  const known = states.get(stream);
  if (known !== undefined) return known;
  const state: StreamState = { gone: false };
  stream.on('error', (error) => record(state, error));
  states.set(stream, state);
  return state;
}

/** Resolves when the stream has taken `output`, or never will: this is the back-pressure. */
const passed = (stream: Writable, output: Output, state: StreamState): Promise<void> =>
  new Promise((resolve) => {
    stream.write(output, (error) => {
      if (error) record(state, error);
      resolve();
    });
  });

/** A sink on a stream that is not ours to close; failures call it `name`. */
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
