/** A sink takes the output: a stream such as standard output, or a file that is written whole or not at all. */
import type { Writable } from 'node:stream';
import { PdiError, systemCodeOf, UsageError } from '../../errors.ts';
import { type FileState, mendingOf, reasonOf } from '../../files/private.ts';
import { cleanLine } from '../clean.ts';
import type { Output } from '../layout.ts';

export interface Sink {
  /**
   * Resolves to false if the reader has gone. Calls must not overlap. `reached` is told how many bytes the file has once all up to this
   * output is in it. @throws PdiError `internal` if writing fails; then call `discard`
   */
  write(output: Output, reached?: (bytes: number) => void): Promise<boolean>;
  /** Resolves when every byte is written. @throws PdiError `internal` if that fails; a file is then as it was before */
  commit(): Promise<void>;
  /** Ends without a result: a file is as it was before. It does nothing after `commit`. */
  discard(): Promise<void>;
  /** It is true if `commit` replaces a file that no earlier run of this job left. */
  readonly replacesAnother?: boolean;
}

/** Remembers a file between the runs of a job. */
export interface FileMemory {
  /** Tells whether an earlier run left the file in this state; undefined if there was no such run. */
  readonly leftSo: ((file: FileState) => boolean) | undefined;
  /** It is called before the file gets its name. */
  willLeave(file: FileState): void;
}

const namesOfStdout: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

export const isStdout = (file: string): boolean => namesOfStdout.has(file);

/** Returns the error of a failed write. The command was correct, but the run cannot go on. */
export const writeFailure = (name: string, cause: unknown): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${cleanLine(reasonOf(cause))}`, {
    item: name,
    cause,
    hint: mendingOf(cause),
    rerun: 'run the same command again',
  });

export const refused = (name: string, reason: string, hint: string): UsageError =>
  new UsageError(`--out ${cleanLine(name)}: ${reason}`, { item: name, hint });

export const unusable = (name: string, error: unknown): UsageError =>
  refused(name, cleanLine(reasonOf(error)), 'name a file in a folder that exists and may be written to');

/** Since Node 22, a write gets the last of these codes if the stream is closed during it. */
const goneCodes = ['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ECANCELED'];

export const readerHasGone = (error: unknown): boolean => goneCodes.includes(systemCodeOf(error) ?? '');

/** Passes every output on at once, which cannot be taken back. It is not a failure if the reader goes away (`| head`). */
export function streamSink(stream: Writable, name: string, close: () => Promise<void>): Sink {
  let gone = false;
  let failure: unknown;
  const record = (error: unknown): void => {
    if (readerHasGone(error)) gone = true;
    else failure ??= error;
  };
  // The listener is never removed, because a late EPIPE must not become an unhandled error.
  stream.on('error', record);
  /** The caller waits until the stream has taken the output; this is the back-pressure. Nothing is pending at the end. */
  const taken = (output: Output): Promise<void> =>
    new Promise((resolve) => {
      stream.write(output, (error) => {
        if (error) record(error);
        resolve();
      });
    });
  return {
    async write(output) {
      if (output.length > 0 && !gone) await taken(output);
      if (failure !== undefined) throw writeFailure(name, failure);
      return !gone;
    },
    async commit() {
      await close();
      if (failure !== undefined) throw writeFailure(name, failure);
    },
    discard: close,
  };
}

export const stdoutSink = (stream: Writable): Sink => streamSink(stream, 'standard output', async () => {});
