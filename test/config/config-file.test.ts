/** One writer at a time: no update is lost, whoever writes at once and whatever an earlier writer left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { setValue } from '../../src/config/change.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { lockOutput } from '../../src/files/lock.ts';
import { hiddenBeside } from '../../src/files/private.ts';
import { bundle, ended, start } from '../support/child.ts';
import { newFolder } from '../support/run.ts';
import { writeConfigFile } from './folder.ts';

test('writers in several processes lose no update, beside an abandoned lock', async () => {
  const directory = newFolder();
  const file = writeConfigFile(directory, {});
  writeFileSync(await hiddenBeside(file, 'lock'), '');
  const writer = await bundle('settings-writer', new URL('scripts/', import.meta.url));
  const writers = ['a', 'b', 'c', 'd'].map((name) => start(writer, directory, name, '25'));
  expect(await Promise.all(writers.map(ended))).toEqual([0, 0, 0, 0]);
  expect(readConfig(directory).profiles.size).toBe(100);
  expect(readdirSync(directory)).toEqual(['config.json']);
}, 300_000);

afterEach(() => void vi.useRealTimers());

test('the lock of a writer that lives is waited for, then an error says what to do; nothing is written', async () => {
  const directory = newFolder();
  const file = writeConfigFile(directory, { kept: true });
  const lock = await lockOutput(file, file);
  await import('conf');
  vi.useFakeTimers({ toFake: ['performance'] });
  const stored = setValue({ directory, profile: 'a', name: 'timeout', text: '5' });
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(16_000);
  await expect(stored).rejects.toMatchObject({
    code: 'usage',
    message: `${file} is in use by another run`,
    details: { retryable: true, hint: 'wait until it ends' },
  });
  expect(readFileSync(file, 'utf8')).toBe('{"kept":true}');
  lock.release();
});
