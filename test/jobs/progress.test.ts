import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startProgress } from '../../src/jobs/progress.ts';

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
    progress.row();
    expect(shown()).toContain('/2 ');
    progress.end();
    expect(shown()).not.toContain('\u001b[?');
  });
});
