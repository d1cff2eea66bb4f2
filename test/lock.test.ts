import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireLock, type Lock } from '../src/lock.ts';
import { bundle, ended, start } from './money/child.ts';
import { clock, failureOf, newFolder, processes } from './money/places.ts';

const take = (path: string, table = processes()): Lock => acquireLock({ path, guarded: 'out.csv.journal', processes: table, clock });

const claim = (pid: number, host = hostname()): string => `${JSON.stringify({ token: `of ${pid}`, pid, host, since: '2026-01-01' })}\n`;

describe('a lock', () => {
  test('is for one at a time, private, and leaves nothing', async () => {
    const path = join(newFolder(), 'lock');
    const lock = take(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await failureOf(() => take(path))).toMatchObject({
      code: 'usage',
      message: 'out.csv.journal is in use by another run (process 1000, since 2026-01-02T03:04:05.000Z)',
      details: { retryable: true, hint: expect.stringContaining(`delete ${path}`) },
    });
    lock.release();
    lock.release();
    expect(existsSync(path)).toBe(false);
    take(path).release();
  });

  test.each([
    ['a dead process', claim(7), true],
    ['a living process', claim(8), false],
    ['a process that left', `${claim(8)}{"left":"of 8"}\n`, true],
    ['a dead process, then a living one', claim(7) + claim(8), false],
    ['a dead namesake of ours', claim(1000), true],
    ['a process of another machine', claim(7, 'elsewhere.example.test'), false],
    ['half a line', claim(7).slice(0, -20), true],
    ['a living process and half a line', claim(8) + claim(7).slice(0, -20), false],
  ])('after %s', async (_, text, free) => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, text);
    if (free) take(path, processes(8)).release();
    else expect((await failureOf(() => take(path, processes(8)))).code).toBe('usage');
    expect(existsSync(path)).toBe(!free);
  });

  test('does not stay with one who was refused', async () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, claim(8));
    expect((await failureOf(() => take(path, processes(8)))).code).toBe('usage');
    // The owner is gone, the refused one still lives: the next is not refused for its sake.
    const lock = take(path, { pid: 9, isAlive: (pid) => pid === 1000 });
    expect(existsSync(path)).toBe(true);
    lock.release();
    expect(existsSync(path)).toBe(false);
  });

  test('queues again when its file was deleted meanwhile', () => {
    const path = join(newFolder(), 'lock');
    writeFileSync(path, claim(7));
    let asked = 0;
    const deletesOnce = {
      pid: 1000,
      isAlive: () => {
        asked += 1;
        if (asked === 1) unlinkSync(path);
        return false;
      },
    };
    const lock = take(path, deletesOnce);
    expect(readFileSync(path, 'utf8')).toContain('"pid":1000');
    lock.release();
  });

  test('follows no link', async () => {
    const folder = newFolder();
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'lock'));
    expect((await failureOf(() => take(join(folder, 'lock')))).message).toContain('cannot use the lock file');
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  test('keeps processes apart: no count is lost', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'number'), '0');
    appendFileSync(join(folder, 'lock'), claim(2 ** 22 + 1));
    const counter = await bundle('lock-counter', folder);
    const counters = Array.from({ length: 4 }, () => start(counter, folder, '100'));
    expect(await Promise.all(counters.map(ended))).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(folder, 'number'), 'utf8')).toBe('400');
  }, 20_000);
});
