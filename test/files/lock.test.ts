/** A lock is the kernel's: it ends with its process, however that ends. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isHeld, lockNow, lockOutput } from '../../src/files/lock.ts';
import { sqliteEngine, WithoutLocks } from '../../src/files/sqlite.ts';
import { failureOf } from '../support/failure.ts';
import { withoutLocks } from '../support/locks.ts';
import { newFolder } from '../support/run.ts';

const newPath = (): string => join(newFolder(), 'lock');
const takeLock = async (path: string) => lockNow(await sqliteEngine(), path);

test('a lock is for one at a time, private, and leaves nothing', async () => {
  const path = newPath();
  const lock = await takeLock(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect([await takeLock(path), isHeld(await sqliteEngine(), path)]).toEqual([undefined, true]);
  lock?.release();
  lock?.release();
  expect(readdirSync(dirname(path))).toEqual([]);
  (await takeLock(path))?.release();
});

test('of many that want it at once exactly one has it, and then the next', async () => {
  const path = newPath();
  let inside = 0;
  let turns = 0;
  const worker = async (): Promise<void> => {
    for (let had = 0; had < 5; ) {
      const lock = await takeLock(path);
      await new Promise((resolve) => setImmediate(resolve));
      if (lock === undefined) continue;
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      turns += 1;
      had += 1;
      lock.release();
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  expect(turns).toBe(20);
});

test('a disk whose locks are refused is not taken for one on which another run has the lock', async () => {
  const path = newPath();
  const engine = await withoutLocks();
  expect(() => lockNow(engine, path)).toThrow(WithoutLocks);
  expect(readdirSync(dirname(path))).toEqual(['lock']);
});

test('a file whose lock cannot be opened is refused by name', async () => {
  const folder = join(newFolder(), ...Array.from({ length: 12 }, () => 'a'.repeat(50)));
  mkdirSync(folder, { recursive: true });
  expect(await failureOf(() => lockOutput(join(folder, 'x.csv'), 'x.csv'))).toMatchObject({
    code: 'usage',
    message: expect.stringMatching(
      /^x\.csv cannot be locked: \/.*\.lock is another user's, or its path is too long$/,
    ),
  });
});
