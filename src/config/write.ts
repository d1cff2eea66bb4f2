/** The configuration file, written: atomically, for its owner alone, one writer at a time. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, InUse, type Lock } from '../files/lock.ts';
import { makeFolder } from '../files/private.ts';
import { type Config, configFile, fileFailure, readConfig } from './store.ts';

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

/** conf costs up to 100 ms to load: only a command that writes pays for it, and before it takes the lock. */
async function writer(directory: string): Promise<(next: NextWhole) => void> {
  const { default: Conf } = await import('conf');
  return (next) => {
    // An open file is closed before a key goes in: conf writes in place where it runs inside a snap package.
    const file = configFile(directory);
    if (existsSync(file)) chmodSync(file, ownerOnlyFile);
    const conf = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: 'config',
      configFileMode: ownerOnlyFile,
      serialize: textOfConfig,
      deserialize: (text) => JSON.parse(text.replace(/^\uFEFF/, '')),
    });
    // As a whole: conf's own `set` would take dots in profile names for nesting.
    conf.store = { ...next };
  };
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
      return await acquireLock({ path: `${file}.lock`, guarded: file, processes, clock: () => new Date() });
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
  const write = await writer(directory);
  try {
    closeFolder(directory);
    const lock = await lockOf(file, processes);
    try {
      const { next, result } = change(readConfig(directory));
      if (next !== undefined) write(next);
      return result;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('write', file, error);
  }
}
