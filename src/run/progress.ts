/** A bar on a terminal's stderr while a job runs; nothing anywhere else. */
import type { Options, Params } from 'cli-progress';
import { pluralize } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Spent } from '../jobs/purchase.ts';
import { barLine } from './bar-line.ts';
import type { Context } from './context.ts';

export interface Progress {
  /** Told that rows are about to go to a reader, who may print them to the same terminal. */
  makeWay(): void;
  /** Told how many rows more are done, and gone. */
  rows(count: number): void;
  end(): void;
}

const silent: Progress = { makeWay: () => {}, rows: () => {}, end: () => {} };

export interface ProgressFigures {
  readonly value: number;
  readonly total: number | undefined;
  /** From 0 to 1. */
  readonly progress: number;
  /** Rows a second. */
  readonly rate: number;
  readonly billed: number;
  /** Time left, in words; undefined where nothing is known of it. */
  readonly left: string | undefined;
}

const maxBarWidth = 24;
/** A shorter one says less than the figures beside it. */
const minBarWidth = 4;

/**
 * The line for a terminal of `width` cells, its last cell free: there, a terminal would wrap. Where not all of it fits, the bar
 * shrinks and goes first, since the figures say the same; then the rate, the time left and the calls billed.
 */
export function progressLine({ value, total, progress, rate, billed, left }: ProgressFigures, width: number): string {
  const count = total === undefined ? pluralize(value, 'row') : `${value}/${total}`;
  const [speed, bill, time] = [`${rate}/s`, `${billed} billed`, ...(total === undefined || left === undefined ? [] : [`${left} left`])];
  const lines = [[count, speed, bill, time], [count, bill, time], [count, bill], [count]].map((parts) =>
    parts.filter((part) => part !== undefined).join(' · '),
  );
  const text = lines.find((line) => line.length < width) ?? count;
  const cells = Math.min(maxBarWidth, width - text.length - 2);
  if (total === undefined || text !== lines[0] || cells < minBarWidth) return text;
  const full = Math.round(progress * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${text}`;
}

/** A terminal that shows the rows themselves needs no bar; `--quiet` wants none. */
export const showsProgress = (context: Context): boolean => context.flags.quiet !== true && !context.isForTerminal();

export interface ProgressOptions {
  readonly io: Pick<Io, 'stderr'>;
  /** See showsProgress. */
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
  const startedAt = performance.now();
  let done = 0;
  const terminal = barLine(stream);
  // Not written as an argument: the library's types leave out its option `terminal`.
  const options = {
    terminal,
    // Asked at each redraw, with the width that the terminal has by then.
    format: (options: Options, { value, progress, eta, maxWidth }: Params): string => {
      const rate = Math.round((done * 1000) / Math.max(1, performance.now() - startedAt));
      // Before the first row, and where none came for long, the library has a word instead of seconds.
      const left = Number.isFinite(eta) ? cliProgress.Format.TimeFormat(eta, options, 5) : undefined;
      return progressLine({ value, total, progress, rate, billed: spent.billed, left }, maxWidth);
    },
    fps: 8,
    // Rows and messages of others go over it.
    forceRedraw: true,
    clearOnComplete: true,
    // A run that is ended at once restores nothing: the bar leaves the terminal's modes alone.
    hideCursor: false,
    linewrap: true,
    // Signals are the run's own business.
    gracefulExit: false,
  };
  const bar = new cliProgress.SingleBar(options);
  bar.start(total ?? 0, 0);
  return {
    makeWay: terminal.makeWay,
    rows(count) {
      terminal.passed();
      done += count;
      bar.update(done);
    },
    end() {
      // The library draws once more as it stops, when the last rows are still being printed.
      terminal.makeWay();
      bar.stop();
    },
  };
}
