/** Unpacks gzip as it streams. */
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { systemCodeOf, UsageError } from '../errors.ts';
import { countLines } from './lines.ts';

/** A byte may stand for a thousand, so few are unpacked at a time, and given on as small blocks: rows are made of a whole block. */
const pieceSize = 4 * 1024;
const blockSize = 64 * 1024;

/** @throws UsageError naming the line where packed bytes are broken or end too early; the text before them comes first */
export async function* gunzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const unpacked: Buffer[] = [];
  let line = 1;
  const take = function* (): Generator<Buffer> {
    for (const bytes of unpacked.splice(0)) {
      line += countLines(bytes);
      yield bytes;
    }
  };
  const gunzip = createGunzip({ chunkSize: blockSize });
  let failure: unknown;
  let written = (): void => {};
  // `for await` would lose what was unpacked before an error.
  gunzip
    .on('data', (bytes: Buffer) => unpacked.push(bytes))
    .on('error', (error) => {
      failure = error;
      written();
    });
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      // Where the bytes are broken, `write` does not call back.
      written = resolve;
      gunzip.write(bytes, () => resolve());
    });
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length && failure === undefined; at += pieceSize) {
        await write(chunk.subarray(at, at + pieceSize));
        yield* take();
      }
      if (failure !== undefined) throw brokenGzip(name, line, failure);
    }
    await finished(gunzip.end()).catch((error: unknown) => {
      failure = error;
    });
    yield* take();
    if (failure !== undefined) throw brokenGzip(name, line, failure);
  } finally {
    gunzip.destroy();
  }
}

function brokenGzip(name: string, line: number, error: unknown): UsageError {
  const isCut = systemCodeOf(error) === 'Z_BUF_ERROR';
  const why = error instanceof Error ? error.message : String(error);
  return new UsageError(
    `${name}, line ${line}: the gzip ${isCut ? 'ends too early, it was cut off' : `is broken here or later (${why})`}`,
    {
      item: name,
      hint: 'Fetch or write the file again; gunzip -t FILE checks it.',
      cause: error,
    },
  );
}
