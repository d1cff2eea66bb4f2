/** Reads and writes the configuration file for `pdi config` with conf: atomically, for its owner alone, one writer at a time. */
import { chmodSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../errors.ts';
import { InUse, type Lock, lockOutput } from '../files/lock.ts';
import { makeFolder } from '../files/private.ts';
import { type Config, configFile, configOf, emptyConfig, fileFailure, objectIn, refuseUntrusted } from './read-config.ts';

export type NextWhole = Readonly<Record<string, unknown>>;

const ownerOnlyFile = 0o600;
const ownerOnlyFolder = 0o700;
const stickyBit = 0o1000;

/** A shared folder (such as /tmp, with its sticky bit) or another owner's stays open to others. The file itself is private in any case. */
function closeFolder(directory: string): void {
  makeFolder(directory, ownerOnlyFolder);
  if ((statSync(directory).mode & stickyBit) !== 0) return;
  try {
    chmodSync(directory, ownerOnlyFolder);
  } catch {
    // The folder has another owner.
  }
}

const textOfConfig = (whole: unknown): string => `${JSON.stringify(whole, undefined, 2)}\n`;

/** conf reads the file as it opens it. Loading conf takes up to 100 ms, so other commands do without it. */
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

/** A missing file is not opened, because conf would make its folder, open to others. */
function read(directory: string, open: Open): Config {
  const file = configFile(directory);
  refuseUntrusted(file);
  return isThere(file) ? configOf(file, open().store) : emptyConfig(directory);
}

function write(directory: string, open: Open, next: NextWhole): void {
  // The mode is set before a key goes in, because conf writes in place inside a snap package.
  const file = configFile(directory);
  if (isThere(file)) chmodSync(file, ownerOnlyFile);
  // The store is set as a whole, because conf's own `set` would take dots in profile names for nesting.
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

export async function openConfig(directory: string): Promise<Config> {
  const open = await opener(directory);
  try {
    return read(directory, open);
  } catch (error) {
    throw error instanceof PdiError ? error : fileFailure('read', configFile(directory), error);
  }
}

/** The unit is milliseconds; a writer holds the lock for a few. */
const patience = { giveUpAfter: 15_000, pause: 15 };

/** Windows answers EPERM while another process is just removing the file. */
const isBusy = (error: unknown): boolean => error instanceof InUse || systemCodeOf(error) === 'EPERM';

async function lockOf(file: string): Promise<Lock> {
  const started = performance.now();
  for (;;) {
    try {
      return await lockOutput(file, file);
    } catch (error) {
      if (!isBusy(error) || performance.now() - started > patience.giveUpAfter) throw error;
    }
    await delay(patience.pause * (1 + Math.random()));
  }
}

export interface ConfigFolder {
  readonly directory: string;
}

/** Writes the file whole or not at all. @throws UsageError when it is broken or locked for too long, PdiError `internal` when unwritable */
export async function updateConfig<T>(
  { directory }: ConfigFolder,
  change: (config: Config) => { readonly next?: NextWhole; readonly result: T },
): Promise<T> {
  const file = configFile(directory);
  const open = await opener(directory);
  try {
    refuseUntrusted(file);
    closeFolder(directory);
    const lock = await lockOf(file);
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
