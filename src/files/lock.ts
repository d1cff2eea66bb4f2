/** A lock is an exclusive transaction on an empty file: the kernel frees it however the process ends, in a container, at kill -9. */
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { attempt, onWindows, systemCodeOf, UsageError } from '../errors.ts';
import { hiddenBeside, isMountedAlone } from './private.ts';
import {
  type Database,
  type OpenDatabase,
  sqliteEngine,
  troubleOf,
  WithoutLocks,
} from './sqlite.ts';

export interface Lock {
  /** Also deletes the file. It may be called twice. */
  release(): void;
}

/** SQLite writes nothing to the file, and no file beside it. */
const holding = 'PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE';

/** Undefined where another run has the lock. @throws the system's or the engine's error */
const takeLock = async (path: string): Promise<Lock | undefined> =>
  lockNow(await sqliteEngine(), path);

export function lockNow(open: OpenDatabase, path: string): Lock | undefined {
  const lock = lockUnlessHeld(open, path);
  if (lock === undefined) refuseWithoutLocks(open, path);
  return lock;
}

/** The engine takes the answer of a disk without locks (ENOLCK) for that of another process, but nobody else has a file of a new name. */
export function refuseWithoutLocks(open: OpenDatabase, path: string): void {
  const unknown = `${path}-${crypto.randomUUID().slice(0, 8)}`;
  const isRefused = attempt(() => {
    const lock = lockUnlessHeld(open, unknown);
    lock?.release();
    return lock === undefined;
  });
  attempt(() => rmSync(unknown, { force: true }));
  if (isRefused) throw new WithoutLocks('no file can be locked there');
}

function lockUnlessHeld(open: OpenDatabase, path: string): Lock | undefined {
  for (let left = onWindows ? triesOnWindows : 0; ; left -= 1) {
    try {
      return lockUnlessGone(open, path);
    } catch (error) {
      if (left === 0 || !mayBeGoing(error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, msUntilGone);
  }
}

const [triesOnWindows, msUntilGone] = [30, 10];

/** Windows opens no file that another run is just deleting. */
const mayBeGoing = (error: unknown): boolean =>
  troubleOf(error) === 'cannot open' ||
  ['EPERM', 'EACCES', 'EBUSY'].includes(systemCodeOf(error) ?? '');

function lockUnlessGone(open: OpenDatabase, path: string): Lock | undefined {
  for (;;) {
    createEmpty(path);
    const before = birthOf(path);
    const database = open(path);
    if (!didWork(() => database.exec(holding))) {
      database.close();
      return undefined;
    }
    // Who had the lock may have deleted the file between our opening and our locking it, and another have made a new one.
    if (before !== undefined && birthOf(path) === before) return lockOf(path, database);
    freed(database);
  }
}

/** A deleted file that we had not open may have left its number to a new one; a lock's file is never written, so its times stay. */
function birthOf(path: string): string | undefined {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state && `${state.dev} ${state.ino} ${state.birthtimeNs}`;
}

/** Tells a file from another of the same name: while we have it open, no other gets its number. One without content has none. */
export function identityOf(path: string): string | undefined {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state === undefined || state.size === 0n ? undefined : `${state.dev} ${state.ino}`;
}

export function isHeld(open: OpenDatabase, path: string): boolean {
  const database = open(path);
  try {
    return !didWork(() => database.exec('PRAGMA busy_timeout=0; SELECT 1 FROM sqlite_master'));
  } finally {
    database.close();
  }
}

export class InUse extends UsageError {
  constructor(what: string, item = what) {
    super(`${what} is in use by another run`, {
      item,
      retryable: true,
      hint: 'wait until it ends',
    });
  }
}

/** `path` is the real one, whatever the file is called. @throws InUse, UsageError where it cannot be locked or replaced, and the system's error */
export async function lockOutput(path: string, name: string): Promise<Lock> {
  if (isMountedAlone(path)) {
    const hint = 'mount the folder that it is in';
    throw new UsageError(`${path} cannot be replaced: it is mounted without its folder`, {
      item: path,
      hint,
    });
  }
  const file = await hiddenBeside(path, 'lock');
  const lock = await takeLock(file).catch(aboutOutput(name, file));
  if (lock === undefined) throw new InUse(name);
  return lock;
}

/** SQLite takes no path of more than 512 bytes, and a lock that another user left opens for that one alone. */
const aboutOutput =
  (name: string, file: string) =>
  (error: unknown): never => {
    const trouble = troubleOf(error);
    if (trouble === undefined) throw error;
    const reason =
      trouble === 'cannot open'
        ? `${file} is another user's, or its path is too long`
        : 'the file locks of its disk do not work';
    const hint = 'name a file on a disk of this machine, in a folder of your own';
    throw new UsageError(`${name} cannot be locked: ${reason}`, { item: name, hint, cause: error });
  };

function lockOf(path: string, database: Database): Lock {
  let held = true;
  return {
    release: () => {
      if (!held) return;
      held = false;
      const remove = () => rmSync(path, { force: true });
      // The file goes first: whoever opened it before finds that it has no name any more.
      const isGone = attempt(() => remove() === undefined) === true;
      freed(database);
      // Windows deletes no open file: neither ours before, nor that of another run now.
      if (!isGone) attempt(remove);
    },
  };
}

/** libsql keeps the locks of a closed database until its statements are collected, so the transaction ends first. */
function freed(database: Database): void {
  database.exec('ROLLBACK');
  database.close();
}

function didWork(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (troubleOf(error) === 'busy') return false;
    throw error;
  }
}

/** A file that is there is not opened: to close it again would free the locks that this process has on it. */
export function createEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    // The engine would make the file that a link names readable for others.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  }
}
