/** Opens a file or standard input as a stream of byte chunks, and turns the system's errors into sentences. */
import { createReadStream, open, stat } from 'node:fs';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { reasonOf } from '../files/private.ts';
import type { Io } from '../io.ts';

export interface ByteSource {
  readonly name: string;
  /** It can be opened again and gives the same bytes. */
  readonly regular: boolean;
  readonly chunks: AsyncGenerator<Buffer>;
  close(): void;
  stopped(): boolean;
}

const statusOf = promisify(stat);
const openFile = promisify(open);

/** @throws UsageError for a missing file or a directory, PdiError `internal` for an unreadable file, `interrupted` after a stop */
export async function openBytes(path: string, io: Pick<Io, 'stdin'>, stop?: AbortSignal): Promise<ByteSource> {
  // To look at standard input already changes how programs read that share it, so it is done for "-" alone.
  if (path === '-') return sourceOf(io.stdin, 'standard input', stop);
  try {
    const status = await statusOf(path);
    if (status.isFile()) return { ...sourceOf(fileStream(await openFile(path, 'r')), path), regular: !isDescriptor(path) };
    if (status.isFIFO()) {
      const { openFifo } = await import('../files/fifo.ts');
      return sourceOf(await openFifo(path, stop), path, stop);
    }
    // A directory opens like a file, and the first read refuses it.
    return sourceOf(await deviceStream(await openFile(path, 'r')), path, stop);
  } catch (error) {
    throw error instanceof PdiError ? error : readFailure(path, error);
  }
}

/** On some systems these share their place in the file with the descriptor, so that a second reader does not get what the first read. */
const isDescriptor = (path: string): boolean => /^\/dev\/(?:stdin$|fd\/)/.test(path);

const fileStream = (fd: number): Readable => createReadStream('', { fd });

async function deviceStream(fd: number): Promise<Readable> {
  const { isatty, ReadStream } = await import('node:tty');
  return isatty(fd) ? new ReadStream(fd) : fileStream(fd);
}

function sourceOf(stream: Readable, name: string, stop?: AbortSignal): ByteSource {
  let closed = false;
  const close = () => {
    closed = true;
    stream.destroy();
  };
  if (stop?.aborted === true) close();
  // Input that is no regular file may never end by itself, so a stop closes it at any point.
  stop?.addEventListener('abort', close, { once: true });
  return { name, regular: false, close, chunks: readChunks(stream, name, () => closed), stopped: () => stop?.aborted === true };
}

export const interruptedAtInput = (): PdiError =>
  new PdiError('interrupted', 'interrupted before the input was read', { billed: 'no', retryable: true });

/** A stream that was closed on purpose ends, and a broken one throws. */
async function* readChunks(stream: Readable, name: string, isClosed: () => boolean): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    if (!isClosed()) throw readFailure(name, error);
  }
}

function readFailure(name: string, error: unknown): PdiError {
  const code = systemCodeOf(error);
  if (code === 'EISDIR') return new UsageError(`${name} is a directory`, { item: name, hint: 'Name a file, or - for standard input.' });
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
    return new UsageError(`${name}: no such file`, { item: name, hint: 'Check the path; - is standard input.' });
  const hint = "Check the file's permissions and its disk.";
  return new PdiError('internal', `${name} cannot be read: ${reasonOf(error)}`, { item: name, billed: 'no', hint });
}
