/** Other programs, run without a shell: how their command line is split, how they end, and how a stop ends them. */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { attempt, onWindows, shellWord, systemCodeOf, UsageError } from '../errors.ts';

const maxLength = 4096;
const msToEnd = 500;
const msToClosePipe = 100;

const hint =
  'write a program and its arguments: words with quotes where needed, or a JSON array of strings';

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function jsonWords(text: string, name: string): string[] {
  const value = attempt<unknown>(() => JSON.parse(text));
  if (isTexts(value)) return value;
  throw new UsageError(`${name} starts with [ but is not a JSON array of strings`, { hint });
}

const wordsIn = (text: string): readonly string[] =>
  text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];

/** A backslash is an ordinary character. */
function plainWords(text: string, name: string): string[] {
  if (!/^(?:[^"']|"[^"]*"|'[^']*')*$/.test(text))
    throw new UsageError(`${name} has a quote that is not closed`, { hint });
  return wordsIn(text).map((word) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double ?? single ?? '',
    ),
  );
}

/** A pipe, a redirection, a list of commands: outside of quotes, and of no meaning without a shell. */
const wordOfShell = /^(?:\|.*|&&?.*|\d*[<>].*|.*;)$/;

/** @throws UsageError for a word that only a shell understands, which the program would get as an argument */
export function refuseShellWords(text: string, name: string): void {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return;
  const word = wordsIn(trimmed).find((one) => wordOfShell.test(one));
  if (word === undefined) return;
  const script = shellWord(JSON.stringify(['sh', '-c', trimmed]), false);
  const shell = onWindows
    ? `write the line into a file such as deliver.cmd, and name that: ${name} deliver.cmd`
    : `name the shell: ${name} ${script}`;
  const wayOn = `nothing was sent; quote it if it is an argument, or ${shell}`;
  throw new UsageError(`it is run without a shell, and ${word} is a word of a shell`, {
    item: name,
    hint: wayOn,
  });
}

export function programWords(text: string, name: string): readonly [string, ...string[]] {
  const trimmed = text.trim();
  if (trimmed.length > maxLength)
    throw new UsageError(`${name} is longer than ${maxLength} characters`, { hint });
  const [program, ...parameters] = trimmed.startsWith('[')
    ? jsonWords(trimmed, name)
    : plainWords(trimmed, name);
  if (program === undefined || program === '')
    throw new UsageError(`${name} names no program`, { hint });
  if ([program, ...parameters].some((word) => word.includes('\0')))
    throw new UsageError(`${name} holds a null character`, { hint });
  return [program, ...parameters];
}

/** No program that is run gets the key, under whatever name. */
export function withoutKeys(
  env: Readonly<Record<string, string | undefined>>,
  holdsKey: (text: string) => boolean = () => false,
): Record<string, string | undefined> {
  const { PDI_API_KEY: _key, PDI_API_KEY_FILE: _file, ...rest } = env;
  return Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => name === 'PATH' || !holdsKey(value ?? '')),
  );
}

/** On Windows it also runs what its shell alone can (`gcloud.cmd`, all of npm's), with arguments quoted as that one needs it. */
export async function startProgram(
  [program = '', ...parameters]: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const { default: spawn } = await import('cross-spawn');
  return spawn(program, parameters, options);
}

interface EndOfProgram {
  readonly code: unknown;
  readonly signal?: unknown;
}

export function failureOfProgram({ code, signal }: EndOfProgram): string | undefined {
  if (code === 0) return undefined;
  if (code === 'ENOENT') return 'was not found';
  if (typeof code === 'number') return `ended with exit code ${code}`;
  return typeof signal === 'string'
    ? `was ended by ${signal}`
    : `could not be run (${String(code)})`;
}

// At a stop the program is ended, gently at first, because it may have the terminal to restore. A process that it left behind keeps the
// pipe open, and is not waited for: what the program wrote is in the pipe already.
export async function endOfProgram(child: ChildProcess, stop: AbortSignal): Promise<EndOfProgram> {
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), msToEnd);
  };
  stop.addEventListener('abort', onStop, { once: true });
  const ended = await new Promise<EndOfProgram>((resolve) => {
    child.once('error', (error) => resolve({ code: systemCodeOf(error) }));
    child.once('exit', (code, signal) => {
      const left = setTimeout(() => setImmediate(() => resolve({ code, signal })), msToClosePipe);
      child.once('close', () => {
        clearTimeout(left);
        resolve({ code, signal });
      });
    });
  });
  clearTimeout(timer);
  stop.removeEventListener('abort', onStop);
  return ended;
}
