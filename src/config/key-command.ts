/** `key-command`: a program, such as a password manager's, whose output is the key. Run without a shell. */
import type { ChildProcess } from 'node:child_process';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

const limitInSeconds = 10;
const maxOutput = 64 * 1024;
const maxCommandLength = 4096;
/** How long a program may take to end by itself once the run is stopped. */
const gentleMilliseconds = 500;
/** How long its pipe may take to close once it has ended. */
const pipeMilliseconds = 100;

const hint = 'write a program and its arguments: words with quotes where needed, or a JSON array of strings';

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

function jsonWords(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (isTexts(value)) return value;
  } catch {
    // Told below, without the parser's words.
  }
  throw new UsageError('key-command starts with [ but is not a JSON array of strings', { hint });
}

/** Words between white space; quotes hold white space together and may stand inside a word. A backslash is just itself. */
function plainWords(text: string): string[] {
  if (!/^(?:[^"']|"[^"]*"|'[^']*')*$/.test(text)) throw new UsageError('key-command has a quote that is not closed', { hint });
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''));
}

/** The program and its arguments. Throws UsageError where there is no program, a quote stays open, or it is very long. */
export function parseKeyCommand(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed.length > maxCommandLength) throw new UsageError(`key-command is longer than ${maxCommandLength} characters`, { hint });
  const words = trimmed.startsWith('[') ? jsonWords(trimmed) : plainWords(trimmed);
  if (words[0] === undefined || words[0] === '') throw new UsageError('key-command names no program', { hint });
  if (words.some((word) => word.includes('\0'))) throw new UsageError('key-command holds a null character', { hint });
  return words;
}

interface ExitedCommand {
  /** Its exit code, or the system's word for why it never ran. */
  readonly code: unknown;
  readonly signal?: unknown;
}

/** Undefined where the program ended well. */
function reasonOf({ code, signal }: ExitedCommand): string | undefined {
  if (code === 0) return undefined;
  if (code === 'ENOENT') return 'was not found';
  if (typeof code === 'number') return `ended with exit code ${code}`;
  return `could not be run (${String(signal ?? code)})`;
}

/** The program's name alone is told: its arguments and its output may hold secrets, so neither becomes part of an error. */
function failure(program: string, reason: string): PdiError {
  return new PdiError('auth', `key-command ${JSON.stringify(program)} ${reason}`, {
    billed: 'no',
    retryable: false,
    hint: 'run the command by itself to see why, or set another with pdi config set key-command',
  });
}

/** What ends a run that was stopped before it had its key. */
export const interruptedWhile = (what: string): PdiError =>
  new PdiError('interrupted', `interrupted while ${what}`, {
    billed: 'no',
    retryable: true,
    hint: 'run the same command again',
  });

const interrupted = (): PdiError => interruptedWhile('key-command was running');

/** The child does not inherit keys: it is there to find one. */
function withoutKeys(env: Io['env']): Record<string, string | undefined> {
  const { PDI_API_KEY: _key, PDI_API_KEY_FILE: _file, ...rest } = env;
  return rest;
}

export interface KeyCommandRun {
  /** Program and arguments, as `parseKeyCommand` gives them. */
  readonly words: readonly string[];
  readonly env: Io['env'];
  /** Aborted at Ctrl-C: nobody waits for the key any more. */
  readonly stop: AbortSignal;
  /** For tests; 10 seconds otherwise. */
  readonly limitInMilliseconds?: number;
}

/**
 * The program's output without surrounding white space. Throws PdiError `auth` when the program cannot be run, fails,
 * says nothing or takes too long; `interrupted` when Ctrl-C reached it, or us.
 */
export async function runKeyCommand({ words, env, stop, limitInMilliseconds = limitInSeconds * 1000 }: KeyCommandRun): Promise<string> {
  const [program = '', ...parameters] = words;
  const { spawn } = await import('node:child_process');
  if (stop.aborted) throw interrupted();
  // No stdin: a program that asks there gets end-of-file instead of a silent wait.
  const child = spawn(program, parameters, { env: withoutKeys(env), stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  const leash = holdTo(child, stop, limitInMilliseconds);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    output += piece;
    if (output.length > maxOutput) leash.end('wrote more than a key');
  });
  try {
    const ended = await endOf(child);
    if (stop.aborted || ended.signal === 'SIGINT') throw interrupted();
    const reason = leash.reason() ?? reasonOf(ended) ?? (output.trim() === '' ? 'wrote nothing' : undefined);
    if (reason !== undefined) throw failure(program, reason);
    return output.trim();
  } finally {
    leash.release();
    child.stdout.destroy();
  }
}

interface Leash {
  /** Ends the program at once, for this reason. */
  end(reason: string): void;
  /** Why it was ended, if it was. */
  reason(): string | undefined;
  release(): void;
}

/** Ends the program when its time is over, and when the run is stopped: then gently first, it may have the terminal to restore. */
function holdTo(child: ChildProcess, stop: AbortSignal, limitInMilliseconds: number): Leash {
  let told: string | undefined;
  const end = (reason: string) => {
    told ??= reason;
    child.kill('SIGKILL');
  };
  const timers = [setTimeout(() => end(`gave no key within ${limitInSeconds} s`), limitInMilliseconds)];
  const onStop = () => {
    child.kill('SIGTERM');
    timers.push(setTimeout(() => child.kill('SIGKILL'), gentleMilliseconds));
  };
  stop.addEventListener('abort', onStop, { once: true });
  const release = () => {
    for (const timer of timers) clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  };
  return { end, reason: () => told, release };
}

/**
 * How the program ended, once what it wrote is read. Its pipe stays open where it left another process behind, such as an
 * agent, which is not waited for: what the program itself wrote is in the pipe when it ends, and one look at it reads that.
 */
function endOf(child: ChildProcess): Promise<ExitedCommand> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: systemCodeOf(error) }));
    child.once('exit', (code, signal) => {
      const left = setTimeout(() => setImmediate(() => resolve({ code, signal })), pipeMilliseconds);
      child.once('close', () => {
        clearTimeout(left);
        resolve({ code, signal });
      });
    });
  });
}
