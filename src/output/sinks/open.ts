/** Opens the sink that `--out` means. */
import type { Writable } from 'node:stream';
import type { ProcessTable } from '../../files/liveness.ts';
import { type FileMemory, isStdout, type Sink } from './sink.ts';
import { stdoutSink } from './stdout.ts';

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

/**
 * Opens the place to write to, before anything is sent: what can be refused is refused here.
 * @throws UsageError for a file that exists, is the input, is a folder, cannot be created, or is written by another run; PdiError
 * `internal` for a full disk, `interrupted` for a stop while a FIFO had no reader.
 */
export async function openSink({ stdout, file, force, journal, inputFile, processes, stop }: SinkOptions): Promise<Sink> {
  if (file === undefined || isStdout(file)) return stdoutSink(stdout);
  const [{ findTarget }, { fileSink, deviceSink }] = await Promise.all([import('./target.ts'), import('./file.ts')]);
  const target = await findTarget(file, { force, leftSo: journal?.leftSo, inputFile });
  if (target.kind === 'fifo') return (await import('./fifo.ts')).fifoSink(target, stop);
  if (target.kind === 'device') return deviceSink(target);
  return fileSink(target, { journal, processes });
}
