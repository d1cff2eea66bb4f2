/** Process ids and host names repeat in containers. So a process listens on a socket, and the system answers while it lives. */
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { systemCodeOf } from '../errors.ts';

/** It is passed in, because only `bin/pdi.js` touches `process`. */
export interface ProcessTable {
  readonly pid: number;
  /** A process that we may not signal is alive. */
  isAlive(pid: number): boolean;
}

/** It says where a process runs. Linux tells all of it, other systems only the first two fields. */
export interface Particulars {
  readonly pid: number;
  readonly host: string;
  /** It changes with each start of the machine. */
  readonly boot?: string | undefined;
  readonly machine?: string | undefined;
  /** Process ids are valid only within one namespace. */
  readonly namespace?: string | undefined;
}

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

/** `unseen`: the process runs, or ran, where it cannot be seen from here. */
export type Life = 'alive' | 'dead' | 'unseen';

/** Tells whether `theirs` lives; `socket` is where it listens, if it does. */
export async function lifeOf(theirs: Particulars, socket: string | undefined, processes: ProcessTable): Promise<Life> {
  const ours = ownParticulars(processes);
  const sameSystem = theirs.boot === undefined ? theirs.host === ours.host : theirs.boot === ours.boot;
  if (!sameSystem) return wasRestarted(theirs, ours) ? 'dead' : 'unseen';
  const answer = socket === undefined ? undefined : await answerOf(socket);
  if (answer !== undefined) return answer;
  if (theirs.namespace !== undefined && theirs.namespace !== ours.namespace) return 'unseen';
  return processes.isAlive(theirs.pid) ? 'alive' : 'dead';
}

const wasRestarted = (theirs: Particulars, ours: Particulars): boolean =>
  theirs.machine !== undefined && theirs.machine === ours.machine && theirs.host === ours.host;

/** Listens until the returned function is called; undefined where the disk or the system has no sockets. */
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

/** Asks the system about the listener; undefined where there is no such socket. */
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
  // After any other error, such as a missing permission, the process is taken for alive.
  return code === 'ECONNREFUSED' ? 'dead' : 'alive';
}

/** A socket's path may have only some 100 bytes, so Linux goes through the open folder, however deep that lies. */
async function withShortPath<T>(socket: string, use: (path: string) => Promise<T>): Promise<T> {
  if (!existsSync('/proc/self/fd')) return use(socket);
  const folder = openSync(dirname(socket), 'r');
  try {
    return await use(`/proc/self/fd/${folder}/${basename(socket)}`);
  } finally {
    closeSync(folder);
  }
}
