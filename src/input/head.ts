/** Looks at the beginning of a stream without losing it. */

/** The three bytes of a UTF-8 byte order mark. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = 0x0a;
const space = 0x20;
/** Enough to tell a format by; a longer first line is judged by its beginning. */
const enough = 64 * 1024;

export interface Head {
  /** The first bytes, without BOM: at least the first line that is not blank, where it is not very long. */
  readonly head: Buffer;
  /** The whole stream, without BOM, the head included. */
  readonly chunks: AsyncGenerator<Buffer>;
  /** What a line for Excel before the header, such as `sep=;`, says that columns are told apart by. */
  readonly separator?: string;
}

/** Its line end is no part of it: left behind, it keeps the numbers of the lines. */
const separatorLine = /^sep=([^\w\s"]|\t)(?=\r?\n)/i;

/** Takes a line for Excel out of the stream as well. */
export async function readHead(source: AsyncGenerator<Buffer>): Promise<Head> {
  const { head, chunks } = await readFirstLine(source);
  const [line, separator] = separatorLine.exec(head.toString('latin1', 0, 'sep=;\r\n'.length)) ?? [];
  if (line === undefined || separator === undefined) return { head, chunks };
  return { ...(await readFirstLine(startingWith([head.subarray(line.length)], source))), separator };
}

/** Reads no further than the end of the first line that is not blank: a slow pipe is not kept waiting. */
async function readFirstLine(source: AsyncGenerator<Buffer>): Promise<Head> {
  const taken: Buffer[] = [];
  let size = 0;
  let hasContent = false;
  while (size < enough) {
    const { value: chunk, done } = await source.next();
    if (done) break;
    taken.push(chunk);
    size += chunk.length;
    const content: number = hasContent ? 0 : chunk.findIndex((byte) => byte > space);
    hasContent ||= content >= 0;
    if (hasContent && chunk.includes(newline, content)) break;
  }
  const bytes = Buffer.concat(taken);
  const head = bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
  return { head, chunks: startingWith([head], source) };
}

/** `first`, then the rest; ending early closes the rest. */
export async function* startingWith<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
