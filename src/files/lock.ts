/** Locks a file for one run, also after kill -9. Each run appends a line to the lock file; the first whose process lives has the lock. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, readdirSync, readFileSync, readSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { answerOf, type Life, lifeOf, listenOn, ownParticulars, type Particulars, type ProcessTable } from './liveness.ts';
import { appendOnly, diskFailure, noFollow, openPrivateFile, writeToDisk, writeWhole } from './private.ts';

export interface Lock {
  /** Ends the lock and deletes its file. It may be called twice. */
  release(): void;
}

interface LockRequest {
  readonly path: string;
  readonly guarded: string;
  readonly processes: ProcessTable;
  readonly clock: () => Date;
}

export const lockPath = (path: string): string => `${path}.lock`;

export const journalPath = (out: string): string => `${out}.journal`;

/** Gives the lock of an `--out` file (its real path). Every command that writes the file uses this one, with a journal or without. */
export const outputLock = (out: string): string => lockPath(journalPath(out));

interface LockLine extends Particulars {
  readonly token: string;
  readonly since: string;
  readonly listens: boolean;
}

/** Another run has the lock. A caller can tell this from other refusals and try again. */
export class InUse extends UsageError {}

/** After a restart of a container a dead process may have had our process id. A claim with our id that is not in here is such a one. */
const claimedHere = new Set<string>();

/** @throws InUse (`retryable`), naming the run that has the lock */
export async function acquireLock(request: LockRequest): Promise<Lock> {
  const token = randomUUID();
  let hush: (() => void) | undefined;
  const leave = () => {
    claimedHere.delete(token);
    hush?.();
  };
  claimedHere.add(token);
  try {
    const particulars = ownParticulars(request.processes);
    hush = await listenOn(socketOf(request.path, { token, ...particulars }));
    const since = request.clock().toISOString();
    const claim: LockLine = { token, ...particulars, since, listens: hush !== undefined };
    while (!(await queue(request, claim)));
    // A socket that cannot be removed, such as another user's, must not stop the work.
    await removeDeadSockets(request.path, claim).catch(() => undefined);
  } catch (error) {
    leave();
    throw diskFailure('cannot use the lock file', request.path, error);
  }
  return {
    release: () => {
      if (!claimedHere.has(token)) return;
      // The file goes before our socket. Otherwise a run could find us dead, take the lock, and then have its lock file deleted.
      deleteFile(request.path);
      leave();
    },
  };
}

type Listener = Pick<LockLine, 'token' | 'boot'>;

/** The name tells which start of which system it belongs to, because no other system may judge it. */
const socketOf = (path: string, { token, boot }: Listener): string =>
  join(dirname(path), `${socketStart(boot)}${token.slice(0, 13)}.socket`);

const socketStart = (boot = ''): string => `.pdi-${boot === '' ? '' : `${boot.slice(0, 8)}-`}`;

/** A socket without a claim was left by a killed run and goes. That of a claim stays: only the socket shows that the owner is dead. */
async function removeDeadSockets(path: string, { boot }: Listener): Promise<void> {
  if (boot === undefined) return;
  const folder = dirname(path);
  const names = readdirSync(folder);
  const start = socketStart(boot);
  for (const name of names.filter((name) => name.startsWith(start) && name.endsWith('.socket'))) {
    if ((await answerOf(join(folder, name))) !== 'dead') continue;
    const token = name.slice(start.length, -'.socket'.length);
    const locks = names.filter((other) => other.endsWith('.lock')).map((lock) => readIfThere(join(folder, lock)));
    if (!locks.some((text) => text.includes(token))) rmSync(join(folder, name), { force: true });
  }
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function deleteFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file was deleted by hand, or the folder is read-only now. The claim ends with this process.
  }
}

/** It is false when the owner deleted the file at its end, so that the new file must be queued in. */
async function queue(request: LockRequest, claim: LockLine): Promise<boolean> {
  const fileDescriptor = openPrivateFile(request.path, appendOnly | noFollow);
  try {
    // The first line feed keeps our line apart from a torn line before it.
    writeWhole(fileDescriptor, `\n${JSON.stringify(claim)}\n`, writeToDisk);
    const leave = ({ token }: LockLine) => writeWhole(fileDescriptor, `${JSON.stringify({ left: token })}\n`, writeToDisk);
    // No run takes a lock over, so two runs cannot do it at once.
    for (const before of claimsBefore(claim.token, contentsOf(fileDescriptor))) {
      const life = await lifeOfClaim(before, request);
      if (life === 'dead') {
        // This comes first: without the socket no later run could tell that it is dead, if we were killed here.
        leave(before);
        if (before.listens) rmSync(socketOf(request.path, before), { force: true });
      } else if (!isStillAt(request.path, fileDescriptor)) {
        return false;
      } else if (claimsBefore(claim.token, contentsOf(fileDescriptor)).some(({ token }) => token === before.token)) {
        leave(claim);
        throw refusal(request, before, life);
      }
    }
    return isStillAt(request.path, fileDescriptor);
  } finally {
    closeSync(fileDescriptor);
  }
}

/** It reads from the start, because an append moves the file's own position to its end. */
function contentsOf(fileDescriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(fileDescriptor).size);
  return bytes.toString('utf8', 0, readSync(fileDescriptor, bytes, 0, bytes.length, 0));
}

function claimsBefore(token: string, text: string): readonly LockLine[] {
  const lines = text.split('\n').map(fieldsOn);
  const left = new Set(lines.map((fields) => fields.left));
  const claims = lines.map(claimOf).filter((claim) => claim !== undefined);
  const ours = claims.findIndex((claim) => claim.token === token);
  if (ours === -1) throw new Error('our own line is not in it');
  return claims.slice(0, ours).filter((claim) => !left.has(claim.token));
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOn(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function claimOf({ token, pid, host, since, boot, machine, namespace, listens }: Fields): LockLine | undefined {
  if (!isText(token) || typeof pid !== 'number' || !isText(host) || !isText(since)) return undefined;
  return {
    token,
    pid,
    host,
    since,
    boot: textIn(boot),
    machine: textIn(machine),
    namespace: textIn(namespace),
    listens: listens === true && /^[\da-f-]+$/.test(token + (textIn(boot) ?? '')),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);

async function lifeOfClaim(claim: LockLine, { path, processes }: LockRequest): Promise<Life> {
  if (claimedHere.has(claim.token)) return 'alive';
  const socket = claim.listens ? socketOf(path, claim) : undefined;
  const others = { pid: processes.pid, isAlive: (pid: number) => pid !== processes.pid && processes.isAlive(pid) };
  return lifeOf(claim, socket, others);
}

function isStillAt(path: string, fileDescriptor: number): boolean {
  const queuedIn = fstatSync(fileDescriptor, { bigint: true });
  const current = statSync(path, { bigint: true, throwIfNoEntry: false });
  return current !== undefined && current.ino === queuedIn.ino && current.dev === queuedIn.dev;
}

function refusal({ path, guarded }: LockRequest, { pid, host, since }: LockLine, life: Life): InUse {
  const where = life === 'unseen' ? ` on ${host}, which cannot be seen from here` : '';
  const hint =
    life === 'unseen'
      ? `wait until it ends; if it was killed, or that machine is gone, delete ${path} and run the command again`
      : `wait until it ends; if it is no run of pdi any more, delete ${path}`;
  return new InUse(`${guarded} is in use by another run (process ${pid}${where}, since ${since})`, {
    item: guarded,
    retryable: true,
    hint,
  });
}
