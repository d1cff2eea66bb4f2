/** Files as sinks: a regular file by way of a temporary one beside it, a device directly. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PdiError, systemCodeOf } from '../../errors.ts';
import type { ProcessTable } from '../../files/liveness.ts';
import { acquireLock, InUse, type Lock, outputLock } from '../../files/lock.ts';
import { fileState } from '../../files/private.ts';
import type { Output } from '../formatter.ts';
import { type FileMemory, type Sink, writeFailure } from './sink.ts';
import { readerHasGone } from './stdout.ts';
import { type Target, unusable } from './target.ts';

/** Characters that are collected before they are written: rows are short, system calls are not free. */
const chunkSize = 65_536;

/** Errors of a disk, not of a name: no mistake of the user's. */
const diskCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

const openFailure = (name: string, error: unknown): Error =>
  diskCodes.has(systemCodeOf(error)) ? writeFailure(name, error) : unusable(name, error);

/** The one temporary file that FILE may have, since it is written by one run at a time. */
const temporaryFor = (path: string): string =>
  join(dirname(path), `.pdi-${createHash('sha256').update(basename(path)).digest('hex').slice(0, 16)}.tmp`);

interface Temporary {
  readonly handle: FileHandle;
  readonly path: string;
  /** What it becomes with its name: the permissions of the file that it replaces, else those of any new file here. */
  readonly mode: number;
}

/** A new file beside the target, for its owner alone until it is whole. The one that a killed run left goes. */
async function createBeside({ name, path, replaces }: Target): Promise<Temporary> {
  const temporary = temporaryFor(path);
  try {
    await rm(temporary, { force: true });
    const mode = replaces?.mode ?? (await usualMode(temporary));
    return { handle: await open(temporary, 'wx', 0o600), path: temporary, mode };
  } catch (error) {
    throw openFailure(name, error);
  }
}

/** The permissions that the system gives to a new file here: only one that is made tells, and it stays empty. */
async function usualMode(path: string): Promise<number> {
  const handle = await open(path, 'wx', 0o666);
  const { mode } = await handle.stat();
  await handle.close();
  await rm(path);
  return mode & 0o777;
}

/** Makes the new name outlive a power cut, on systems where a folder can be synced; no other can do more. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

export interface FileSinkOptions {
  /** The journal that knows the file and holds its lock; without one, the lock is taken here. */
  readonly journal?: FileMemory | undefined;
  readonly processes: ProcessTable;
}

async function lockOf({ name, path }: Target, processes: ProcessTable): Promise<Lock> {
  try {
    return await acquireLock({ path: outputLock(path), guarded: name, processes, clock: () => new Date() });
  } catch (error) {
    if (error instanceof InUse || !(error instanceof PdiError)) throw error;
    throw openFailure(name, error.details.cause);
  }
}

/** A regular file: nothing has its name before `commit`, and everything after. */
export async function fileSink(target: Target, { journal, processes }: FileSinkOptions): Promise<Sink> {
  const lock = journal === undefined ? await lockOf(target, processes) : undefined;
  const { handle, path, mode } = await createBeside(target).catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  let [collected, ended] = ['', false];
  // At once: a promise of it takes a thread, a buffer of its own and twice the time.
  const append = (output: Output): void => writeFileSync(handle.fd, output);
  const flush = (): void => {
    const chunk = collected;
    collected = '';
    append(chunk);
  };
  const discard = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    lock?.release();
  };
  const orFail = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await discard();
      throw writeFailure(target.name, error);
    }
  };
  const complete = async (): Promise<void> => {
    flush();
    await handle.sync();
    journal?.willLeave(fileState(await handle.stat({ bigint: true })));
    await rename(path, target.path);
    // A disk without permissions cannot be asked for more.
    await handle.chmod(mode).catch(() => {});
    await handle.close();
    ended = true;
    await syncFolder(dirname(target.path));
    lock?.release();
  };
  return {
    async write(output) {
      if (typeof output === 'string') collected += output;
      if (collected.length >= chunkSize || typeof output !== 'string') await orFail(flush);
      if (typeof output !== 'string') await orFail(() => append(output));
      return true;
    },
    commit: async () => (ended ? undefined : orFail(complete)),
    discard,
    replacesAnother: target.replaces?.ours === false,
  };
}

/** A device: every row is passed on at once, nothing can be taken back. */
export async function deviceSink({ name, path }: Target): Promise<Sink> {
  const handle = await open(path, 'w').catch((error: unknown) => {
    throw openFailure(name, error);
  });
  let [gone, closed] = [false, false];
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await handle.close();
  };
  return {
    async write(output) {
      if (gone || output.length === 0) return !gone;
      try {
        await handle.appendFile(output, 'utf8');
      } catch (error) {
        if (!readerHasGone(error)) throw writeFailure(name, error);
        gone = true;
      }
      return !gone;
    },
    commit: close,
    discard: close,
  };
}
