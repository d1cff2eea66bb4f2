/** Asks questions at a terminal. They go to stderr, because stdout carries data alone. */
import { StringDecoder } from 'node:string_decoder';
import { PdiError, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';

type Terminal = Pick<Io, 'stdin' | 'stderr'>;

const interrupted = () => new PdiError('interrupted', 'interrupted at a question; nothing was changed');
const unanswered = () => new UsageError('the question was not answered; nothing was changed');

interface TypedLine {
  readonly text: string;
  readonly end?: 'enter' | 'interrupt' | 'end of input';
}

const withoutLast = (text: string): string => [...text].slice(0, -1).join('');

function typed({ text }: TypedLine, character: string): TypedLine {
  switch (character) {
    case '\r':
    case '\n':
      return { text, end: 'enter' };
    case '\u0003': // Ctrl-C
      return { text, end: 'interrupt' };
    case '\u0004': // Ctrl-D
      return { text, end: text === '' ? 'end of input' : 'enter' };
    case '\u0015': // Ctrl-U
      return { text: '' };
    case '\u0008': // Ctrl-H and the backspace key
    case '\u007f':
      return { text: withoutLast(text) };
    default:
      return { text: character < ' ' ? text : text + character };
  }
}

/** Arrow keys, function keys and paste marks send ESC, then `[` with parameters and a final character, or `O` and a letter. */
const keySequences = new RegExp(`${String.fromCharCode(27)}(?:\\[[0-9;?]*[ -/]*[@-~]|O[A-Z])`, 'g');

function typedAll(line: TypedLine, piece: string): TypedLine {
  let now = line;
  for (const character of piece.replace(keySequences, '')) {
    if (now.end !== undefined) return now;
    now = typed(now, character);
  }
  return now;
}

/** In raw mode the terminal shows nothing, and Ctrl-C arrives as a character. */
function readRaw(stdin: Io['stdin'], stop: AbortSignal): Promise<TypedLine> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let line: TypedLine = { text: '' };
    const settle = (finish: () => void) => {
      stdin.off('data', onData).off('end', onEnd).off('error', onError).pause();
      stop.removeEventListener('abort', onStop);
      finish();
    };
    const onData = (chunk: Buffer | string) => {
      line = typedAll(line, typeof chunk === 'string' ? chunk : decoder.write(chunk));
      if (line.end !== undefined) settle(() => resolve(line));
    };
    const onEnd = () => settle(() => resolve({ text: '', end: 'end of input' }));
    const onStop = () => settle(() => resolve({ text: '', end: 'interrupt' }));
    const onError = (error: Error) => settle(() => reject(error));
    stdin.on('data', onData).on('end', onEnd).on('error', onError).resume();
    stop.addEventListener('abort', onStop);
    if (stop.aborted) onStop();
  });
}

/** Shows nothing of the line. @throws PdiError `interrupted` at Ctrl-C or a stop, UsageError at the end of input or without a terminal */
export async function askHidden({ stdin, stderr }: Terminal, question: string, stop: AbortSignal): Promise<string> {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) throw new UsageError('there is no terminal to ask at without echo');
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    const { text, end } = await readRaw(stdin, stop);
    if (end === 'interrupt') throw interrupted();
    if (end === 'end of input') throw unanswered();
    return text;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}

/** Asks for one line that is shown. @throws PdiError `interrupted` at Ctrl-C or a stop, UsageError at the end of input */
export async function askLine({ stdin, stderr }: Terminal, question: string, stop: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline');
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
