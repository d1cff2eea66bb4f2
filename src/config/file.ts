/** The configuration file as `pdi config` has it, which conf reads and writes: atomically, for its owner alone, one writer at a time. */
import { chmodSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, InUse, type Lock, lockPath } from '../files/lock.ts';
import { makeFolder } from '../files/private.ts';
import { type Config, configFile, configOf, emptyConfig, fileFailure, objectIn } from './store.ts';

/** What the file shall hold. */
export type NextWhole = Readonly<Record<string, unknown>>;

/** A change of the file; without `next` it stays as it is. */
export interface Update<T> {
  readonly next?: NextWhole;
  readonly result: T;
}

const ownerOnlyFile = 0o600;
const ownerOnlyFolder = 0o700;
const stickyBit = 0o1000;

/**
 * Makes the folder, or closes it to others. A folder that everybody shares (such as /tmp, told by its sticky bit) stays
 * open, and one that is not ours to change stays as it is: the file is closed in any case.
 */
function closeFolder(directory: string): void {
  makeFolder(directory, ownerOnlyFolder);
  if ((statSync(directory).mode & stickyBit) !== 0) return;
  try {
    chmodSync(directory, ownerOnlyFolder);
  } catch {
    // Not the owner.
  }
}

const textOfConfig = (whole: unknown): string => `${JSON.stringify(whole, undefined, 2)}\n`;

/** What opens the file by conf, which reads it as it opens. Loading conf takes up to 100 ms: other commands read the file plainly. */
async function opener(directory: string) {
  const { default: Conf } = await import('conf');
  const file = configFile(directory);
  return () =>
    new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: 'config',
      configFileMode: ownerOnlyFile,
      serialize: textOfConfig,
      deserialize: (text) => objectIn(file, text),
    });
}

type Open = Awaited<ReturnType<typeof opener>>;

/** What the file holds. Where there is none it is not opened: conf would make its folder, open to others. */
function read(directory: string, open: Open): Config {
  const file = configFile(directory);
  return isThere(file) ? configOf(file, open().store) : emptyConfig(directory);
}

function write(directory: string, open: Open, next: NextWhole): void {
  // An open file is closed before a key goes in: conf writes in place where it runs inside a snap package.
  const file = configFile(directory);
  if (isThere(file)) chmodSync(file, ownerOnlyFile);
  // As a whole: conf's own `set` would take dots in profile names for nesting.
  open().store = { ...next };
}

function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The configuration for the words of `pdi config`. Throws as `readConfig`. */
export async function openConfig(directory: string): Promise<Config> {
  const open = await opener(directory);
  try {
    return read(directory, open);
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('read', configFile(directory), error);
  }
}

/** In milliseconds: a writer holds the lock for a few. */
const patience = { giveUpAfter: 15_000, pause: 15 };

/** Windows answers EPERM while another process is just removing the file. */
const isBusy = (error: unknown): boolean =>
  error instanceof InUse || (error instanceof PdiError && systemCodeOf(error.details.cause) === 'EPERM');

/** The lock on `file`, as soon as nobody has it. Throws what `acquireLock` throws once patience is at its end. */
async function lockOf(file: string, processes: ProcessTable): Promise<Lock> {
  const started = performance.now();
  for (;;) {
    try {
      return await acquireLock({ path: lockPath(file), guarded: file, processes, clock: () => new Date() });
    } catch (error) {
      if (!isBusy(error) || performance.now() - started > patience.giveUpAfter) throw error;
    }
    await delay(patience.pause * (1 + Math.random()));
  }
}

/** The folder of the configuration, and which processes run: one of them may be writing there. */
export interface ConfigFolder {
  readonly directory: string;
  readonly processes: ProcessTable;
}

/**
 * Reads the file, lets `change` say what it shall hold, writes that: mode 0600, folder 0700, whole or not at all, and no
 * update of another process in between. Throws UsageError when the file is broken: it stays as it is, or another process
 * has it for too long; PdiError `internal` when it cannot be written.
 */
export async function updateConfig<T>({ directory, processes }: ConfigFolder, change: (config: Config) => Update<T>): Promise<T> {
  const file = configFile(directory);
  const open = await opener(directory);
  try {
    closeFolder(directory);
    const lock = await lockOf(file, processes);
    try {
      const { next, result } = change(read(directory, open));
      if (next !== undefined) write(directory, open, next);
      return result;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('write', file, error);
  }
}
