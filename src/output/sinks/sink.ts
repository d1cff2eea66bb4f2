/** Where the bytes go: standard output, or a file that is written whole or not at all. */

import { PdiError, systemCodeOf } from '../../errors.ts';
import type { FileState } from '../../files/private.ts';
import { reasonOf } from '../../files/reasons.ts';
import { cleanLine } from '../clean.ts';
import type { Output } from '../formatter.ts';

export interface Sink {
  /**
   * Resolves when there is room for more: false when the reader has gone, and nothing more need be written. One call at a time.
   * @throws PdiError `internal` where the bytes cannot be written (a full disk); `discard` is what is left to do then.
   */
  write(output: Output): Promise<boolean>;
  /**
   * Resolves when every byte is where it belongs; a file has its name from then on.
   * @throws PdiError `internal` as `write`; a file is then as it was before.
   */
  commit(): Promise<void>;
  /** Ends without a result: a file is as it was before. Does nothing after `commit`. */
  discard(): Promise<void>;
  /** Whether `commit` takes the place of a file that no earlier run of this job left. */
  readonly replacesAnother?: boolean;
}

/** Remembers a file between the runs of a job. */
export interface FileMemory {
  /** Whether an earlier run left the file so; undefined where there was no such run. */
  readonly leftSo: ((file: FileState) => boolean) | undefined;
  /** Told before the file gets its name. */
  willLeave(file: FileState): void;
}

const namesOfStdout: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

/** Whether `--out` names standard output. */
export const isStdout = (file: string): boolean => namesOfStdout.has(file);

/** A write that failed under way: nobody's mistake in the command, but the run cannot go on. */
export const writeFailure = (name: string, cause: unknown): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${cleanLine(reasonOf(cause))}`, {
    item: name,
    cause,
    hint: systemCodeOf(cause) === 'ENOSPC' ? 'free some space' : 'see that it can be written',
    rerun: 'run the same command again',
  });
