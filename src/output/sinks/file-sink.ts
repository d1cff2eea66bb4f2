/** Writes files: a regular file through a temporary file beside it, a device and a named pipe directly. */
import { once } from 'node:events';
import { constants, openSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PdiError, systemCodeOf } from '../../errors.ts';
import { type Lock, lockOutput } from '../../files/lock.ts';
import { fileState, hiddenBeside } from '../../files/private.ts';
import { type FileMemory, type Sink, stdoutSink, type Target, unusable, writeFailure } from './sink.ts';

/** Rows are collected up to this many characters, because each system call costs time. */
const chunkSize = 65_536;

/** These errors come from the disk, so the command is not wrong. */
const diskCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

function openFailure(name: string, error: unknown): Error {
  if (error instanceof PdiError) return error;
  return diskCodes.has(systemCodeOf(error)) ? writeFailure(name, error) : unusable(name, error);
}

interface Temporary {
  readonly handle: FileHandle;
  readonly path: string;
  readonly mode: number;
}

/**
 * Only the owner can read the file until it is complete. One that a killed run left is removed, or with `keep` goes on, as does a copy of the
 * file that an earlier run finished.
 */
async function createBeside(path: string, keep: number | undefined): Promise<Temporary> {
  const temporary = hiddenBeside(path, 'tmp');
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? (await usualMode(hiddenBeside(path, 'mode')))) & 0o777;
  if (keep === undefined) {
    await rm(temporary, { force: true });
    return { handle: await open(temporary, 'wx', 0o600), path: temporary, mode };
  }
  if (sizeOf(temporary) < keep) {
    await copyFile(path, temporary);
    await chmod(temporary, 0o600);
  }
  const handle = await open(temporary, 'a', 0o600);
  await handle.truncate(keep);
  return { handle, path: temporary, mode };
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
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o666);
  const { mode } = await handle.stat();
  await handle.close();
  await rm(path);
  return mode;
}

/** Syncs the folder, so that the new name survives a power cut. Some systems cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/**
 * Opens a sink for a regular file, which has its name only after `commit`, and then with the whole content. The journal knows the file and
 * holds its lock. Without a journal, the sink takes the lock.
 */
export async function fileSink(target: Target, journal: FileMemory | undefined): Promise<Sink> {
  let lock: Lock | undefined;
  try {
    lock = journal === undefined ? await lockOutput(target.path, target.name) : undefined;
    return sinkFor(target, await createBeside(target.path, journal?.keep), lock, journal);
  } catch (error) {
    lock?.release();
    throw openFailure(target.name, error);
  }
}

function sinkFor(target: Target, { handle, path, mode }: Temporary, lock: Lock | undefined, journal: FileMemory | undefined): Sink {
  let [collected, ended] = ['', false];
  let written = journal?.keep ?? 0;
  let reached: ((bytes: number) => void) | undefined;
  const flush = (): void => {
    const chunk = collected;
    collected = '';
    // The synchronous write takes half the time: each asynchronous one needs a thread and a buffer of its own.
    writeFileSync(handle.fd, chunk);
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
      if (typeof output !== 'string') await orFail(() => writeFileSync(handle.fd, output));
      return true;
    },
    commit: async () => (ended ? undefined : orFail(complete)),
    discard,
    replacesAnother: target.isAnother === true,
  };
}

/** Passes every row on at once, which cannot be taken back. Every write has waited for its bytes, so nothing is pending at the end. */
function streamSink(stream: Writable, name: string): Sink {
  const { write } = stdoutSink(stream, name);
  const close = async (): Promise<void> => {
    if (stream.destroyed) return;
    stream.destroy();
    await once(stream, 'close');
  };
  return { write, commit: close, discard: close };
}

export async function deviceSink({ name, path }: Target): Promise<Sink> {
  const handle = await open(path, 'w').catch((error: unknown) => {
    throw openFailure(name, error);
  });
  return streamSink(handle.createWriteStream(), name);
}

const pauseBetweenTries = 20;

/** Opens a sink for a named pipe, which never blocks the end of the process even if nothing reads. It waits for a reader until `stop`. @throws UsageError if the pipe cannot be opened, PdiError `interrupted` after `stop` */
export const fifoSink = async ({ name, path }: Target, stop?: AbortSignal): Promise<Sink> =>
  streamSink(new Socket({ fd: await openForWriting(name, path, stop), readable: false, writable: true }), name);

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
