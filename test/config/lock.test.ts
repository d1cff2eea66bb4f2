import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setValue } from '../../src/config/change.ts';
import { withLock } from '../../src/config/lock.ts';
import { readConfig } from '../../src/config/store.ts';
import { temporaryFolder } from './folder.ts';

const quick = { abandonedAfter: 30, giveUpAfter: 5000, pause: 2 };

describe('withLock', () => {
  test('is held during the work and gone afterwards, also when the work fails', async () => {
    const file = join(temporaryFolder(), 'f');
    expect(await withLock(file, () => existsSync(`${file}.lock`))).toBe(true);
    const failing = withLock(file, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('a lock that somebody else has taken over meanwhile is not removed', async () => {
    const file = join(temporaryFolder(), 'f');
    await withLock(file, () => writeFileSync(`${file}.lock`, 'another'));
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('another');
  });

  test('an abandoned lock is taken over, by one after the other', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'f');
    writeFileSync(`${file}.lock`, 'left behind');
    writeFileSync(file, '0');
    const increment = () => writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1));
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, increment, quick)));
    expect(readFileSync(file, 'utf8')).toBe('8');
    expect(readdirSync(folder)).toEqual(['f']);
  });

  test('a lock that is held too long is an error that says what to do, and is left alone', async () => {
    const file = join(temporaryFolder(), 'f');
    writeFileSync(`${file}.lock`, 'another');
    await expect(withLock(file, () => 1, { abandonedAfter: 60_000, giveUpAfter: 20, pause: 2 })).rejects.toMatchObject({
      code: 'internal',
      details: { hint: expect.stringContaining(`${file}.lock`) },
    });
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('another');
  });
});

describe('writers at once lose no update', () => {
  test('in one process', async () => {
    const directory = join(temporaryFolder(), 'pdi');
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((profile) => setValue({ directory, profile, name: 'timeout', text: '5' })));
    expect([...readConfig(directory).profiles.keys()].sort()).toEqual(names.sort());
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  /** Takes the lock by the same rules in plain JavaScript processes: they hold it across a read and a write. */
  test('in several processes', async () => {
    const directory = temporaryFolder();
    const file = join(directory, 'config.json');
    writeFileSync(file, '{"profiles":{}}');
    const script = `
      const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
      const [file, name] = process.argv.slice(1);
      for (let round = 0; round < 15; round++) {
        for (;;) try { writeFileSync(file + '.lock', name + round, { flag: 'wx' }); break; } catch {}
        const whole = JSON.parse(readFileSync(file, 'utf8'));
        whole.profiles[name + round] = { timeout: 5 };
        writeFileSync(file + name, JSON.stringify(whole));
        renameSync(file + name, file);
        rmSync(file + '.lock');
      }`;
    const children = ['a', 'b'].map((name) => spawn(process.execPath, ['-e', script, file, name]));
    const ended = children.map((child) => once(child, 'exit'));
    for (let round = 0; round < 15; round++) await setValue({ directory, profile: `c${round}`, name: 'timeout', text: '5' });
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0]);
    expect(readConfig(directory).profiles.size).toBe(45);
  });
});
