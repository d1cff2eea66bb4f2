/** Hands the rows to a program once all are there. They wait in a private file without a name, which is the program's standard input. */

import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PdiError } from '../../errors.ts';
import { type EndOfProgram, endOfProgram, endWith, failureOfProgram } from '../../files/child-process.ts';
import { attempt, noFollow, openPrivateFile, writeToDisk, writeWhole } from '../../files/private.ts';
import { type Sink, writeFailure } from './sink.ts';

interface ProgramOfRows {
  readonly words: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly stop: AbortSignal;
  readonly onOutput: (text: string) => void;
}

/** `commit` runs the program, and throws unless it exits 0. @throws PdiError `internal` before any row if the program is not there */
export function programSink(program: ProgramOfRows): Sink {
  const [name] = program.words;
  if (!isThere(program)) throw notThere(name);
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
        size += writeWhole(fileDescriptor, output, writeToDisk, size);
      } catch (error) {
        throw writeFailure('the temporary file', error);
      }
      return true;
    },
    async commit() {
      try {
        const ended = await runWith(program, fileDescriptor);
        const failure = failureOfProgram(ended);
        if (failure === undefined) return;
        throw program.stop.aborted ? interruptedBefore(name) : programFailure(name, failure);
      } finally {
        close();
      }
    },
    discard: async () => close(),
  };
}

/** If this is not known beforehand, the start of the program tells it: Windows also runs files with endings that are not named. */
function isThere({ words: [name], env, platform }: ProgramOfRows): boolean {
  if (platform === 'win32' || env.PATH === undefined) return true;
  const places = name.includes('/') ? [name] : env.PATH.split(delimiter).map((folder) => join(folder, name));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function openNameless(): number {
  const path = join(tmpdir(), `pdi-${randomUUID()}.rows`);
  try {
    const fileDescriptor = openPrivateFile(path, noFollow | constants.O_EXCL);
    // Windows keeps the name until the end.
    attempt(() => unlinkSync(path));
    return fileDescriptor;
  } catch (error) {
    throw writeFailure(path, error);
  }
}

async function runWith({ words: [name, ...parameters], env, stop, onOutput }: ProgramOfRows, rows: number): Promise<EndOfProgram> {
  const { spawn } = await import('node:child_process');
  const child = spawn(name, parameters, { env, stdio: [rows, 'pipe', 'pipe'], windowsHide: true });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput);
  const letGo = endWith(child, stop);
  try {
    return await endOfProgram(child);
  } finally {
    letGo();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

const rerun = 'run the same command again: the bookmark did not move';

const notThere = (name: string): PdiError =>
  new PdiError('internal', `the --deliver program ${JSON.stringify(name)} was not found`, {
    item: '--deliver',
    retryable: false,
    hint: 'nothing was sent; name one that is there',
  });

/** Only the program's name is told, because its arguments may hold secrets. */
const programFailure = (name: string, reason: string): PdiError =>
  new PdiError('internal', `the --deliver program ${JSON.stringify(name)} ${reason}`, { item: '--deliver', retryable: true, rerun });

const interruptedBefore = (name: string): PdiError =>
  new PdiError('interrupted', `interrupted before the --deliver program ${JSON.stringify(name)} had ended`, { retryable: true, rerun });
