/** Shows on stderr how far a job is: a bar on a terminal, a line a minute in CI, else nothing. */
import type { Options, Params } from 'cli-progress';
import { pluralize } from '../errors.ts';
import { type Io, widthOf } from '../io.ts';

interface Progress {
  makeWay(): void;
  /** Of these rows so many were bought before: they cost no call, and say nothing of the time that is left. */
  rows(count: number, bought?: number): void;
  end(): void;
}

export const silent: Progress = { makeWay: () => {}, rows: () => {}, end: () => {} };

interface ProgressFigures {
  readonly value: number;
  readonly total: number | undefined;
  readonly progress: number;
  readonly rate: number;
  readonly billed: number;
  readonly left: string | undefined;
}

const maxBarWidth = 24;
const minBarWidth = 4;

/** Leaves the last of `width` cells free, because terminals wrap there. If space is short, the bar goes first, then the rate. */
export function progressLine(
  { value, total, progress, rate, billed, left }: ProgressFigures,
  width: number,
): string {
  const count = total === undefined ? pluralize(value, 'row') : `${value}/${total}`;
  const [speed, bill, time] = [
    `${rate}/s`,
    `${billed} billed`,
    ...(total === undefined || left === undefined ? [] : [`${left} left`]),
  ];
  const lines = [[count, speed, bill, time], [count, bill, time], [count, bill], [count]].map(
    (parts) => parts.filter((part) => part !== undefined).join(' · '),
  );
  const text = lines.find((line) => line.length < width) ?? count;
  const cells = Math.min(maxBarWidth, width - text.length - 2);
  if (total === undefined || text !== lines[0] || cells < minBarWidth) return text;
  const full = Math.round(progress * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${text}`;
}

interface ProgressPlace {
  readonly io: Pick<Io, 'stderr'>;
  readonly say: { notice(words: string): void };
  readonly inCi: boolean;
}

export interface ProgressFacts {
  readonly total: number | undefined;
  readonly spent: { readonly billed: number };
}

export async function startProgress(
  { io, say, inCi }: ProgressPlace,
  facts: ProgressFacts,
  showsBar: boolean,
): Promise<Progress> {
  if (!showsBar || io.stderr.isTTY !== true) return inCi ? linesOf(say, facts) : silent;
  const { total, spent } = facts;
  // A closed terminal must not end a run that still has data to write.
  const stream = io.stderr.on('error', () => {});
  const { default: cliProgress } = await import('cli-progress');
  const startedAt = performance.now();
  const terminal = barLine(stream);
  let knownRows = 0;
  // The options are a constant, because the library's types do not know the option `terminal`.
  const options = {
    terminal,
    format: (options: Options, { value, progress, maxWidth }: Params): string => {
      const rate = ((value - knownRows) * 1000) / Math.max(1, performance.now() - startedAt);
      const seconds = Math.round(((total ?? 0) - value) / rate);
      const left = rate > 0 ? cliProgress.Format.TimeFormat(seconds, options, 5) : undefined;
      return progressLine(
        { value, total, progress, rate: Math.round(rate), billed: spent.billed, left },
        maxWidth,
      );
    },
    fps: 8,
    forceRedraw: true,
    clearOnComplete: true,
    // A run that ends at once restores nothing, so the bar must not change the terminal's modes.
    hideCursor: false,
    linewrap: true,
    gracefulExit: false,
  };
  const bar = new cliProgress.SingleBar(options);
  bar.start(total ?? 0, 0);
  return {
    makeWay: terminal.makeWay,
    rows(count, bought = 0) {
      terminal.passed();
      knownRows += bought;
      bar.increment(count);
    },
    end() {
      // The library draws once more when it stops, while the last rows are still being printed.
      terminal.makeWay();
      bar.stop();
    },
  };
}

/** CI ends a job that is silent for some minutes. */
const silentMs = 60_000;

function linesOf({ notice }: ProgressPlace['say'], { total, spent }: ProgressFacts): Progress {
  const began = performance.now();
  let value = 0;
  const telling = setInterval(() => {
    const rate = Math.round((value * 1000) / (performance.now() - began));
    const figures = { value, total, progress: 0, rate, billed: spent.billed, left: undefined };
    notice(progressLine(figures, Number.POSITIVE_INFINITY).replace(/^█*░* /, ''));
  }, silentMs);
  return {
    ...silent,
    rows: (count) => {
      value += count;
    },
    end: () => clearInterval(telling),
  };
}

/** A reader gets this many milliseconds to print the rows that it received. */
const printingMs = 20;

/** Touches only the current line, unlike the terminal of cli-progress. `makeWay` hides the bar until shortly after `passed`. */
function barLine(stream: Io['stderr']) {
  let awayUntil = 0;
  let isDrawn = false;
  const nothing = (): void => {};
  return {
    // This is one write, because a row must not come between the bar and the return of the cursor.
    write(text: string): void {
      if (performance.now() < awayUntil) return;
      stream.write(`\r${text}\u001b[K\r`);
      isDrawn = true;
    },
    makeWay(): void {
      if (isDrawn) stream.write('\r\u001b[K');
      [isDrawn, awayUntil] = [false, Number.POSITIVE_INFINITY];
    },
    passed(): void {
      if (awayUntil === Number.POSITIVE_INFINITY) awayUntil = performance.now() + printingMs;
    },
    getWidth: () => widthOf(stream),
    isTTY: () => true,
    cursorSave: nothing,
    cursorRestore: nothing,
    cursorTo: nothing,
    clearRight: nothing,
    clearLine: nothing,
  };
}
