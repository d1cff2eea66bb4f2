/** One writer at a time: no update is lost, whoever writes at once and whatever an earlier writer left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { bundle, ended, start } from '../money/child.ts';
import { temporaryFolder, writeConfigFile } from './folder.ts';
import { setValue } from './writing.ts';

/** A line of a writer; no process has that number. */
const claim = (pid: number): string => `\n${JSON.stringify({ token: `of ${pid}`, pid, host: hostname(), since: '2026-01-01' })}\n`;
const nobody = 2 ** 22 + 1;
const store = (directory: string, profile = 'a') => setValue({ directory, profile, name: 'timeout', text: '5' });

describe('writers at once lose no update', () => {
  test('in one process', async () => {
    const directory = join(temporaryFolder(), 'pdi');
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((profile) => store(directory, profile)));
    expect([...readConfig(directory).profiles.keys()].sort()).toEqual(names.sort());
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test('in several processes, beside an abandoned lock', async () => {
    const directory = temporaryFolder();
    const file = writeConfigFile(directory, {});
    writeFileSync(`${file}.lock`, claim(nobody));
    const writer = await bundle('settings-writer', temporaryFolder(), new URL('scripts/', import.meta.url));
    const writers = ['a', 'b', 'c', 'd'].map((name) => start(writer, directory, name, '25'));
    expect(await Promise.all(writers.map(ended))).toEqual([0, 0, 0, 0]);
    expect(readConfig(directory).profiles.size).toBe(100);
    expect(readdirSync(directory)).toEqual(['config.json']);
  }, 30_000);
});

describe('a lock that lies there', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['of a process that is gone', claim(nobody)],
    ['of a version that wrote a token alone', '6f1c8a30-0000-4000-8000-000000000000'],
    ['that is empty', ''],
  ])('%s does not make anybody wait', async (_what, text) => {
    const directory = temporaryFolder();
    const file = writeConfigFile(directory, {});
    writeFileSync(`${file}.lock`, text);
    const started = performance.now();
    await store(directory);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test('of a living process is waited for, then an error that says what to do; nothing is written', async () => {
    const directory = temporaryFolder();
    const file = writeConfigFile(directory, { kept: true });
    writeFileSync(`${file}.lock`, claim(process.ppid));
    await import('conf');
    vi.useFakeTimers({ toFake: ['performance'] });
    const stored = store(directory);
    await vi.waitFor(() => expect(readFileSync(`${file}.lock`, 'utf8')).toContain('"left"'));
    vi.advanceTimersByTime(16_000);
    await expect(stored).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`${file} is in use by another run (process ${process.ppid}`),
      details: { retryable: true, hint: expect.stringContaining(`delete ${file}.lock`) },
    });
    expect(readFileSync(file, 'utf8')).toBe('{"kept":true}');
  });
});
