/** Our own files, kept private and written whole, and the system's refusals of any file in words. */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { attempt, PdiError, systemCodeOf, UsageError } from '../errors.ts';

export type Write = (fileDescriptor: number, bytes: Uint8Array, position: number) => number;

const writeToDisk: Write = (fileDescriptor, bytes, position) =>
  writeSync(fileDescriptor, bytes, 0, bytes.length, position);

export const journalStart = '{"pdi_journal":';
export const bookMark = 'pdib';

const onlyOwnerFile = 0o600;
const othersMask = 0o077;

/** Opens, or creates, for reading and writing by its owner alone (0600); file systems without owners (a USB stick) refuse chmod. */
export function openPrivateFile(path: string, flags = 0): number {
  const fileDescriptor = openSync(
    path,
    constants.O_RDWR | constants.O_CREAT | noFollow | flags,
    onlyOwnerFile,
  );
  if (fstatSync(fileDescriptor).mode & othersMask)
    attempt(() => fchmodSync(fileDescriptor, onlyOwnerFile));
  return fileDescriptor;
}

/** The system deletes it however the run ends; Windows keeps its name until then. */
export function openNamelessFile(path: string): number {
  const fileDescriptor = openPrivateFile(path, constants.O_EXCL);
  attempt(() => unlinkSync(path));
  return fileDescriptor;
}

/** It is below 0 where the system has no numbers for users, or does not know this one. */
export const ownUser = (): number => attempt(() => userInfo().uid) ?? -1;

export const ownLogin = (): string => attempt(() => userInfo().username) ?? `user ${ownUser()}`;

/** Whose a file is, or the folder that keeps it from us; undefined where that is not why it cannot be used. */
export function otherOwner(path: string): string | undefined {
  const user = ownUser();
  let place = path;
  while (attempt(() => statSync(place)) === undefined && place !== dirname(place))
    place = dirname(place);
  const { uid, mode } = statSync(place);
  if (user <= 0 || uid === user) return undefined;
  const owner = uid === 0 ? 'root' : `user ${uid}`;
  return `${place === path ? 'it' : place} belongs to ${owner}, mode 0${(mode & 0o777).toString(8)}`;
}

/** Makes a file of ours private (0600), where it is there; false where others may use it, and it is not ours to close. */
export function isPrivate(path: string): boolean {
  const user = ownUser();
  const status = statSync(path, { throwIfNoEntry: false });
  if (user < 0 || status?.isFile() !== true || (status.mode & othersMask) === 0) return true;
  if (status.uid === user) attempt(() => chmodSync(path, onlyOwnerFile));
  return status.uid === user;
}

/** Folders are made one by one, because Node's `recursive` never ends below /proc and the like. */
function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

/** `existsSync` says no of what may not be looked at, such as in a folder of root's. */
export function mayBeThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '');
  }
}

/** A container may have one file of another folder under this name: it cannot be replaced, and what is beside it there is not here. */
export function isMountedAlone(path: string): boolean {
  const name = path.replace(
    /[\s\\]/g,
    (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  const mounts = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  return mounts.split('\n').some((mount) => mount.split(' ')[4] === name);
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** O_NOFOLLOW closes the gap between checking a path and opening it; Windows has no such flag. */
const noFollow: number = constants.O_NOFOLLOW ?? 0;

/** Writes once, because a second write could tear a line, and gives the number of bytes. @throws ENOSPC where the disk takes less */
export function writeWhole(
  fileDescriptor: number,
  content: string | Uint8Array,
  position: number,
  write = writeToDisk,
): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const written = write(fileDescriptor, bytes, position);
  if (written < bytes.length)
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
  return written;
}

/** The name of a hidden file beside `path`; one is enough, because only one run at a time writes the file. */
export async function hiddenBeside(path: string, ending: string): Promise<string> {
  // Most commands name none, and cryptography takes long to load.
  const { hash } = await import('node:crypto');
  const name = sharedName(path);
  return join(dirname(path), `.pdi-${hash('sha256', name).slice(0, 16)}.${ending}`);
}

/** One for all spellings that the disk takes for one file: on many, capitals do not count, nor the two forms of an accent. */
function sharedName(path: string): string {
  const [folder, name] = [dirname(path), basename(path)];
  const composed = name.normalize('NFC');
  const folded = composed.toUpperCase().toLowerCase().normalize('NFC');
  const isShared = (other: string): boolean => {
    const [own, theirs] = [path, join(folder, other)].map(numberOf);
    // Where neither is there, a file of such a name tells.
    const isThere = own !== undefined || theirs !== undefined;
    return isThere ? own === theirs : (attempt(() => isOneNameIn(folder, name, other)) ?? true);
  };
  return [folded, composed].find((other) => other === name || isShared(other)) ?? name;
}

/** False where one of them is not there. */
export function isSameFile(path: string, other: string): boolean {
  const number = numberOf(path);
  return number !== undefined && number === numberOf(other);
}

function numberOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

function isOneNameIn(folder: string, name: string, other: string): boolean {
  const start = `.${crypto.randomUUID().slice(0, 4)}`;
  const probe = join(folder, start + name);
  closeSync(openSync(probe, 'wx', 0o600));
  try {
    return existsSync(join(folder, start + other));
  } finally {
    rmSync(probe);
  }
}

/** A file that was edited since has another state; `modified` is in nanoseconds since 1970. */
export interface FileState {
  readonly size: number;
  readonly modified: string;
}

export const fileState = ({ size, mtimeNs }: BigIntStats): FileState => ({
  size: Number(size),
  modified: String(mtimeNs),
});

/** Undefined where there is none. @throws the system's error */
export function stateAt(path: string): FileState | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && fileState(found);
}

/** How many more files and connections this process may open; undefined where the system does not tell. */
export function handlesLeft(): number | undefined {
  const limits = attempt(() => readFileSync('/proc/self/limits', 'utf8')) ?? '';
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return most === undefined
    ? undefined
    : attempt(() => Number(most) - readdirSync('/proc/self/fd').length);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EMFILE: 'this process may open no more files (ulimit -n)',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** Why the system refused, in a few words; of a rarer error `EBADF: bad descriptor, read` it keeps `bad descriptor`. */
export function reasonOf(error: unknown): string {
  const known = reasons[systemCodeOf(error) ?? ''];
  if (known !== undefined) return known;
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/^[A-Z0-9]+: /, '').replace(/, [a-z]+( '.*')?$/s, '');
}

const isFull = (error: unknown): boolean =>
  ['EDQUOT', 'ENOSPC'].includes(systemCodeOf(error) ?? '');

/** What is to be done, and whether the same command may then go through: a full disk passes. */
export const mendingOf = (error: unknown) =>
  isFull(error)
    ? { hint: 'free some space', retryable: true }
    : { hint: 'check its owner and mode: pdi must be able to write it', retryable: false };

/** A missing folder is the user's mistake; any other failure to open or finish `path` is `internal`. */
export function diskFailure(what: string, path: string, error: unknown): PdiError {
  if (error instanceof PdiError) return error;
  const code = systemCodeOf(error);
  const message = `${what} ${path}: ${reasonOf(error)}`;
  const details = { item: path, cause: error };
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new UsageError(message, { ...details, hint: 'create the folder first' });
  if (code === 'ELOOP')
    return new UsageError(message, { ...details, hint: 'it is a symbolic link; move it away' });
  return new PdiError('internal', message, { ...details, ...mendingOf(error) });
}

/** Some disks have one mode for all files, open or not, and refuse or forget another: those of Windows in WSL, of a network (SMB), exFAT. */
export function modesIn(folder: string): 'kept' | 'fixed' | 'open' {
  if (ownUser() < 0) return 'kept';
  const probe = join(folder, `.pdi-${crypto.randomUUID().slice(0, 8)}.mode`);
  try {
    closeSync(openSync(probe, 'wx', onlyOwnerFile));
    if ((statSync(probe).mode & othersMask) !== 0) return 'open';
    chmodSync(probe, onlyOwnerFile);
    return 'kept';
  } catch {
    return existsSync(probe) ? 'fixed' : 'kept';
  } finally {
    attempt(() => rmSync(probe, { force: true }));
  }
}

const onlyOwnerFolder = 0o700;
export const stickyBit = 0o1000;

/** Closes it to others, and gives its owner nothing. One that all share (as /tmp, by its sticky bit) stays open, as does one that may be shared. */
export function makePrivateFolder(folder: string, mayBeShared = false): void {
  makeFolder(folder, onlyOwnerFolder);
  const { mode } = statSync(folder);
  if (!mayBeShared && mode & othersMask && !(mode & stickyBit))
    attempt(() => chmodSync(folder, mode & onlyOwnerFolder));
}
