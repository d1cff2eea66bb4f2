/** Files of our own: private, written whole, and what fails about them in words. */
import { type BigIntStats, constants, existsSync, fchmodSync, fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { reasonOf } from './reasons.ts';

/**
 * One `write()` of the first `length` bytes at a place in bytes, or null for the end: how many bytes it took. Tests pass one that
 * fails as a full disk does.
 */
export type Write = (fileDescriptor: number, bytes: Uint8Array, length: number, position: number | null) => number;

export const writeToDisk: Write = (fileDescriptor, bytes, length, position) => writeSync(fileDescriptor, bytes, 0, length, position);

const onlyOwnerFile = 0o600;
/** What others may do with a file, or a folder. */
export const othersMask = 0o077;

/** Opens `path` for reading and writing, creates it (0600) if need be, and takes other users' access from it. */
export function openPrivateFile(path: string, flags: number): number {
  const fileDescriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | flags, onlyOwnerFile);
  if (fstatSync(fileDescriptor).mode & othersMask) attempt(() => fchmodSync(fileDescriptor, onlyOwnerFile));
  return fileDescriptor;
}

/**
 * Creates a folder and those above it where they are missing, one by one: Node's own `recursive` never ends below a folder in
 * which the system creates nothing and calls that ENOENT, such as /proc. Throws the system's error.
 */
export function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Every write goes to the end, as one piece, whoever else writes. */
export const appendOnly = constants.O_APPEND;

/** O_NOFOLLOW closes the gap between a look at a path and its opening; Windows has no such flag. */
export const noFollow: number = constants.O_NOFOLLOW ?? 0;

/** File systems without owners (a USB stick) refuse chmod; that is no reason to refuse the work. */
export function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // Left as it is: see above.
  }
}

/** The first `length` bytes of a buffer: a part of it by itself costs as much to make as to write. */
export interface Filled {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Writes bytes by one write and says how much the disk took, and why no more. Never a second write: it could tear a line. */
export function writePart(
  fileDescriptor: number,
  { bytes, length }: Filled,
  write: Write,
  position: number | null,
): { written: number; cause?: unknown } {
  try {
    const written = write(fileDescriptor, bytes, length, position);
    return written === length ? { written } : { written, cause: noSpaceLeft() };
  } catch (cause) {
    return { written: 0, cause };
  }
}

/** What a disk means that takes a part only. */
const noSpaceLeft = (): Error => Object.assign(new Error('no space left'), { code: 'ENOSPC' });

/** Writes all of `content` by one write and returns its bytes. Throws where the disk takes only a part, or nothing. */
export function writeWhole(fileDescriptor: number, content: string | Uint8Array, write: Write, position: number | null = null): number {
  const all = typeof content === 'string' ? encoded([{ text: content }]) : { bytes: content, length: content.length };
  const { written, cause } = writePart(fileDescriptor, all, write, position);
  if (cause !== undefined) throw cause;
  return written;
}

/** Texts in UTF-8, one behind the other, to be written at once: the next call puts its own in their place. */
export interface Encoded extends Filled {
  /** Where each text ends. */
  readonly ends: readonly number[];
}

const maxBytesPerUnit = 3;
const defaultRoom = 256 * 1024;
/** Made for the first text, and used again for those that fit. */
let room: Buffer | undefined;

/** Encodes what is about to be written, without a look at how long it will be, which takes longer than to encode it. */
export function encoded(lines: readonly { readonly text: string }[]): Encoded {
  let needed = 0;
  for (const { text } of lines) needed += text.length * maxBytesPerUnit;
  room ??= Buffer.allocUnsafeSlow(defaultRoom);
  const bytes = needed > defaultRoom ? Buffer.allocUnsafeSlow(needed) : room;
  const ends: number[] = [];
  let length = 0;
  for (const { text } of lines) {
    length += bytes.write(text, length);
    ends.push(length);
  }
  return { bytes, length, ends };
}

/** What a file looked like when it was written: one that was edited since looks otherwise. */
export interface FileState {
  readonly size: number;
  /** Nanoseconds since 1970, in digits. */
  readonly modified: string;
}

/** The state in what the system tells of a file. */
export const fileState = ({ size, mtimeNs }: BigIntStats): FileState => ({ size: Number(size), modified: String(mtimeNs) });

/** A failure to open or finish `path`: the user's mistake where the folder is missing, the machine's otherwise. */
export function diskFailure(what: string, path: string, error: unknown): PdiError {
  if (error instanceof PdiError) return error;
  const code = systemCodeOf(error);
  const message = `${what} ${path}: ${reasonOf(error)}`;
  const details = { item: path, cause: error };
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UsageError(message, { ...details, hint: 'create the folder first' });
  if (code === 'ELOOP') return new UsageError(message, { ...details, hint: 'it is a symbolic link; move it away' });
  return new PdiError('internal', message, { ...details, retryable: false, hint: 'free some space or make the file writable' });
}
