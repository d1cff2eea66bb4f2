/** Opens a file or standard input as a stream of byte chunks, and turns the system's errors into sentences. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';

/** Chunks are cut to this size, so that no step ever holds much more. */
const chunkSize = 64 * 1024;

export interface ByteSource {
  readonly name: string;
  readonly chunks: AsyncGenerator<Buffer>;
  close(): void;
}

/**
 * `path` `-` is `stdin`, and only then is `stdin` touched.
 * @throws UsageError for a missing file or a directory, PdiError `internal` for one that cannot be read.
 */
export async function openBytes(path: string, stdin: Readable): Promise<ByteSource> {
  if (path === '-') return sourceOf(stdin, 'standard input');
  const handle = await open(path).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  // A directory opens like a file; the first read refuses it.
  return sourceOf(handle.createReadStream({ highWaterMark: chunkSize }), path);
}

function sourceOf(stream: Readable, name: string): ByteSource {
  let closed = false;
  const close = () => {
    closed = true;
    stream.destroy();
  };
  return { name, close, chunks: readChunks(stream, name, () => closed) };
}

/** A stream that was closed on purpose ends; one that breaks throws. */
async function* readChunks(stream: Readable, name: string, isClosed: () => boolean): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield* pieces(toBuffer(chunk));
  } catch (error) {
    if (!isClosed()) throw readFailure(name, error);
  }
}

function toBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk));
}

function* pieces(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += chunkSize) yield chunk.subarray(at, at + chunkSize);
}

function readFailure(name: string, error: unknown): PdiError {
  const code = systemCodeOf(error) ?? 'unknown error';
  if (code === 'EISDIR') return new UsageError(`${name} is a directory`, { item: name, hint: 'Name a file, or - for standard input.' });
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
    return new UsageError(`${name}: no such file`, { item: name, hint: 'Check the path; - is standard input.' });
  return new PdiError('internal', `${name} cannot be read (${code})`, {
    item: name,
    billed: 'no',
    hint: "Check the file's permissions and its disk.",
    cause: error,
  });
}
