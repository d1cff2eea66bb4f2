/**
 * Whether a process that left its particulars in a file still lives, whatever container it is in: a process id says nothing in another
 * process namespace, and two containers may have one host name. So a process listens on a socket beside the file. The system answers
 * for a living listener, be it paused, and refuses a connection to a dead one.
 */
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { systemCodeOf } from '../errors.ts';

/** What must be known about processes; passed in, because only `bin/pdi.js` touches `process`. */
export interface ProcessTable {
  /** The process we are. */
  readonly pid: number;
  /** Whether a process of this machine runs; a process we may not signal does. */
  isAlive(pid: number): boolean;
}

/** Where a process runs. Linux tells all of it, other systems the first two. */
export interface Particulars {
  readonly pid: number;
  readonly host: string;
  /** Another one after each start of the machine. */
  readonly boot?: string | undefined;
  readonly machine?: string | undefined;
  /** Process ids mean something only within one. */
  readonly namespace?: string | undefined;
}

/** Ours, to be written down for others. */
export const ownParticulars = ({ pid }: ProcessTable): Particulars => ({
  pid,
  host: hostname(),
  boot: ifReadable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  machine: ifReadable(() => readFileSync('/etc/machine-id', 'utf8').trim()) || undefined,
  namespace: ifReadable(() => readlinkSync('/proc/self/ns/pid')),
});

function ifReadable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** `unseen`: it runs, or ran, where nothing can be seen of it from here. */
export type Life = 'alive' | 'dead' | 'unseen';

/** Tells whether `theirs` lives. `socket` is where it listens, if it does. */
export async function lifeOf(theirs: Particulars, socket: string | undefined, processes: ProcessTable): Promise<Life> {
  const ours = ownParticulars(processes);
  const sameSystem = theirs.boot === undefined ? theirs.host === ours.host : theirs.boot === ours.boot;
  if (!sameSystem) return wasRestarted(theirs, ours) ? 'dead' : 'unseen';
  const answer = socket === undefined ? undefined : await answerOf(socket);
  if (answer !== undefined) return answer;
  if (theirs.namespace !== undefined && theirs.namespace !== ours.namespace) return 'unseen';
  return processes.isAlive(theirs.pid) ? 'alive' : 'dead';
}

/** This machine, before it was started again: nothing that ran then runs now. */
const wasRestarted = (theirs: Particulars, ours: Particulars): boolean =>
  theirs.machine !== undefined && theirs.machine === ours.machine && theirs.host === ours.host;

/** Listens on `socket` until the returned function is called; undefined where the disk or the system has no sockets. */
export async function listenOn(socket: string): Promise<(() => void) | undefined> {
  const { createServer } = await import('node:net');
  const server = createServer((connection) => connection.destroy());
  const listening = await withShortPath(
    socket,
    (path) =>
      new Promise<boolean>((resolve) => {
        server.once('error', () => resolve(false));
        server.listen(path, () => resolve(true));
      }),
  );
  if (!listening) return undefined;
  server.unref();
  return () => {
    server.close();
    rmSync(socket, { force: true });
  };
}

/** What the system answers for whoever listens on `socket`; undefined where there is no such socket to ask. */
export async function answerOf(socket: string): Promise<'alive' | 'dead' | undefined> {
  const { connect } = await import('node:net');
  const code = await withShortPath(
    socket,
    (path) =>
      new Promise<string | undefined>((resolve) => {
        const connection = connect(path);
        connection.once('connect', () => {
          connection.destroy();
          resolve(undefined);
        });
        connection.once('error', (error) => resolve(systemCodeOf(error)));
      }),
  );
  if (code === 'ENOENT') return undefined;
  // Whatever else it says, such as that we may not ask, somebody is there.
  return code === 'ECONNREFUSED' ? 'dead' : 'alive';
}

/** A socket's path may be no longer than some 100 bytes: Linux takes the way through the open folder, however deep that lies. */
async function withShortPath<T>(socket: string, use: (path: string) => Promise<T>): Promise<T> {
  if (!existsSync('/proc/self/fd')) return use(socket);
  const folder = openSync(dirname(socket), 'r');
  try {
    return await use(`/proc/self/fd/${folder}/${basename(socket)}`);
  } finally {
    closeSync(folder);
  }
}
