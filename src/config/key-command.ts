/** Runs `key-command`, a program such as a password manager whose output is the key, without a shell. */
import type { ChildProcess } from 'node:child_process';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

const limitInSeconds = 10;
const maxOutput = 64 * 1024;
const maxCommandLength = 4096;
/** A program has so much time to end by itself once the run is stopped. */
const gentleMilliseconds = 500;
/** The pipe of a program that has ended has so much time to close. */
const pipeMilliseconds = 100;

const hint = 'write a program and its arguments: words with quotes where needed, or a JSON array of strings';

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

function jsonWords(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (isTexts(value)) return value;
  } catch {
    // The error below does not repeat the parser's words.
  }
  throw new UsageError('key-command starts with [ but is not a JSON array of strings', { hint });
}

/** Quotes hold white space together and may stand inside a word. A backslash is an ordinary character. */
function plainWords(text: string): string[] {
  if (!/^(?:[^"']|"[^"]*"|'[^']*')*$/.test(text)) throw new UsageError('key-command has a quote that is not closed', { hint });
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''));
}

/** @throws UsageError where there is no program, a quote stays open, or the text is very long */
export function parseKeyCommand(text: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed.length > maxCommandLength) throw new UsageError(`key-command is longer than ${maxCommandLength} characters`, { hint });
  const words = trimmed.startsWith('[') ? jsonWords(trimmed) : plainWords(trimmed);
  if (words[0] === undefined || words[0] === '') throw new UsageError('key-command names no program', { hint });
  if (words.some((word) => word.includes('\0'))) throw new UsageError('key-command holds a null character', { hint });
  return words;
}

interface ExitedCommand {
  /** It is the exit code, or the system's word for why the program never ran. */
  readonly code: unknown;
  readonly signal?: unknown;
}

function reasonOf({ code, signal }: ExitedCommand): string | undefined {
  if (code === 0) return undefined;
  if (code === 'ENOENT') return 'was not found';
  if (typeof code === 'number') return `ended with exit code ${code}`;
  return `could not be run (${String(signal ?? code)})`;
}

/** Only the program's name is told, because its arguments and its output may hold secrets. */
function failure(program: string, reason: string): PdiError {
  return new PdiError('auth', `key-command ${JSON.stringify(program)} ${reason}`, {
    billed: 'no',
    retryable: false,
    hint: 'run the command by itself to see why, or set another with pdi config set key-command',
  });
}

/** This error ends a run that was stopped before it had its key. */
export const interruptedWhile = (what: string): PdiError =>
  new PdiError('interrupted', `interrupted while ${what}`, {
    billed: 'no',
    retryable: true,
    hint: 'run the same command again',
  });

const interrupted = (): PdiError => interruptedWhile('key-command was running');

/** The child does not inherit keys, because it is there to find one. */
function withoutKeys(env: Io['env']): Record<string, string | undefined> {
  const { PDI_API_KEY: _key, PDI_API_KEY_FILE: _file, ...rest } = env;
  return rest;
}

export interface KeyCommandRun {
  readonly words: readonly string[];
  readonly env: Io['env'];
  readonly stop: AbortSignal;
  /** Tests set it; it is 10 seconds otherwise. */
  readonly limitInMilliseconds?: number;
}

/** Gives the output, trimmed. @throws PdiError `auth` when the program fails, writes nothing or takes too long, `interrupted` at Ctrl-C */
export async function runKeyCommand({ words, env, stop, limitInMilliseconds = limitInSeconds * 1000 }: KeyCommandRun): Promise<string> {
  const [program = '', ...parameters] = words;
  const { spawn } = await import('node:child_process');
  if (stop.aborted) throw interrupted();
  // Without stdin a program that asks there gets end-of-file instead of a silent wait.
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
  end(reason: string): void;
  reason(): string | undefined;
  release(): void;
}

/** A stop ends the program gently at first, because it may have the terminal to restore. */
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

/** A process that the program left behind keeps the pipe open. It is not waited for: what the program wrote is in the pipe already. */
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
