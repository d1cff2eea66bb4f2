/** A sink takes the output: a stream such as standard output, or a file that is written whole or not at all. */
import { once } from 'node:events';
import {
  type BigIntStats,
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  promises,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  attempt,
  FileExists,
  onWindows,
  PdiError,
  systemCodeOf,
  UsageError,
} from '../../errors.ts';
import { lockOutput } from '../../files/lock.ts';
import {
  bookMark,
  type FileState,
  fileState,
  hiddenBeside,
  journalStart,
  mendingOf,
  reasonOf,
  stateAt,
} from '../../files/private.ts';
import { cleanLine } from '../clean.ts';
import { isStdout } from '../formats.ts';
import type { Output } from '../layout.ts';

export interface Sink {
  /** False if the reader has gone. No overlap. @throws PdiError: then `discard` */
  write(output: Output): Promise<boolean>;
  /** @throws PdiError `internal` unless every byte is written; a file is then as it was before */
  commit(): Promise<void>;
  /** Ends without a result: a file is as it was before. It does nothing after `commit`. */
  discard(): Promise<void>;
  /** What stands there, and would be gone. */
  readonly replaces?: FileState | undefined;
}

interface FileMemory {
  /** Tells whether an earlier run left the file in this state; undefined if there was no such run. */
  readonly leftSo: ((file: FileState) => boolean) | undefined;
  willLeave(file: FileState): void;
}

export const writeFailure = (name: string, cause: unknown): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${cleanLine(reasonOf(cause))}`, {
    item: name,
    cause,
    ...mendingOf(cause),
    rerun: 'run the same command again',
  });

const refused = (name: string, reason: string, hint: string): UsageError =>
  new UsageError(`--out ${cleanLine(name)}: ${reason}`, { item: name, hint });

const unusable = (name: string, error: unknown): UsageError =>
  refused(
    name,
    cleanLine(reasonOf(error)),
    'name a file in a folder that exists and may be written to',
  );

/** Since Node 22, a write gets the last of these codes if the stream is closed during it. */
const goneCodes = [
  'EPIPE',
  'ECONNRESET',
  'EOF',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ECANCELED',
];

export const readerHasGone = (error: unknown): boolean =>
  goneCodes.includes(systemCodeOf(error) ?? '');

/** Passes every output on at once, which cannot be taken back. It is not a failure if the reader goes away (`| head`). */
function streamSink(stream: Writable, name: string, close: () => Promise<void>): Sink {
  let gone = false;
  let failure: unknown;
  const record = (error: unknown): void => {
    if (readerHasGone(error)) gone = true;
    else failure ??= error;
  };
  // The listener is never removed, because a late EPIPE must not become an unhandled error.
  stream.on('error', record);
  /** This is the back-pressure: nothing is pending at the end. */
  const taken = (output: Output): Promise<void> =>
    new Promise((resolve) => {
      stream.write(output, (error) => {
        if (error) record(error);
        resolve();
      });
    });
  return {
    async write(output) {
      if (output.length > 0 && !gone) await taken(output);
      if (failure !== undefined) throw writeFailure(name, failure);
      return !gone;
    },
    async commit() {
      await close();
      if (failure !== undefined) throw writeFailure(name, failure);
    },
    discard: close,
  };
}

export const stdoutSink = (stream: Writable): Sink =>
  streamSink(stream, 'standard output', async () => {});

interface SinkOptions {
  readonly stdout: Writable;
  readonly file?: string | undefined;
  readonly force: boolean;
  readonly journal?: FileMemory | undefined;
  /** The file begins with so many bytes of what an earlier run left. */
  readonly keep?: number | undefined;
  /** They are never overwritten, whatever `force` says. */
  readonly inputFiles?: readonly (string | undefined)[] | undefined;
  readonly stop?: AbortSignal | undefined;
}

const diskCodes: ReadonlySet<string | undefined> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
]);

/** Nothing can be created where `--out` says. An error of the disk does not make the command wrong. */
export const placeFailure = (name: string, error: unknown): PdiError =>
  diskCodes.has(systemCodeOf(error)) ? writeFailure(name, error) : unusable(name, error);

/** Refuses before any request costs money. @throws UsageError for an unusable file, PdiError `internal` (disk) or `interrupted` (stop) */
export async function openSink({ stdout, file, stop, ...options }: SinkOptions): Promise<Sink> {
  if (file === undefined || isStdout(file)) {
    // `>> FILE` of a shell adds to what is read, without an end.
    const found = attempt(() =>
      'fd' in stdout && typeof stdout.fd === 'number'
        ? fstatSync(stdout.fd, { bigint: true })
        : undefined,
    );
    if (found?.isFile() === true) await refuseInput('standard output', found, options);
    return stdoutSink(stdout);
  }
  const target = await findTarget(file, options);
  try {
    if (target.kind === 'file') return await fileSink(target, options);
    const { openFifoForWriting } = await import('../../files/fifo.ts');
    const stream =
      target.kind === 'fifo'
        ? await openFifoForWriting(file, stop)
        : (await promises.open(file, 'w')).createWriteStream();
    return streamSink(stream, file, () => closed(stream));
  } catch (error) {
    throw error instanceof PdiError ? error : placeFailure(file, error);
  }
}

interface Target {
  /** A `file` is replaced as a whole; a device and a FIFO are written to directly. */
  readonly kind: 'file' | 'device' | 'fifo';
  readonly name: string;
  /** Symbolic links stay, and their target is replaced. */
  readonly path: string;
}

type Permission = Pick<SinkOptions, 'force' | 'journal' | 'inputFiles' | 'keep'>;

/** Changes nothing. @throws UsageError for a folder, the input file, what pdi keeps, another file that must not be replaced, or a missing folder */
export async function findTarget(name: string, permission: Permission): Promise<Target> {
  if (name === '') throw refused(name, 'the name is empty', 'name a file');
  if (onWindows && isKeptByWindows(name))
    throw refused(name, 'Windows has no file of such a name', otherName);
  try {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    if (found !== undefined) return await existing(name, found, permission);
    if (/[/\\]$/.test(name)) throw refused(name, 'it names a folder', 'name a file');
    return { kind: 'file', name, path: await followed(name) };
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(name, error);
  }
}

const otherName =
  'name another, without any of : * ? " < > |, without a dot at its end, and not as a device (aux, con, nul, com1, …)';

/** `a:b.csv` would be a part of a file a that nobody sees, `aux.csv` a serial port. NUL alone is what takes anything. */
function isKeptByWindows(name: string): boolean {
  const parts = name.replace(/^(?:[\\/]{2}[.?][\\/])?(?:[a-z]:(?=[\\/]|$))?/i, '').split(/[\\/]/);
  return parts.some(
    (part) =>
      /[:*?"<>|]|[^.][. ]+$/.test(part) ||
      (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(part) && !/^nul$/i.test(part)),
  );
}

const wayOn =
  'move it away, or add --force to replace it: what was bought is kept in the journal beside it and is not bought again';

async function existing(name: string, found: BigIntStats, permission: Permission): Promise<Target> {
  if (found.isDirectory()) throw refused(name, 'it is a folder', 'name a file in it');
  if (!found.isFile()) return { kind: found.isFIFO() ? 'fifo' : 'device', name, path: name };
  const { force, journal, keep } = permission;
  await refuseInput(`--out ${cleanLine(name)}`, found, permission);
  const memory = memoryIn(name);
  if (memory !== undefined)
    throw refused(
      name,
      `it is ${memory}`,
      'what was bought is never overwritten: name another file',
    );
  if (isHeld(name))
    throw refused(
      name,
      heldElsewhere,
      'nothing was sent: close it, and run the same command again',
    );
  const leftSo = journal?.leftSo;
  const ours = leftSo?.(fileState(found)) === true;
  if (!force && !ours && keep === undefined)
    throw leftSo === undefined
      ? new FileExists(name, cleanLine(name))
      : refused(name, 'the file is not as pdi left it', wayOn);
  return { kind: 'file', name, path: await followed(name) };
}

const maxLinks = 40;

/** The last link may lead to a file that does not exist yet. */
async function followed(path: string, links = 0): Promise<string> {
  const here = join(await promises.realpath(dirname(path)), basename(path));
  const next = await promises.readlink(here).catch(() => undefined);
  if (next === undefined) return here;
  if (links >= maxLinks)
    throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
  return followed(resolve(dirname(here), next), links + 1);
}

async function refuseInput(
  name: string,
  found: BigIntStats,
  { inputFiles = [] }: Permission,
): Promise<void> {
  for (const inputFile of inputFiles) {
    if (!(await isInput(found, inputFile))) continue;
    throw new UsageError(`${name}: it is the input file`, {
      item: inputFile,
      hint: 'the input is never overwritten: name another file',
    });
  }
}

/** The input may have another name, for example a link, a hard link or another spelling. */
async function isInput(found: BigIntStats, inputFile: string | undefined): Promise<boolean> {
  if (inputFile === undefined) return false;
  const input = await promises
    .stat(inputFile === '-' ? '/dev/stdin' : inputFile, { bigint: true })
    .catch(() => null);
  return input !== null && input.dev === found.dev && input.ino === found.ino;
}

/** SQLite has the mark of a program here, in the head of its files. */
const markOfDatabase = 68;

function memoryIn(path: string): string | undefined {
  const file = attempt(() => openSync(path, 'r'));
  if (file === undefined) return undefined;
  const bytes = Buffer.alloc(markOfDatabase + bookMark.length);
  attempt(() => readSync(file, bytes));
  closeSync(file);
  const head = bytes.toString('latin1');
  if (head.startsWith(journalStart)) return 'the journal of a job';
  return head.startsWith('SQLite format 3') && head.endsWith(bookMark)
    ? 'a book of pdi'
    : undefined;
}

/** Rows are collected up to this many characters, because each system call costs time. */
const chunkSize = 65_536;

/** The file has its name only after `commit`, and then the whole content. A journal holds its lock; without one the sink takes it. */
async function fileSink(found: Target, permission: Permission): Promise<Sink> {
  const { journal, force, keep = 0 } = permission;
  const lock = journal === undefined ? await lockOutput(found.path, found.name) : undefined;
  const unlocked = (error: unknown): never => {
    lock?.release();
    throw error;
  };
  // Who had the lock until now may have written the file.
  const target =
    lock === undefined ? found : await findTarget(found.name, permission).catch(unlocked);
  const before = stateAt(target.path);
  const temporary = await hiddenBeside(target.path, 'tmp');
  if (keep > 0 && before?.size !== keep)
    unlocked(refused(target.name, writtenByOthers, 'run the same command again'));
  const { handle, mode } = await openTemporary(temporary, target.path, keep).catch(unlocked);
  let [collected, ended] = ['', false];
  const flush = (): void => {
    // The synchronous write takes half the time: each asynchronous one needs a thread and a buffer of its own.
    writeFileSync(handle.fd, collected);
    collected = '';
  };
  const discard = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    await handle.close().catch(() => {});
    // The disk may refuse this too, and what it refused first is what the user must hear of.
    await promises.rm(temporary, { force: true }).catch(() => {});
    lock?.release();
  };
  const orFail = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await discard();
      throw error instanceof PdiError ? error : writeFailure(target.name, error);
    }
  };
  const complete = async (): Promise<void> => {
    flush();
    await handle.sync();
    const isTaken = !force && !isDeepStrictEqual(stateAt(target.path), before);
    // Nothing is lost by a refusal where a journal has what was bought.
    if (isTaken && journal !== undefined) throw refused(target.name, writtenByOthers, wayOn);
    journal?.willLeave(fileState(await handle.stat({ bigint: true })));
    const isOpen = !isTaken && !(await replaced(temporary, target.path));
    if (isOpen && journal !== undefined) throw openElsewhere(target.name);
    const isElsewhere = isTaken || isOpen;
    const place = isElsewhere ? freeNameBeside(target.path) : target.path;
    if (isElsewhere) await promises.rename(temporary, place);
    // Some disks have no permissions, so a failure is ignored.
    await handle.chmod(mode).catch(() => {});
    await handle.close();
    ended = true;
    await syncFolder(dirname(target.path));
    lock?.release();
    if (isElsewhere) {
      const reason = isOpen ? heldElsewhere : writtenByOthers;
      throw refused(target.name, reason, `what this run wrote is in ${cleanLine(place)}`);
    }
  };
  return {
    async write(output) {
      if (typeof output === 'string') collected += output;
      if (collected.length >= chunkSize || typeof output !== 'string') await orFail(flush);
      if (typeof output !== 'string') await orFail(() => writeFileSync(handle.fd, output));
      return true;
    },
    commit: async () => (ended ? undefined : orFail(complete)),
    discard,
    replaces: before?.size === 0 ? undefined : before,
  };
}

const writtenByOthers = 'another program wrote the file during the run';
const heldElsewhere = 'it is open in another program';

const openElsewhere = (name: string): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${heldElsewhere}`, {
    item: name,
    retryable: true,
    hint: 'close it',
    rerun: 'run the same command again',
  });

/** Windows, and a disk that it shares, let nobody write a file that a spreadsheet program has open. */
const isHeld = (path: string): boolean => refusalToWrite(path) === 'EBUSY';

function refusalToWrite(path: string): string | undefined {
  try {
    closeSync(openSync(path, 'r+'));
    return undefined;
  } catch (error) {
    return systemCodeOf(error);
  }
}

const heldCodes: readonly (string | undefined)[] = ['EBUSY', 'EPERM', 'EACCES'];
const [triesToReplace, msBetween] = [50, 100];

/** A scanner of viruses has a file for a moment, a spreadsheet program for long: that gives false. @throws the system's error */
async function replaced(temporary: string, path: string): Promise<boolean> {
  for (let left = triesToReplace; ; left -= 1) {
    try {
      await promises.rename(temporary, path);
      return true;
    } catch (error) {
      const code = systemCodeOf(error);
      if (!heldCodes.includes(code) || stateAt(path) === undefined) throw error;
      if (left === 0) {
        if (code === 'EBUSY' || isHeld(path) || isKeptByName(path)) return false;
        throw error;
      }
    }
    await setTimeout(msBetween);
  }
}

/** Windows says EPERM of a file that another program lets us write, but not replace. */
const isKeptByName = (path: string): boolean => onWindows && refusalToWrite(path) === undefined;

/** Gives `signals-2.csv` for `signals.csv`. */
function freeNameBeside(path: string): string {
  const { dir, name, ext } = parse(path);
  for (let number = 2; ; number += 1) {
    const free = join(dir, `${name}-${number}${ext}`);
    if (stateAt(free) === undefined) return free;
  }
}

/** Private until it is complete; what a killed run left there goes. With `keep` it goes on from a copy of the finished file. */
async function openTemporary(temporary: string, path: string, keep: number) {
  const mode =
    (statSync(path, { throwIfNoEntry: false })?.mode ??
      (await usualMode(await hiddenBeside(path, 'mode')))) & 0o777;
  await promises.rm(temporary, { force: true });
  const handle = await promises.open(temporary, 'wx', 0o600);
  try {
    // Node's own copy gives it the mode of the file, which fails on a disk without modes.
    if (keep > 0) for await (const bytes of createReadStream(path)) writeFileSync(handle.fd, bytes);
    return { handle, mode };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Only a new file shows which permissions the system gives here, so an empty one is created and removed. */
async function usualMode(path: string): Promise<number> {
  await promises.rm(path, { force: true });
  const handle = await promises.open(path, 'wx', 0o666);
  const { mode } = await handle.stat();
  await handle.close();
  await promises.rm(path);
  return mode;
}

/** Syncs the folder, so that the new name survives a power cut. Some systems cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await promises.open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function closed(stream: Writable): Promise<void> {
  if (stream.destroyed) return;
  stream.destroy();
  await once(stream, 'close');
}
