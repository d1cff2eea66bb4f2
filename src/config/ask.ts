/** Asks questions at a terminal. They go to stderr, because stdout carries data alone. */
import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import { PdiError, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

type Terminal = Pick<Io, 'stdin' | 'stderr'>;

const interrupted = () => new PdiError('interrupted', 'interrupted at a question; nothing was changed');
const unanswered = () => new UsageError('the question was not answered; nothing was changed');

/** Shows nothing of the line. @throws PdiError `interrupted` at Ctrl-C or a stop, UsageError at the end of input or without a terminal */
export async function askHidden({ stdin, stderr }: Terminal, question: string, stop: AbortSignal): Promise<string> {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) throw new UsageError('there is no terminal to ask at without echo');
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await typedLine(stdin, stop);
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}

/** In raw mode the terminal shows nothing, and Ctrl-C arrives as a key. */
function typedLine(stdin: Io['stdin'], stop: AbortSignal): Promise<string> {
  let settle = () => {};
  const typed = new Promise<string>((resolve, reject) => {
    let line = '';
    const onKey = (character: string | undefined, { ctrl, name }: Key) => {
      const key = ctrl === true ? `ctrl-${name}` : name;
      if (key === 'ctrl-c') reject(interrupted());
      else if (key === 'return' || key === 'enter' || (key === 'ctrl-d' && line !== '')) resolve(line);
      else if (key === 'ctrl-d') reject(unanswered());
      else if (key === 'ctrl-u') line = '';
      else if (key === 'backspace') line = [...line].slice(0, -1).join('');
      // Arrows and paste marks have no character.
      else if (character !== undefined && character >= ' ') line += character;
    };
    const onEnd = () => reject(unanswered());
    const onStop = () => reject(interrupted());
    settle = () => {
      stdin.off('keypress', onKey).off('end', onEnd).off('error', reject).pause();
      stop.removeEventListener('abort', onStop);
    };
    emitKeypressEvents(stdin);
    stdin.on('keypress', onKey).on('end', onEnd).on('error', reject).resume();
    stop.addEventListener('abort', onStop);
    if (stop.aborted) onStop();
  });
  return typed.finally(settle);
}

/** Asks for one line that is shown. @throws PdiError `interrupted` at Ctrl-C or a stop, UsageError at the end of input */
export async function askLine({ stdin, stderr }: Terminal, question: string, stop: AbortSignal): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  let onStop = () => {};
  try {
    return await new Promise<string>((resolve, reject) => {
      onStop = () => reject(interrupted());
      lines.once('SIGINT', onStop);
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
