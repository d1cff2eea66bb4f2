/** Makes private folders, and replaces files in one piece. */
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, fsyncSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import { attempt, diskFailure, makeFolder, openPrivateFile, othersMask, type Write, writeWhole } from './private.ts';

const onlyOwnerFolder = 0o700;

/** Creates a folder (0700) where there is none, and removes other users' access from one that exists. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, onlyOwnerFolder);
  if (statSync(folder).mode & othersMask) attempt(() => chmodSync(folder, onlyOwnerFolder));
}

/** @throws UsageError when `path` is a link, a pipe or a folder, because our files must be real files */
export function refuseUnlessRegular(path: string, otherwise: string): void {
  const status = statusOf(path);
  if (status === undefined || status.isFile()) return;
  const kind = status.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  throw new UsageError(`${path} is ${kind}`, { item: path, hint: `move it away, or ${otherwise}` });
}

function statusOf(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw diskFailure('cannot use', path, error);
  }
}

/** Puts a new private file in the place of `path`. The file is whole and on the disk, or not there at all. */
export function replaceFile(path: string, text: string, write: Write): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const fileDescriptor = openPrivateFile(temporary, constants.O_EXCL);
    try {
      writeWhole(fileDescriptor, text, write);
      fsyncSync(fileDescriptor);
    } finally {
      closeSync(fileDescriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
