import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { progressLine, startProgress } from '../../src/road/progress.ts';
import { fileOf, newFile, sandbox } from '../support/service.ts';

/** A terminal of so many cells that keeps what is written to it. */
function terminal(columns: number) {
  const pieces: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    pieces.push(String(chunk));
    done();
  };
  const stderr = Object.assign(new Writable({ decodeStrings: false, write }), {
    isTTY: true,
    columns,
  });
  /** Resolves when the bar is on the screen. */
  const drawn = () => vi.waitUntil(() => pieces.at(-1)?.includes('billed'));
  return { stderr, shown: () => pieces.join(''), drawn };
}

/** The lines that a terminal shows, of text with no more than line ends, returns to the margin and erasing to the right. */
function screen(written: string): readonly string[] {
  const lines = [''];
  let column = 0;
  for (const [piece] of written.replaceAll('\u001b[K', '\v').matchAll(/[\n\r\v]|[^\n\r\v]+/g)) {
    const line = lines.at(-1) ?? '';
    if (piece === '\n') lines.push('');
    if (piece === '\n' || piece === '\r') column = 0;
    else if (piece === '\v') lines[lines.length - 1] = line.slice(0, column);
    else {
      lines[lines.length - 1] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines;
}

/** A bar on a terminal of 80 cells, for a job of so many rows. */
async function barOf(total: number) {
  const { stderr, ...screen } = terminal(80);
  const place = { io: { stderr }, say: { notice: () => {} }, inCi: true };
  const progress = await startProgress(place, { total, spent: { billed: 0 } }, true);
  return { stderr, progress, ...screen };
}

describe('the progress bar', () => {
  it('changes no mode of the terminal: nothing is left to restore where the run is ended at once', async () => {
    const { shown, progress } = await barOf(2);
    progress.rows(1);
    expect(shown()).toContain('/2 ');
    progress.end();
    expect(shown()).not.toContain('\u001b[?');
  });

  it('leaves nothing of itself beside, below or over rows that a reader prints to the same terminal', async () => {
    const { stderr, shown, drawn, progress } = await barOf(3);
    for (const row of ['a,1', 'b,2', 'c,3']) {
      await drawn();
      progress.makeWay();
      stderr.write(`${row}\n`);
      progress.rows(1);
    }
    progress.end();
    stderr.write('pdi: 3 rows\n');
    expect(screen(shown())).toEqual(['a,1', 'b,2', 'c,3', 'pdi: 3 rows', '']);
  });

  it('is not in the way of a reader that takes its time', async () => {
    const { stderr, shown, progress } = await barOf(3);
    progress.makeWay();
    stderr.write('[{"a":1}');
    progress.end();
    expect(screen(shown())).toEqual(['[{"a":1}']);
  });

  it('comes back only when the reader has had time to print its rows', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { shown, progress } = await barOf(3);
    // It is drawn every 125 ms.
    vi.advanceTimersByTime(120);
    progress.makeWay();
    const before = shown();
    progress.rows(1);
    vi.advanceTimersByTime(15);
    expect(shown()).toBe(before);
    vi.advanceTimersByTime(125);
    expect(shown()).toContain('1/3');
    progress.end();
  });

  it('tells the time that is left from the rows that are asked now', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { shown, progress } = await barOf(100);
    progress.rows(80, 80);
    vi.advanceTimersByTime(1000);
    expect(shown()).toMatch(/80\/100 · 0\/s · 0 billed(?! · )/);
    progress.rows(10);
    vi.advanceTimersByTime(1000);
    expect(shown()).toMatch(/90\/100 · 5\/s · 0 billed · 2s left/);
    progress.end();
  });

  it('is wiped off its line at the end, whatever stands above', async () => {
    const { shown, drawn, progress } = await barOf(3);
    progress.rows(3);
    await drawn();
    progress.end();
    expect(screen(`$ pdi\n${shown()}`)).toEqual(['$ pdi', '']);
  });

  it('is a line a minute in CI, where there is no terminal, and nothing elsewhere', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const told: string[] = [];
    const say = { notice: (words: string) => void told.push(words) };
    for (const inCi of [true, false]) {
      const io = { stderr: new Writable() };
      const facts = { total: inCi ? 200 : undefined, spent: { billed: 57 } };
      const progress = await startProgress({ io, say, inCi }, facts, false);
      progress.rows(56);
      vi.advanceTimersByTime(61_000);
      progress.end();
      vi.advanceTimersByTime(120_000);
    }
    expect(told).toEqual([expect.stringMatching(/^56\/200 · \d+\/s · 57 billed$/)]);
  });

  it('of a free job says on a terminal how many rows there are', async () => {
    const file = fileOf('names.txt', 'ada\nbob\nada\n');
    const { stderr } = await (await sandbox()).pdi(`resolve -i ${file} --out ${newFile()}`, {
      terminal: true,
    });
    expect(stderr).toContain('/3 ');
  });

  it('fits the width that the terminal has at each redraw', async () => {
    const { stderr, shown, progress } = await barOf(200);
    expect(shown()).toContain(`${'░'.repeat(24)} 0/200 · 0/s · 0 billed\u001b`);
    stderr.columns = 20;
    progress.rows(1);
    await vi.waitUntil(() => shown().includes('\r1/200 · 0 billed\u001b'));
    progress.end();
  });
});

describe('its line', () => {
  const shown = { value: 56, total: 200, progress: 0.28, rate: 12, billed: 57, left: '10s' };
  const figures = '56/200 · 12/s · 57 billed · 10s left';

  it.each([
    [80, `${'█'.repeat(7)}${'░'.repeat(17)} ${figures}`],
    [62, `${'█'.repeat(7)}${'░'.repeat(17)} ${figures}`],
    [60, `${'█'.repeat(6)}${'░'.repeat(16)} ${figures}`],
    [42, `█░░░ ${figures}`],
    [41, figures],
    [37, figures],
    [36, '56/200 · 57 billed · 10s left'],
    [30, '56/200 · 57 billed · 10s left'],
    [29, '56/200 · 57 billed'],
    [19, '56/200 · 57 billed'],
    [18, '56/200'],
    [7, '56/200'],
    [3, '56/200'],
  ])('in %i cells', (width, line) => expect(progressLine(shown, width)).toBe(line));

  it('does not tell the time left before anything is known of it', () => {
    const unknown = { ...shown, left: undefined };
    expect(progressLine(unknown, 80)).toBe(
      `${'█'.repeat(7)}${'░'.repeat(17)} 56/200 · 12/s · 57 billed`,
    );
    expect(progressLine(unknown, 20)).toBe('56/200 · 57 billed');
  });

  it('of a stream has neither bar nor time left', () => {
    expect(progressLine({ ...shown, total: undefined }, 80)).toBe('56 rows · 12/s · 57 billed');
    expect(progressLine({ ...shown, total: undefined }, 20)).toBe('56 rows · 57 billed');
    expect(progressLine({ ...shown, value: 1, total: undefined }, 80)).toBe(
      '1 row · 12/s · 57 billed',
    );
  });
});
