/** A sink takes the output: standard output, or a file that is written whole or not at all. */

import { PdiError } from '../../errors.ts';
import type { FileState } from '../../files/private.ts';
import { mendingOf, reasonOf } from '../../files/system-reasons.ts';
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
  /** The file begins with so many bytes of what an earlier run left. */
  readonly keep?: number | undefined;
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
