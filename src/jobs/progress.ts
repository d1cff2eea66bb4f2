/** A bar on a terminal's stderr while a job runs; nothing anywhere else. */
import type { Io } from '../io.ts';
import type { Spent } from './purchase.ts';

export interface Progress {
  /** Told of each row that is done. */
  row(): void;
  end(): void;
}

const silent: Progress = { row: () => {}, end: () => {} };

export interface ProgressOptions {
  readonly io: Pick<Io, 'stderr'>;
  /** False with `--quiet`, or where the terminal shows the rows themselves. */
  readonly wanted: boolean;
  /** Rows in all; unknown for a stream. */
  readonly total: number | undefined;
  readonly spent: Spent;
}

export async function startProgress({ io, wanted, total, spent }: ProgressOptions): Promise<Progress> {
  if (!wanted || io.stderr.isTTY !== true) return silent;
  // A terminal that goes away must not end a run that has data to write.
  const stream = io.stderr.on('error', () => {});
  const { default: cliProgress } = await import('cli-progress');
  const known = total === undefined ? '{value} rows' : '{bar} {value}/{total}';
  const left = total === undefined ? '' : ' · {eta_formatted} left';
  const bar = new cliProgress.SingleBar({
    stream,
    format: `${known} · {rate}/s · {billed} billed${left}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    fps: 8,
    clearOnComplete: true,
    // A run that is ended at once restores nothing: the bar leaves the terminal's modes alone.
    hideCursor: false,
    linewrap: true,
    // Signals are the run's own business.
    gracefulExit: false,
  });
  const startedAt = performance.now();
  let done = 0;
  const payload = () => ({ rate: Math.round((done * 1000) / Math.max(1, performance.now() - startedAt)), billed: spent.billed });
  bar.start(total ?? 0, 0, payload());
  return {
    row() {
      done += 1;
      bar.update(done, payload());
    },
    end: () => bar.stop(),
  };
}
