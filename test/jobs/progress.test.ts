import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { progressLine, startProgress } from '../../src/jobs/progress.ts';

/** A terminal of so many cells that keeps what is written to it. */
function terminal(columns: number) {
  const pieces: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    pieces.push(String(chunk));
    done();
  };
  const stderr = Object.assign(new Writable({ decodeStrings: false, write }), { isTTY: true, columns });
  return { stderr, shown: () => pieces.join('') };
}

const spent = { billed: 0, unknown: 0 };

describe('the progress bar', () => {
  it('changes no mode of the terminal: nothing is left to restore where the run is ended at once', async () => {
    const { stderr, shown } = terminal(80);
    const progress = await startProgress({ io: { stderr }, wanted: true, total: 2, spent });
    progress.rows(1);
    expect(shown()).toContain('/2 ');
    progress.end();
    expect(shown()).not.toContain('\u001b[?');
  });

  it('fits the width that the terminal has at each redraw', async () => {
    const { stderr, shown } = terminal(80);
    const progress = await startProgress({ io: { stderr }, wanted: true, total: 200, spent });
    expect(shown()).toContain(`${'░'.repeat(24)} 0/200 · 0/s · 0 billed · `);
    stderr.columns = 20;
    progress.rows(1);
    progress.end();
    expect(shown()).toContain('G1/200 · 0 billed\u001b');
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

  it('of a stream has neither bar nor time left', () => {
    expect(progressLine({ ...shown, total: undefined }, 80)).toBe('56 rows · 12/s · 57 billed');
    expect(progressLine({ ...shown, total: undefined }, 20)).toBe('56 rows · 57 billed');
  });
});
