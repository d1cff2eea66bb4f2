/**
 * One run at a time on a journal, a bookmark or the configuration, also after kill -9.
 *
 * The lock file is a queue: who wants the lock appends one line and reads the lines before it. The first whose process
 * lives has the lock, everyone behind is refused. Nothing is ever taken over, so two runs cannot take over at once.
 * The owner deletes the file when done, which is why a newcomer makes sure that the file it queued in is still the one
 * at that path.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, readSync, statSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { appendOnly, diskFailure, noFollow, openPrivateFile, writeToDisk, writeWhole } from './disk.ts';
import { UsageError } from './errors.ts';

/** What a lock must know about processes; passed in, because only `bin/pdi.js` touches `process`. */
export interface ProcessTable {
  /** The process we are. */
  readonly pid: number;
  /** Whether a process of this machine runs; a process we may not signal does. */
  isAlive(pid: number): boolean;
}

export interface Lock {
  /** Ends the lock and deletes its file. Doing it twice does no harm. */
  release(): void;
}

export interface LockRequest {
  /** The lock file. */
  readonly path: string;
  /** What it guards, for the refusal. */
  readonly guarded: string;
  readonly processes: ProcessTable;
  readonly clock: () => Date;
}

interface Claim {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/** A living process has it: told apart from other refusals, so that who has time can try again. */
export class InUse extends UsageError {}

/** Claims of this process that are not given up: a claim with our number but not in here is a dead namesake's (a restarted container). */
const claimedHere = new Set<string>();

/** Takes the lock or throws InUse (`retryable`) naming who has it. */
export function acquireLock(request: LockRequest): Lock {
  const token = randomUUID();
  claimedHere.add(token);
  try {
    while (!queue(request, token));
  } catch (error) {
    claimedHere.delete(token);
    throw diskFailure('cannot use the lock file', request.path, error);
  }
  return { release: () => release(request.path, token) };
}

function release(path: string, token: string): void {
  if (!claimedHere.has(token)) return;
  try {
    unlinkSync(path);
  } catch {
    // Deleted by hand, or the folder has become read-only: the claim dies with this process.
  }
  claimedHere.delete(token);
}

/** True when the lock is ours, false when its file was deleted meanwhile and a new one must be queued in. */
function queue(request: LockRequest, token: string): boolean {
  const fileDescriptor = openPrivateFile(request.path, appendOnly | noFollow);
  try {
    const claim: Claim = { token, pid: request.processes.pid, host: hostname(), since: request.clock().toISOString() };
    // A line feed first as well: a predecessor's torn line must not swallow ours.
    writeWhole(fileDescriptor, `\n${JSON.stringify(claim)}\n`, writeToDisk);
    const owner = livingClaimBefore(token, contentsOf(fileDescriptor), request.processes);
    if (owner !== undefined) {
      writeWhole(fileDescriptor, `${JSON.stringify({ left: token })}\n`, writeToDisk);
      throw refusal(request, owner);
    }
    return isStillAt(request.path, fileDescriptor);
  } finally {
    closeSync(fileDescriptor);
  }
}

/** From the start: an append has moved the file's own position to its end. */
function contentsOf(fileDescriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(fileDescriptor).size);
  return bytes.toString('utf8', 0, readSync(fileDescriptor, bytes, 0, bytes.length, 0));
}

function livingClaimBefore(token: string, text: string, processes: ProcessTable): Claim | undefined {
  const lines = text.split('\n').map(fieldsOn);
  const left = new Set(lines.map((fields) => fields.left));
  const claims = lines.map(claimOf).filter((claim) => claim !== undefined);
  const ours = claims.findIndex((claim) => claim.token === token);
  if (ours === -1) throw new Error('our own line is not in it');
  return claims.slice(0, ours).find((claim) => !left.has(claim.token) && isLiving(claim, processes));
}

type Fields = Readonly<Record<string, unknown>>;

/** What a line says; nothing where it is torn, or not ours. */
function fieldsOn(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function claimOf({ token, pid, host, since }: Fields): Claim | undefined {
  if (typeof token !== 'string' || typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return undefined;
  return { token, pid, host, since };
}

/** Another machine's processes cannot be seen from here: they count as living, which at worst refuses a run. */
function isLiving(claim: Claim, processes: ProcessTable): boolean {
  if (claim.host !== hostname()) return true;
  return claim.pid === processes.pid ? claimedHere.has(claim.token) : processes.isAlive(claim.pid);
}

function isStillAt(path: string, fileDescriptor: number): boolean {
  const queuedIn = fstatSync(fileDescriptor, { bigint: true });
  const current = statSync(path, { bigint: true, throwIfNoEntry: false });
  return current !== undefined && current.ino === queuedIn.ino && current.dev === queuedIn.dev;
}

function refusal({ path, guarded }: LockRequest, owner: Claim): InUse {
  const where = owner.host === hostname() ? '' : ` on ${owner.host}`;
  return new InUse(`${guarded} is in use by another run (process ${owner.pid}${where}, since ${owner.since})`, {
    item: guarded,
    retryable: true,
    hint: `wait until it ends; if it is no run of pdi any more, delete ${path}`,
  });
}
