/** Asks questions at a terminal. They go to stderr, because stdout carries data alone. */
import { on } from 'node:events';
import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import { PdiError, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

type Terminal = Pick<Io, 'stdin' | 'stderr'>;

const interrupted = () =>
  new PdiError('interrupted', 'interrupted at a question, which changed nothing');
const unanswered = () => new UsageError('the question was not answered; nothing was changed');

/** Shows nothing of the line. @throws PdiError `interrupted` at Ctrl-C or a stop, UsageError at the end of input or without a terminal */
export async function askHidden(
  { stdin, stderr }: Terminal,
  question: string,
  stop: AbortSignal,
): Promise<string> {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined)
    throw new UsageError('there is no terminal to ask at without echo');
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await typedLine(stdin, stop);
  } catch (error) {
    throw stop.aborted ? interrupted() : error;
  } finally {
    stdin.pause();
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}

/** In raw mode the terminal shows nothing, and Ctrl-C arrives as a key. */
async function typedLine(stdin: Io['stdin'], stop: AbortSignal): Promise<string> {
  emitKeypressEvents(stdin);
  let line = '';
  for await (const [typed, pressed] of on(stdin.resume(), 'keypress', {
    signal: stop,
    close: ['end'],
  })) {
    const character: string | undefined = typed;
    const { ctrl, name }: Key = pressed;
    const key = ctrl === true ? `ctrl-${name}` : name;
    if (key === 'ctrl-c') throw interrupted();
    if (key === 'return' || key === 'enter' || (key === 'ctrl-d' && line !== '')) return line;
    if (key === 'ctrl-d') break;
    if (key === 'ctrl-u') line = '';
    else if (key === 'backspace') line = [...line].slice(0, -1).join('');
    // Arrows and paste marks have no character.
    else if (character !== undefined && character >= ' ') line += character;
  }
  throw unanswered();
}

export async function askLine(
  { stdin, stderr }: Terminal,
  question: string,
  stop: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  let onStop = () => {};
  try {
    return await new Promise<string>((resolve, reject) => {
      onStop = () => reject(interrupted());
      lines.once('SIGINT', onStop);
      // After Ctrl-Z, Node leaves it to the program to read on.
      lines.on('SIGCONT', () => lines.resume());
      stop.addEventListener('abort', onStop);
      lines.once('close', () => reject(unanswered()));
      lines.question(question, resolve);
      if (stop.aborted) onStop();
    });
  } catch (error) {
    stderr.write('\n');
    throw error;
  } finally {
    stop.removeEventListener('abort', onStop);
    lines.close();
  }
}
