/** Writes files: a regular file through a temporary file beside it, a device and a named pipe directly. */
import { once } from 'node:events';
import { constants, openSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../../errors.ts';
import { type Lock, lockOutput } from '../../files/lock.ts';
import { fileState, hiddenBeside } from '../../files/private.ts';
import type { Output } from '../layout.ts';
import { type FileMemory, type Sink, writeFailure } from './sink.ts';
import { readerHasGone, stdoutSink } from './stdout-sink.ts';
import { type Target, unusable } from './target.ts';

/** Rows are collected up to this many characters, because each system call costs time. */
const chunkSize = 65_536;

/** These errors come from the disk, so the command is not wrong. */
const diskCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

const openFailure = (name: string, error: unknown): Error =>
  diskCodes.has(systemCodeOf(error)) ? writeFailure(name, error) : unusable(name, error);

interface Temporary {
  readonly handle: FileHandle;
  readonly path: string;
  readonly mode: number;
}

/** Only the owner can read the file until it is complete. A file that a killed run left is removed first. */
async function createBeside({ name, path, replaces }: Target, keep: number | undefined): Promise<Temporary> {
  const temporary = hiddenBeside(path, 'tmp');
  try {
    if (keep !== undefined) return await continued(path, temporary, keep);
    await rm(temporary, { force: true });
    const mode = replaces?.mode ?? (await usualMode(temporary));
    return { handle: await open(temporary, 'wx', 0o600), path: temporary, mode };
  } catch (error) {
    throw openFailure(name, error);
  }
}

/** Goes on with the file that a killed run left, or with a copy of the one that an earlier run finished. */
async function continued(path: string, temporary: string, keep: number): Promise<Temporary> {
  if (sizeOf(temporary) < keep) {
    await copyFile(path, temporary);
    await chmod(temporary, 0o600);
  }
  const handle = await open(temporary, 'a', 0o600);
  await handle.truncate(keep);
  const probe = hiddenBeside(path, 'mode');
  return { handle, path: temporary, mode: statSync(path, { throwIfNoEntry: false })?.mode ?? (await usualMode(probe)) };
}

/** Tells whether the first `bytes` bytes that an earlier run wrote are still there: in the file that it left, or beside it. */
export function isBegun(path: string, bytes: number, leftSo: FileMemory['leftSo']): boolean {
  if (bytes === 0) return false;
  if (sizeOf(hiddenBeside(path, 'tmp')) >= bytes) return true;
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state !== undefined && leftSo?.(fileState(state)) === true && Number(state.size) >= bytes;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Only a new file shows which permissions the system gives here, so an empty one is created and removed. */
async function usualMode(path: string): Promise<number> {
  const handle = await open(path, 'wx', 0o666);
  const { mode } = await handle.stat();
  await handle.close();
  await rm(path);
  return mode & 0o777;
}

/** Syncs the folder, so that the new name survives a power cut. Some systems cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function lockOf({ name, path }: Target): Promise<Lock> {
  try {
    return await lockOutput(path, name);
  } catch (error) {
    if (error instanceof PdiError) throw error;
    throw openFailure(name, error);
  }
}

/**
 * Opens a sink for a regular file, which has its name only after `commit`, and then with the whole content. The journal knows the file and
 * holds its lock. Without a journal, the sink takes the lock.
 */
export async function fileSink(target: Target, journal: FileMemory | undefined): Promise<Sink> {
  const lock = journal === undefined ? await lockOf(target) : undefined;
  const { handle, path, mode } = await createBeside(target, journal?.keep).catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  let [collected, ended] = ['', false];
  // The synchronous write takes half the time: each asynchronous one needs a thread and a buffer of its own.
  const append = (output: Output): void => writeFileSync(handle.fd, output);
  let written = journal?.keep ?? 0;
  let reached: ((bytes: number) => void) | undefined;
  const flush = (): void => {
    const chunk = collected;
    collected = '';
    append(chunk);
    written += Buffer.byteLength(chunk);
    reached?.(written);
    reached = undefined;
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
    // Some disks have no permissions, so a failure is ignored.
    await handle.chmod(mode).catch(() => {});
    await handle.close();
    ended = true;
    await syncFolder(dirname(target.path));
    lock?.release();
  };
  return {
    async write(output, told) {
      // What was reached is told of to the byte, before more follows that does not count.
      if (told === undefined && reached !== undefined) await orFail(flush);
      reached = told;
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

/** Opens a sink for a device. Every row is passed on at once and cannot be taken back. */
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

const pauseBetweenTries = 20;

/** Opens a sink for a named pipe, which never blocks the end of the process even if nothing reads. It waits for a reader until `stop`. @throws UsageError if the pipe cannot be opened, PdiError `interrupted` after `stop` */
export async function fifoSink({ name, path }: Target, stop?: AbortSignal): Promise<Sink> {
  const stream = new Socket({ fd: await openForWriting(name, path, stop), readable: false, writable: true });
  const { write } = stdoutSink(stream, name);
  const close = async (): Promise<void> => {
    if (stream.destroyed) return;
    stream.destroy();
    await once(stream, 'close');
  };
  // Every write has waited for its bytes, so nothing is pending at the end.
  return { write, commit: close, discard: close };
}

async function openForWriting(name: string, path: string, stop?: AbortSignal): Promise<number> {
  for (;;) {
    if (stop?.aborted === true) throw new PdiError('interrupted', `interrupted before anybody read ${name}`, { retryable: true });
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENXIO') throw unusable(name, error);
    }
    await delay(pauseBetweenTries, undefined, stop === undefined ? {} : { signal: stop }).catch(() => {});
  }
}
