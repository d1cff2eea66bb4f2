/** Files as sinks: a regular file by way of a temporary one beside it, a device directly. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCodeOf } from '../errors.ts';
import type { Output } from './format.ts';
import type { Sink } from './sink.ts';
import { readerHasGone } from './stdout-sink.ts';
import { type Target, unusable } from './target.ts';
import { writeFailure } from './write-failure.ts';

/** Characters that are collected before they are written: rows are short, system calls are not free. */
const chunkSize = 65_536;

/** Errors of a disk, not of a name: no mistake of the user's. */
const diskCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

const openFailure = (name: string, error: unknown): Error =>
  diskCodes.has(systemCodeOf(error)) ? writeFailure(name, error) : unusable(name, error);

/**
 * A new file beside the target, which is never seen half written. It has the permissions of the file it replaces from the
 * start (private stays private), else those that the system gives to any new file.
 */
async function createBeside({ name, path, mode }: Target): Promise<{ handle: FileHandle; temporary: string }> {
  const temporary = join(dirname(path), `.pdi-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', mode ?? 0o666);
    // The system took its mask off the mode. A disk without permissions cannot be asked for more.
    if (mode !== undefined) await handle.chmod(mode).catch(() => {});
    return { handle, temporary };
  } catch (error) {
    throw openFailure(name, error);
  }
}

/** Makes the new name outlive a power cut, on systems where a folder can be synced; no other can do more. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** A regular file: nothing has its name before `commit`, and everything after. */
export async function fileSink(target: Target): Promise<Sink> {
  const { handle, temporary } = await createBeside(target);
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
    await rm(temporary, { force: true });
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
    await handle.close();
    await rename(temporary, target.path);
    ended = true;
    await syncFolder(dirname(target.path));
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
    // Only a file that is there has permissions.
    replaces: target.mode !== undefined,
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
