/** Runs the program inside the test's process, with streams, environment and folders of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Io, Signal } from '../../src/io.ts';
import { main } from '../../src/main.ts';
import { landmarks } from '../sandbox/landmarks.ts';

export interface RunOptions {
  readonly nodeVersion?: string;
  /** Standard input; empty where not given. */
  readonly stdin?: string | Uint8Array | Readable;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether stdin, stdout and stderr are terminals; none by default. */
  readonly terminal?: boolean;
  /** Whether a terminal would tell of its end: so with `terminal`, and where stdin or stderr is one alone. */
  readonly onTerminal?: boolean;
  /** Size of that terminal. */
  readonly columns?: number;
  readonly rows?: number;
  /** Configuration and state of an earlier run; a new folder where not given. */
  readonly home?: string;
  /** Given a function that sends the program a signal. */
  readonly withSignal?: (send: (signal: Signal) => void) => void;
  /** Told of the exit code where the program ends at once; here it goes on all the same. */
  readonly onExitNow?: (code: number) => void;
  /** Told of each piece of stdout; throwing stands for a reader that went away. */
  readonly onStdout?: (text: string) => void;
  /** Told of each piece of stderr, such as a question. */
  readonly onStderr?: (text: string) => void;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly home: string;
}

/** The script that a user starts. */
const binary = fileURLToPath(new URL('../../bin/pdi.js', import.meta.url));

/** Most tests count what each run buys, so that they hold what `--max-age 0` promises; those of the store turn it on. */
const withoutStore = { PDI_MAX_AGE: '0' } as const;

/** The sandbox in the process of a command, on a day that stands still: for whoever looks at its signals or dates. */
export const inSandbox = ['--sandbox', '--today', landmarks.signalDates.last] as const;

/** A new folder, for files or as a home. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'pdi-test-'));

/** One command line, as a shell would have split it. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const home = options.home ?? newFolder();
  const { terminal = false, columns = 80, rows = 1000 } = options;
  const tty = terminal ? { isTTY: true, columns, rows } : {};
  const stdout = collector(options.onStdout);
  const stderr = collector(options.onStderr);
  const listeners = new Set<(signal: Signal) => void>();
  options.withSignal?.((signal) => {
    for (const listener of listeners) listener(signal);
  });
  const io: Io = {
    stdin: Object.assign(inputOf(options.stdin), terminal ? { isTTY: true } : {}),
    stdout: Object.assign(stdout.stream, tty),
    stderr: Object.assign(stderr.stream, tty),
    env: {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      ...withoutStore,
      ...options.env,
    },
    platform: 'linux',
    nodeVersion: options.nodeVersion ?? process.versions.node,
    program: [process.execPath, binary],
    currentDirectory: () => process.cwd(),
    homeDirectory: home,
    onTerminal: options.onTerminal ?? terminal,
    pid: process.pid,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitNow: (code) => options.onExitNow?.(code),
  };
  const code = await main(argv, io);
  return { code, stdout: stdout.text(), stderr: stderr.text(), home };
}

function inputOf(given: RunOptions['stdin']): Readable {
  if (given instanceof Readable) return given;
  return given === undefined ? Readable.from([]) : Readable.from([Buffer.from(given)]);
}

function collector(onText?: (text: string) => void): { stream: Writable; text: () => string } {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const text = Buffer.isBuffer(chunk) ? chunk.toString('utf8') : String(chunk);
      pieces.push(text);
      try {
        onText?.(text);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  return { stream, text: () => pieces.join('') };
}

/** Signals for a run: `withSignal` is for its options, `send` reaches the program once it listens. */
export function signalling(): {
  readonly withSignal: NonNullable<RunOptions['withSignal']>;
  send(signal: Signal): void;
} {
  let reached: (signal: Signal) => void = () => {};
  const withSignal = (given: typeof reached) => {
    reached = given;
  };
  return { withSignal, send: (signal) => reached(signal) };
}

/** A terminal's keyboard: `type` sends keys. */
export function keyboard(): { readonly stdin: Readable; type(keys: string): void } {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => stdin });
  return { stdin, type: (keys) => void stdin.write(keys) };
}
