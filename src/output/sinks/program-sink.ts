/** Hands the rows to a program once all are there. They wait in a private file without a name, which is the program's standard input. */

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  readSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { attempt, PdiError } from '../../errors.ts';
import { endOfProgram, failureOfProgram, startProgram } from '../../files/child-process.ts';
import { openNamelessFile, writeWhole } from '../../files/private.ts';
import { type Sink, writeFailure } from './sink.ts';

interface ProgramOfRows {
  readonly words: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly stop: AbortSignal;
  readonly onOutput: (text: string) => void;
}

const rerun =
  'the rows that it did not take wait (`pdi bookmarks`): run the same command again: it delivers them first, without a call';

/** `commit` runs the program, and throws unless it exits 0 and has read all. @throws PdiError `internal` before any row if it is not there */
export function programSink(program: ProgramOfRows): Sink {
  const [name] = program.words;
  refuseMissing(name, program.env, program.platform);
  const fileDescriptor = openNameless();
  let size = 0;
  let open = true;
  const close = (): void => {
    if (open) closeSync(fileDescriptor);
    open = false;
  };
  return {
    async write(output) {
      try {
        // A write at a position leaves the file's own place at its beginning, where the program starts to read.
        size += writeWhole(fileDescriptor, output, size);
      } catch (error) {
        throw writeFailure('the temporary file', error);
      }
      return true;
    },
    async commit() {
      try {
        forgetReading(fileDescriptor);
        const ended = await runWith(program, fileDescriptor);
        const failed = failureOfProgram(ended);
        if (failed === undefined && isRead(fileDescriptor)) return;
        const failure = failed ?? 'ended before it had read all rows';
        const hint = failed === undefined && !notesReading(fileDescriptor) ? noTrace : undefined;
        // Only the program's name is told, because its arguments may hold secrets.
        const subject = `the --deliver program ${JSON.stringify(name)}`;
        // Ctrl-C ends both, and the program may be gone first.
        if (!program.stop.aborted && ended.signal !== 'SIGINT')
          throw new PdiError('internal', `${subject} ${failure}`, {
            item: '--deliver',
            retryable: true,
            hint,
            rerun,
          });
        throw new PdiError('interrupted', `interrupted before ${subject} had ended`, {
          retryable: true,
          rerun,
        });
      } finally {
        close();
      }
    },
    discard: async () => close(),
  };
}

/** If this is not known beforehand, the start of the program tells it: Windows also runs files with endings that are not named. */
export function refuseMissing(name: string, env: ProgramOfRows['env'], platform: string): void {
  if (platform === 'win32') return;
  const places = name.includes('/')
    ? [name]
    : (env.PATH ?? usualPath).split(delimiter).map((folder) => join(folder, name));
  if (places.some((place) => isFile(place, constants.X_OK))) return;
  const [failure, hint] =
    name.includes('/') && isFile(name)
      ? ['may not be run', 'chmod +x allows it']
      : ['was not found', 'name one that is there'];
  throw new PdiError('internal', `the --deliver program ${JSON.stringify(name)} ${failure}`, {
    item: '--deliver',
    retryable: false,
    hint: `nothing was sent; ${hint}`,
  });
}

/** The system looks here where no PATH is set. */
const usualPath = '/usr/bin:/bin';

const isFile = (place: string, mode: number = constants.F_OK): boolean =>
  attempt(() => {
    accessSync(place, mode);
    return statSync(place).isFile();
  }) === true;

function openNameless(): number {
  const path = join(tmpdir(), `pdi-${randomUUID()}.rows`);
  try {
    return openNamelessFile(path);
  } catch (error) {
    throw writeFailure(path, error);
  }
}

const noTrace =
  'the disk of its temporary folder does not note that a file is read (noatime): it must read its standard input as it is, and not open /dev/stdin, or TMPDIR must name a folder elsewhere';

/** A time before any reading, so that the system notes one. */
const longAgo = 0;

const forgetReading = (fileDescriptor: number): void =>
  attempt(() => futimesSync(fileDescriptor, longAgo, new Date()));

function notesReading(fileDescriptor: number): boolean {
  forgetReading(fileDescriptor);
  readSync(fileDescriptor, Buffer.alloc(1), 0, 1, 0);
  return fstatSync(fileDescriptor).atimeMs > longAgo;
}

/** The program shares the place in the file. One that opened the file anew, as /dev/stdin, leaves it at the beginning, but not unread. */
function isRead(fileDescriptor: number): boolean {
  const rest = Buffer.alloc(1);
  const { size, atimeMs } = fstatSync(fileDescriptor);
  if (readSync(fileDescriptor, rest, 0, 1, null) === 0) return true;
  const isAtBeginning =
    size > 1 && readSync(fileDescriptor, Buffer.alloc(size), 0, size, null) === size - 1;
  return isAtBeginning && atimeMs > longAgo;
}

async function runWith({ words, env, stop, onOutput }: ProgramOfRows, rows: number) {
  const child = await startProgram(words, {
    env,
    stdio: [rows, 'pipe', 'pipe'],
    windowsHide: true,
  });
  let last = '\n';
  const pass = (text: string): void => {
    last = text;
    onOutput(text);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', pass);
  const ended = await endOfProgram(child, stop);
  child.stdout?.destroy();
  child.stderr?.destroy();
  // What pdi says next is a line of its own.
  if (!last.endsWith('\n')) onOutput('\n');
  return ended;
}
