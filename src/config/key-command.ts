/** `key-command`: a program, such as a password manager's, whose output is the key. Run without a shell. */
import { PdiError, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

const limitInSeconds = 10;
const mostOutput = 64 * 1024;
const longestCommand = 4096;

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
  if (trimmed.length > longestCommand) throw new UsageError(`key-command is longer than ${longestCommand} characters`, { hint });
  const words = trimmed.startsWith('[') ? jsonWords(trimmed) : plainWords(trimmed);
  if (words[0] === undefined || words[0] === '') throw new UsageError('key-command names no program', { hint });
  if (words.some((word) => word.includes('\0'))) throw new UsageError('key-command holds a null character', { hint });
  return words;
}

interface Failure {
  readonly code?: unknown;
  readonly killed?: boolean | undefined;
  readonly signal?: unknown;
}

function reasonOf({ code, killed, signal }: Failure): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'wrote more than a key';
  if (killed === true) return `gave no key within ${limitInSeconds} s`;
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

/** The child does not inherit keys: it is there to find one. */
function withoutKeys(env: Io['env']): Record<string, string | undefined> {
  const { PDI_API_KEY: _key, PDI_API_KEY_FILE: _file, ...rest } = env;
  return rest;
}

export interface KeyCommandRun {
  /** Program and arguments, as `parseKeyCommand` gives them. */
  readonly words: readonly string[];
  readonly env: Io['env'];
  /** For tests; 10 seconds otherwise. */
  readonly limitInMilliseconds?: number;
}

/**
 * The program's output without surrounding white space. Throws PdiError `auth` when the program cannot be run, fails,
 * says nothing or takes too long; `interrupted` when Ctrl-C reached it.
 */
export async function runKeyCommand({ words, env, limitInMilliseconds = limitInSeconds * 1000 }: KeyCommandRun): Promise<string> {
  const [program = '', ...parameters] = words;
  const { execFile } = await import('node:child_process');
  const options = {
    env: withoutKeys(env),
    timeout: limitInMilliseconds,
    killSignal: 'SIGKILL',
    maxBuffer: mostOutput,
    windowsHide: true,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, parameters, options, (error, output) => {
      if (error?.signal === 'SIGINT') reject(new PdiError('interrupted', 'interrupted while key-command was running'));
      else if (error !== null) reject(failure(program, reasonOf(error)));
      else if (output.trim() === '') reject(failure(program, 'wrote nothing'));
      else resolve(output.trim());
    });
    // A program that asks on stdin gets end-of-file instead of a silent wait; one that has already ended is no error here.
    child.stdin?.on('error', () => undefined).end();
  });
}
