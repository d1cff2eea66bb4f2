/**
 * One run at a time on a file that is written, a bookmark or the configuration, also after kill -9.
 *
 * The lock file is a queue: who wants the lock appends one line and reads the lines before it. The first whose process
 * lives has the lock, everyone behind is refused. Nothing is ever taken over, so two runs cannot take over at once.
 * The owner deletes the file when done, which is why a newcomer makes sure that the file it queued in is still the one
 * at that path.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, readdirSync, readFileSync, readSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { answerOf, type Life, lifeOf, listenOn, ownParticulars, type Particulars, type ProcessTable } from './liveness.ts';
import { appendOnly, diskFailure, noFollow, openPrivateFile, writeToDisk, writeWhole } from './private.ts';

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

/** The lock of a file of our own. */
export const lockPath = (path: string): string => `${path}.lock`;

/** The journal that belongs to an output file. */
export const journalPath = (out: string): string => `${out}.journal`;

/** The lock of a file that `--out` names, where its links lead: one for every command that writes it, with a journal or without. */
export const outputLock = (out: string): string => lockPath(journalPath(out));

interface Claim extends Particulars {
  readonly token: string;
  readonly since: string;
  /** Whether it listens on a socket; see `socketOf`. */
  readonly listens: boolean;
}

/** Somebody has it: told apart from other refusals, so that who has time can try again. */
export class InUse extends UsageError {}

/** Claims of this process that are not given up: a claim with our number but not in here is a dead namesake's (a restarted container). */
const claimedHere = new Set<string>();

/** Takes the lock or throws InUse (`retryable`) naming who has it. */
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
    const claim: Claim = { token, ...particulars, since, listens: hush !== undefined };
    while (!(await queue(request, claim)));
    // What cannot be taken away, such as another user's, is no reason to refuse the work.
    await removeDeadSockets(request.path, claim).catch(() => undefined);
  } catch (error) {
    leave();
    throw diskFailure('cannot use the lock file', request.path, error);
  }
  return {
    release: () => {
      if (!claimedHere.has(token)) return;
      // Before we are silent: who finds us dead must not have the file deleted that it queued in.
      deleteFile(request.path);
      leave();
    },
  };
}

type Listener = Pick<Claim, 'token' | 'boot'>;

/** Where the process behind a claim listens. The name tells which start of which system it belongs to: no other may judge it. */
const socketOf = (path: string, { token, boot }: Listener): string =>
  join(dirname(path), `${socketStart(boot)}${token.slice(0, 13)}.socket`);

const socketStart = (boot = ''): string => `.pdi-${boot === '' ? '' : `${boot.slice(0, 8)}-`}`;

/**
 * Who was killed before it could queue, or behind the owner of a file that is gone, left a socket that no claim tells of: it goes.
 * That of a claim stays: it alone tells whoever wants that lock that its owner is dead.
 */
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
    // Deleted by hand, or the folder has become read-only: the claim dies with this process.
  }
}

/** True when the lock is ours, false when its file was deleted meanwhile and a new one must be queued in. */
async function queue(request: LockRequest, claim: Claim): Promise<boolean> {
  const fileDescriptor = openPrivateFile(request.path, appendOnly | noFollow);
  try {
    // A line feed first as well: a predecessor's torn line must not swallow ours.
    writeWhole(fileDescriptor, `\n${JSON.stringify(claim)}\n`, writeToDisk);
    const leave = ({ token }: Claim) => writeWhole(fileDescriptor, `${JSON.stringify({ left: token })}\n`, writeToDisk);
    for (const before of claimsBefore(claim.token, contentsOf(fileDescriptor))) {
      const life = await lifeOfClaim(before, request);
      if (life === 'dead') {
        // First: without its socket nobody after us could tell that it is dead, should we be killed as well.
        leave(before);
        if (before.listens) rmSync(socketOf(request.path, before), { force: true });
      } else if (!isStillAt(request.path, fileDescriptor)) {
        // Its owner has just ended, and with it what tells whether it lives.
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

/** From the start: an append has moved the file's own position to its end. */
function contentsOf(fileDescriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(fileDescriptor).size);
  return bytes.toString('utf8', 0, readSync(fileDescriptor, bytes, 0, bytes.length, 0));
}

/** Those who came earlier and have not left. */
function claimsBefore(token: string, text: string): readonly Claim[] {
  const lines = text.split('\n').map(fieldsOn);
  const left = new Set(lines.map((fields) => fields.left));
  const claims = lines.map(claimOf).filter((claim) => claim !== undefined);
  const ours = claims.findIndex((claim) => claim.token === token);
  if (ours === -1) throw new Error('our own line is not in it');
  return claims.slice(0, ours).filter((claim) => !left.has(claim.token));
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

function claimOf({ token, pid, host, since, boot, machine, namespace, listens }: Fields): Claim | undefined {
  if (!isText(token) || typeof pid !== 'number' || !isText(host) || !isText(since)) return undefined;
  return {
    token,
    pid,
    host,
    since,
    boot: textIn(boot),
    machine: textIn(machine),
    namespace: textIn(namespace),
    // What becomes part of the socket's name.
    listens: listens === true && /^[\da-f-]+$/.test(token + (textIn(boot) ?? '')),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);

async function lifeOfClaim(claim: Claim, { path, processes }: LockRequest): Promise<Life> {
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

function refusal({ path, guarded }: LockRequest, { pid, host, since }: Claim, life: Life): InUse {
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
