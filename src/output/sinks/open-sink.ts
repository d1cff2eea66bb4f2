/** Opens the sink that `--out` names. */
import type { Writable } from 'node:stream';
import { type FileMemory, isStdout, type Sink, stdoutSink } from './sink.ts';

export interface SinkOptions {
  readonly stdout: Writable;
  readonly file?: string | undefined;
  readonly force: boolean;
  readonly journal?: FileMemory | undefined;
  /** The input file, which is never overwritten; `-` is standard input. */
  readonly inputFile?: string | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** Refuses before any request costs money. @throws UsageError for an unusable file, PdiError `internal` (disk) or `interrupted` (stop) */
export async function openSink({ stdout, file, force, journal, inputFile, stop }: SinkOptions): Promise<Sink> {
  if (file === undefined || isStdout(file)) return stdoutSink(stdout);
  const [{ findTarget }, { deviceSink, fifoSink, fileSink }] = await Promise.all([import('./target.ts'), import('./file-sink.ts')]);
  const target = await findTarget(file, { force, leftSo: journal?.leftSo, inputFile });
  if (target.kind === 'fifo') return fifoSink(target, stop);
  if (target.kind === 'device') return deviceSink(target);
  return fileSink(target, journal);
}
