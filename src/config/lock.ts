/** One writer at a time, across processes: a lock file that only one of them can create. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError } from '../errors.ts';

export interface Patience {
  /** A lock that stays the same for this long was left behind: work under a lock takes milliseconds. */
  readonly abandonedAfter: number;
  readonly giveUpAfter: number;
  readonly pause: number;
}

/** In milliseconds. */
const usual: Patience = { abandonedAfter: 3000, giveUpAfter: 15_000, pause: 15 };

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;

function created(lock: string, token: string): boolean {
  try {
    writeFileSync(lock, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Windows answers EPERM while another process is just removing the file.
    if (hasCode(error, 'EEXIST') || hasCode(error, 'EPERM')) return false;
    throw error;
  }
}

/** Whose lock it is; undefined when there is none, or none that can be read just now. */
function holder(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Takes an abandoned lock away. Renaming is what makes this safe for two that try it at once: what was moved is looked at
 * again, and if it is somebody's fresh lock, it is put back.
 */
function takeAway(lock: string, abandoned: string, token: string): void {
  const aside = `${lock}.${token}`;
  try {
    renameSync(lock, aside);
    if (holder(aside) !== abandoned) linkSync(aside, lock);
  } catch {
    // Somebody else was faster: the next round looks again.
  }
  rmSync(aside, { force: true });
}

function busy(file: string, lock: string): PdiError {
  return new PdiError('internal', `${file} is being written by another pdi`, {
    item: file,
    billed: 'no',
    retryable: true,
    hint: `try again; if no other pdi is running, delete ${lock}`,
  });
}

/** Age is told by watching, not by clocks: a network drive may keep another time than this machine. */
async function acquire(file: string, lock: string, token: string, patience: Patience): Promise<void> {
  const started = performance.now();
  let seen = holder(lock);
  let since = started;
  while (!created(lock, token)) {
    const now = performance.now();
    if (now - started > patience.giveUpAfter) throw busy(file, lock);
    const current = holder(lock);
    if (current !== seen) [seen, since] = [current, now];
    else if (current !== undefined && now - since > patience.abandonedAfter) takeAway(lock, current, token);
    await delay(patience.pause * (1 + Math.random()));
  }
}

/**
 * Runs `work` while holding `FILE.lock`. `work` is synchronous, so nothing of this process can come between.
 * Throws PdiError `internal` when others hold the lock for too long, and what `work` or the file system throws.
 */
export async function withLock<T>(file: string, work: () => T, patience: Patience = usual): Promise<T> {
  const lock = `${file}.lock`;
  const token = crypto.randomUUID();
  await acquire(file, lock, token, patience);
  try {
    return work();
  } finally {
    if (holder(lock) === token) rmSync(lock, { force: true });
  }
}
