/** The real binary as processes of their own: what is started here is ended with its test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { needs } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, sandboxed } from '../support/service.ts';

export const binary = fileURLToPath(new URL('../../bin/pdi.js', import.meta.url));

/** Where a process keeps its files, and the service it talks to. */
export interface Place {
  readonly home: string;
  readonly baseUrl?: string;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another user to run as, where we may. */
  readonly user?: number;
  /** The folder that relative names begin in. */
  readonly folder?: string;
  /** What comes through a pipe to stdin, piece by piece; unset, nothing does. */
  readonly stdin?: readonly Uint8Array[];
}

function environment({ home, baseUrl, env }: Place): Record<string, string> {
  const service =
    baseUrl === undefined ? {} : { PDI_BASE_URL: baseUrl, PDI_API_KEY: 'sandbox-key-full' };
  const folders = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
  };
  return { PATH: process.env.PATH ?? '', ...folders, ...service, ...env };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process under way, and its end. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Runs `program` with `argv` in an environment of its own. */
export const start = (program: string, argv: readonly string[], place: Place): Running =>
  startIn(program, argv, { ...place, env: environment(place) });

/** The same with these variables and no other. */
export function startIn(
  program: string,
  argv: readonly string[],
  place: Omit<Place, 'home' | 'baseUrl'>,
): Running {
  const user = place.user === undefined ? {} : { uid: place.user, gid: place.user };
  const stdin = place.stdin === undefined ? 'ignore' : 'pipe';
  const child = spawn(program, argv, {
    env: place.env,
    cwd: place.folder,
    stdio: [stdin, 'pipe', 'pipe'],
    ...user,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // Who ends before it has read all closes the pipe.
  child.stdin?.on('error', () => {});
  for (const piece of place.stdin ?? []) child.stdin?.write(piece);
  child.stdin?.end();
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text.stdout += piece;
  });
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text.stderr += piece;
  });
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    ...text,
  }));
  return { child, ended };
}

/** The program that is tried: Node with its script, or the one file of `npm run binary`. */
const [program, ...before] =
  process.env.PDI_BINARY === undefined
    ? ([process.execPath, binary] as const)
    : ([process.env.PDI_BINARY] as const);

export const pdi = (argv: readonly string[], place: Place): Running =>
  start(program, [...before, ...argv], place);

/** A shell's command line, in which `pdi` is the binary. */
export const shell = (script: string, place: Place): Running =>
  start('bash', ['-c', `pdi() { '${[program, ...before].join("' '")}' "$@"; }; ${script}`], place);

/** The same with files that may not grow past so many KiB: a disk that fills up. */
export const onSmallDisk = (kibibytes: number, argv: readonly string[], place: Place): Running =>
  start(
    'bash',
    ['-c', `ulimit -f ${kibibytes}; exec "$@"`, 'bash', process.execPath, binary, ...argv],
    place,
  );

/** What a container has of its own beside its processes, which are numbered from 1. */
export interface Container {
  /** A host name; unset, that of the machine, as two containers of one machine may have. */
  readonly hostName?: string;
  /** Whether changes to its mounts are its own. */
  readonly ownMounts: boolean;
}

/** The same as the first process of a container, which ends with the child. */
export function inContainer(
  { hostName, ownMounts }: Container,
  argv: readonly string[],
  place: Place,
): Running {
  const own = [
    ...(hostName === undefined ? [] : ['-u']),
    ...(ownMounts ? ['-m', '--propagation', 'private'] : []),
  ];
  const script = hostName === undefined ? 'exec "$@"' : 'hostname "$0" && exec "$@"';
  return start(
    'unshare',
    [
      ...containerFlags,
      ...own,
      'bash',
      '-c',
      script,
      hostName ?? 'bash',
      process.execPath,
      binary,
      ...argv,
    ],
    place,
  );
}

const containerFlags = ['-p', '-f', '--kill-child', '--mount-proc'];

/** Not every user of every machine may make one. */
export const needsContainers = needs(
  spawnSync('unshare', [...containerFlags, '-u', 'hostname', 'elsewhere']).status === 0,
  'this user may not unshare namespaces',
);

/** The process in a container, as it is numbered outside; undefined until it is there, and once it is gone. */
export function pidInside({ child }: Running): number | undefined {
  const first = Number.parseInt(textOf(`/proc/${child.pid}/task/${child.pid}/children`), 10);
  return Number.isNaN(first) ? undefined : first;
}

/** The same with this name server alone, which takes a file system view of its own, and the right to make one. */
export const withNameServer = (address: string, argv: readonly string[], place: Place): Running => {
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  const file = join(place.home, 'resolv.conf');
  // Asked in vain it is asked again for minutes.
  writeFileSync(file, `nameserver ${address}\noptions timeout:30 attempts:5\n`);
  return start(
    'unshare',
    ['-m', 'bash', '-c', script, file, process.execPath, binary, ...argv],
    place,
  );
};

/** The same with `file` mounted as `name` alone, as in a container that is given one file of a folder. */
export const withMounted = (
  file: string,
  name: string,
  argv: readonly string[],
  place: Place,
): Running => {
  const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
  return start(
    'unshare',
    ['-m', 'bash', '-c', script, file, name, process.execPath, binary, ...argv],
    place,
  );
};

/** So long means that it never comes: a busy machine is slow. */
const patience = 120_000;

/** Looks again and again until `find` gives something. */
export async function eventually<T>(find: () => T | undefined): Promise<T> {
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const found = find();
    if (found !== undefined) return found;
    await setTimeout(2);
  }
  throw new Error('waited in vain');
}

/** The ids on a sandbox's bill, call by call. */
export async function billOf(baseUrl: string): Promise<readonly string[]> {
  const entries: unknown = await (await fetch(new URL('/sandbox/bill', baseUrl))).json();
  if (!Array.isArray(entries)) throw new Error('no bill');
  return entries.map(({ item }: { readonly item: string }) => item);
}

/** How many items a journal holds that were sent, and not answered. */
export function lostIn(path: string): number {
  const answered = new Set<string>();
  const sent = new Set<string>();
  for (const line of textOf(path).split('\n')) {
    const [, word, item = ''] = /^\{"(sent|item)":"([^"]+)"(?=.*\}$)/.exec(line) ?? [];
    if (word === 'sent') sent.add(item);
    if (word === 'item') answered.add(item);
  }
  return [...sent].filter((item) => !answered.has(item)).length;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The command line of a job over people, to standard output. */
export const jobOfPeople = (ids: readonly string[], ...more: string[]): readonly string[] => {
  const limits = ['--max-billable', 'unlimited', ...more];
  return ['person', '-i', linesFile(ids), '-o', 'csv', ...limits];
};

/** A sandbox for this test, a place whose commands ask it, and the ids that it billed: all of them, and those that it billed twice. */
export async function sandboxPlace(options: SandboxOptions, env: Place['env'] = {}) {
  const sandbox = await sandboxed({ people: 300, ...options });
  const place: Place = { home: newFolder(), baseUrl: sandbox.baseUrl, env };
  const billed = () => sandbox.bill().map(({ item }) => item);
  const twice = () => billed().filter((id, at, all) => all.indexOf(id) !== at);
  return { sandbox, place, billed, twice };
}

/** The same place with a clock that is so many milliseconds wrong. */
export const withClock = (place: Place, shift: number, drift = 0): Place => ({
  ...place,
  env: {
    ...place.env,
    ...preloading(clock),
    CLOCK_SHIFT: String(shift),
    CLOCK_DRIFT: String(drift),
  },
});

/** Variables under which Node loads `file` before the program, whatever is in its path. */
export const preloading = (file: string) => ({ NODE_OPTIONS: `--require=${JSON.stringify(file)}` });

const clock = fileURLToPath(new URL('clock.cjs', import.meta.url));
