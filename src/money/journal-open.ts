/** Opens the journal of a bulk job, for a run that has it alone, or to look at it. */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCodeOf } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, type Lock, lockPath } from '../files/lock.ts';
import { attempt, diskFailure, type FileState, noFollow, openPrivateFile, type Write, writeToDisk, writeWhole } from '../files/private.ts';
import { refuseUnlessRegular, replaceFile } from '../files/replace.ts';
import type { Outcome } from '../rows/result-row.ts';
import { ChargedIndex, ChargedJournal } from './charged-journal.ts';
import { FreeJournal, RequestIndex } from './free-journal.ts';
import { Journal } from './journal.ts';
import { fileLine, headerLine, type JournalIdentity } from './journal-lines.ts';
import { type JournalEnd, loadJournal, refuseForeignFile } from './journal-load.ts';

interface JournalRules {
  /** A call may be billed. Only then is an unanswered call kept from being sent again. */
  readonly billable: boolean;
  readonly retryUnknown: boolean;
}

export interface JournalOptions extends JournalRules {
  /** It is `FILE.journal`, and its folder must exist. */
  readonly path: string;
  readonly identity: JournalIdentity;
  /** `--restart` discards what an earlier run left. */
  readonly restart: boolean;
  readonly processes: ProcessTable;
  readonly clock: () => Date;
  readonly write?: Write;
}

/**
 * Opens or creates a journal (0600) for this run alone. @throws UsageError when another run has it, when it holds answers for another
 * command, base URL or key, when a middle line is damaged, or when it is no journal; PdiError `internal` when the disk refuses
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, processes, clock } = options;
  refuseUnlessRegular(path, 'choose another --out');
  const lock = await acquireLock({ path: lockPath(path), guarded: path, processes, clock });
  try {
    return await openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw diskFailure('cannot use the journal', path, error);
  }
}

async function openLocked(options: JournalOptions, lock: Lock): Promise<Journal> {
  const { path, identity, clock, write = writeToDisk } = options;
  const fileDescriptor = openPrivateFile(path, noFollow);
  let loaded: Journal | Abandoned | undefined;
  try {
    loaded = await load(options, fileDescriptor, lock);
  } finally {
    if (!(loaded instanceof Journal)) closeSync(fileDescriptor);
  }
  if (loaded instanceof Journal) return loaded;
  // It is replaced in one piece: a killed run must leave a journal there, which says that the file beside it is ours.
  replaceFile(path, headerLine(identity, clock()) + loaded.files.map(fileLine).join(''), write);
  return openLocked(options, lock);
}

/** It is another run's and holds nothing but how FILE was left, so it is replaced. */
interface Abandoned {
  readonly files: readonly FileState[];
}

async function load(options: JournalOptions, fileDescriptor: number, lock: Lock): Promise<Journal | Abandoned> {
  const { path, identity } = options;
  const write = options.write ?? writeToDisk;
  refuseForeignFile(path, fileDescriptor);
  if (options.restart) ftruncateSync(fileDescriptor, 0);
  const index = indexOf(fileDescriptor, options);
  const end = await loadJournal(path, fileDescriptor, identity, index);
  if (end.abandoned) return index;
  // Some systems flush a file at close once it was cut to nothing, even if it was empty before and is deleted.
  if (fstatSync(fileDescriptor).size > end.offset) ftruncateSync(fileDescriptor, end.offset);
  const missing = missingText(end, identity, options.clock());
  const size = end.offset + (missing === '' ? 0 : writeWhole(fileDescriptor, missing, write, end.offset));
  const file = { path, fileDescriptor, lock, write, size, resumed: end.offset > 0 };
  return index instanceof ChargedIndex ? new ChargedJournal(file, index) : new FreeJournal(file, index);
}

const indexOf = (fileDescriptor: number, { billable, retryUnknown }: JournalRules): ChargedIndex | RequestIndex =>
  billable ? new ChargedIndex(fileDescriptor, retryUnknown) : new RequestIndex(fileDescriptor);

function missingText({ offset, ended }: JournalEnd, identity: JournalIdentity, now: Date): string {
  if (offset === 0) return headerLine(identity, now);
  return ended ? '' : '\n';
}

/** Opens a journal for this run alone, in a file that has no name any more; undefined where there is no room for one. */
export function openTemporaryJournal(retryUnknown: boolean): Journal | undefined {
  const path = join(tmpdir(), `pdi-${randomUUID()}.journal`);
  try {
    const fileDescriptor = openPrivateFile(path, noFollow | constants.O_EXCL);
    // Windows keeps the name until the end.
    attempt(() => unlinkSync(path));
    const file = { path, fileDescriptor, lock: { release: () => undefined }, write: writeToDisk, size: 0, resumed: false };
    return new ChargedJournal(file, new ChargedIndex(fileDescriptor, retryUnknown));
  } catch {
    return undefined;
  }
}

interface JournalQuestion extends JournalRules {
  readonly path: string;
  readonly identity: JournalIdentity;
}

export interface JournalView {
  known(item: string): Outcome | undefined;
  close(): void;
}

/** Reads the journal at `path` without creating, locking or changing anything; undefined where there is none. @throws as `openJournal` */
export async function peekJournal(options: JournalQuestion): Promise<JournalView | undefined> {
  const { path, identity } = options;
  refuseUnlessRegular(path, 'choose another --out');
  let fileDescriptor: number | undefined;
  try {
    const opened = openSync(path, 'r');
    fileDescriptor = opened;
    refuseForeignFile(path, opened);
    const index = indexOf(opened, options);
    await loadJournal(path, opened, identity, index);
    return { known: (item) => index.known(item), close: () => closeSync(opened) };
  } catch (error) {
    if (fileDescriptor !== undefined) closeSync(fileDescriptor);
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw diskFailure('cannot read the journal', path, error);
  }
}
