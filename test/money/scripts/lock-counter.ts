/** Takes a lock COUNT times, whenever it can, and adds one to a number in a file each time: `lock-counter FOLDER COUNT`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../../src/errors.ts';
import { acquireLock, type Lock } from '../../../src/files/lock.ts';
import { realProcesses } from './parts.ts';

const [folder = '', count = '0'] = process.argv.slice(2);
const number = join(folder, 'number');

async function tryLock(): Promise<Lock | undefined> {
  try {
    return await acquireLock({ path: join(folder, 'lock'), guarded: 'the number', processes: realProcesses, clock: () => new Date() });
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

for (let done = 0; done < Number(count); ) {
  const lock = await tryLock();
  if (lock !== undefined) {
    writeFileSync(number, String(Number(readFileSync(number, 'utf8')) + 1));
    lock.release();
    done += 1;
  }
  await setImmediate();
}
