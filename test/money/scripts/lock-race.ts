/**
 * Short runs, one after the other, that each take a lock once and end: `lock-race FOLDER RACER COUNT`. Each says in FOLDER/log
 * when it is inside and when it leaves. Runs have numbers of their own in the place of process ids: the number of a run that is
 * over is a dead process's, to every racer at once, as fast as no real process ends.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../../src/errors.ts';
import { acquireLock } from '../../../src/files/lock.ts';

const [folder = '', racer = '0', count = '0'] = process.argv.slice(2);
const runsOfRacer = 1_000_000;
const log = openSync(join(folder, 'log'), 'a');
/** For each racer the number of the run that lives. */
const living = openSync(join(folder, 'living'), 'r+');

const own = new Float64Array(1);
function begin(pid: number): void {
  own[0] = pid;
  writeSync(living, own, 0, own.byteLength, Number(racer) * own.byteLength);
}

const other = new Float64Array(1);
function isAlive(pid: number): boolean {
  readSync(living, other, 0, other.byteLength, Math.floor(pid / runsOfRacer) * other.byteLength);
  return other[0] === pid;
}

for (let done = 0; done < Number(count); done += 1) {
  const pid = Number(racer) * runsOfRacer + done;
  begin(pid);
  const request = { path: join(folder, 'lock'), guarded: 'the log', processes: { pid, isAlive }, clock: () => new Date() };
  for (let inside = false; !inside; ) {
    try {
      const lock = await acquireLock(request);
      inside = true;
      writeSync(log, `enter ${pid}\n`);
      await setImmediate();
      writeSync(log, `leave ${pid}\n`);
      await lock.release();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      await setImmediate();
    }
  }
}
begin(Number.NaN);
closeSync(living);
closeSync(log);
