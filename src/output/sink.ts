/** Where the bytes go: standard output, or a file that is written whole or not at all. */
import type { Writable } from 'node:stream';
import type { FileState } from '../disk.ts';
import type { ProcessTable } from '../liveness.ts';
import type { Output } from './format.ts';
import { isStdout } from './stdout-name.ts';
import { stdoutSink } from './stdout-sink.ts';

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

export interface SinkOptions {
  readonly stdout: Writable;
  /** `--out`; unset or `-` is `stdout`. */
  readonly file?: string | undefined;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
  /** The journal that knows the file, and holds its lock. */
  readonly journal?: FileMemory | undefined;
  /** The file that the input is read from, `-` for standard input: never written to. */
  readonly inputFile?: string | undefined;
  readonly processes: ProcessTable;
  /** Aborted: nobody waits any more for a reader of a FIFO. */
  readonly stop?: AbortSignal | undefined;
}

/** Remembers a file between the runs of a job. */
export interface FileMemory {
  /** Whether an earlier run left the file so; undefined where there was no such run. */
  readonly leftSo: ((file: FileState) => boolean) | undefined;
  /** Told before the file gets its name. */
  willLeave(file: FileState): void;
}

/**
 * Opens the place to write to, before anything is sent: what can be refused is refused here.
 * @throws UsageError for a file that exists, is the input, is a folder, cannot be created, or is written by another run; PdiError
 * `internal` for a full disk, `interrupted` for a stop while a FIFO had no reader.
 */
export async function openSink({ stdout, file, force, journal, inputFile, processes, stop }: SinkOptions): Promise<Sink> {
  if (file === undefined || isStdout(file)) return stdoutSink(stdout);
  const [{ findTarget }, { fileSink, deviceSink }] = await Promise.all([import('./target.ts'), import('./file-sink.ts')]);
  const target = await findTarget(file, { force, leftSo: journal?.leftSo, inputFile });
  if (target.kind === 'fifo') return (await import('./fifo-sink.ts')).fifoSink(target, stop);
  if (target.kind === 'device') return deviceSink(target);
  return fileSink(target, { journal, processes });
}
