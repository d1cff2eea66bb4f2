/** Runs `key-command`, a program such as a password manager whose output is the key, without a shell. */
import type { ChildProcess } from 'node:child_process';
import { PdiError } from '../errors.ts';
import { endOfProgram, failureOfProgram, withoutKeys } from '../files/child-process.ts';
import type { Io } from '../io.ts';

const limitInSeconds = 10;
const maxOutput = 64 * 1024;

/** Only the program's name is told, because its arguments and its output may hold secrets. */
function failure(program: string, reason: string): PdiError {
  return new PdiError('auth', `key-command ${JSON.stringify(program)} ${reason}`, {
    billed: 'no',
    retryable: false,
    hint: 'run the command by itself to see why, or set another with pdi config set key-command',
  });
}

export const interruptedWhile = (what: string): PdiError =>
  new PdiError('interrupted', `interrupted while ${what}`, {
    billed: 'no',
    retryable: true,
    hint: 'run the same command again',
  });

const interrupted = (): PdiError => interruptedWhile('key-command was running');

interface KeyCommandRun {
  readonly words: readonly string[];
  readonly env: Io['env'];
  readonly stop: AbortSignal;
  readonly limitInMilliseconds?: number;
}

/** Gives the output, trimmed. @throws PdiError `auth` when the program fails, writes nothing or takes too long, `interrupted` at Ctrl-C */
export async function runKeyCommand({ words, env, stop, limitInMilliseconds = limitInSeconds * 1000 }: KeyCommandRun): Promise<string> {
  const [program = '', ...parameters] = words;
  const { spawn } = await import('node:child_process');
  if (stop.aborted) throw interrupted();
  const child = spawn(program, parameters, {
    env: withoutKeys(env),
    // Without stdin a program that asks there gets end-of-file instead of a silent wait.
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    timeout: limitInMilliseconds,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    output += piece;
    if (output.length > maxOutput) child.kill('SIGKILL');
  });
  try {
    const ended = await endOfProgram(child, stop);
    if (stop.aborted || ended.signal === 'SIGINT') throw interrupted();
    const reason = objection(child, output) ?? failureOfProgram(ended) ?? (output.trim() === '' ? 'wrote nothing' : undefined);
    if (reason !== undefined) throw failure(program, reason);
    return output.trim();
  } finally {
    child.stdout.destroy();
  }
}

function objection({ killed }: ChildProcess, output: string): string | undefined {
  if (output.length > maxOutput) return 'wrote more than a key';
  return killed ? `gave no key within ${limitInSeconds} s` : undefined;
}
