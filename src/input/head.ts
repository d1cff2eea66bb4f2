/** Reads the beginning of a stream without losing it. */
import { firstRow } from './kind.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = 0x0a;
const space = 0x20;
/** A format can be told by so many bytes; a longer first line is judged by its beginning. */
const enough = 64 * 1024;

interface Head {
  /** It has no BOM, and holds at least the first line that is not blank, or a header over several lines, unless that is very long. */
  readonly head: Buffer;
  readonly chunks: AsyncGenerator<Buffer>;
  /** A line for Excel before the header, such as `sep=;`, names this separator. */
  readonly separator?: string;
}

/** The line end is not taken, so that the numbers of the lines stay right. */
const separatorLine = /^"?sep=([^\w\s"]|\t)"?[,;\t|]*(?=\r{0,2}\n)/i;

/** Tells whether a beginning shows enough, or a header may stand further down. */
export type Suffices = (head: string) => boolean;

/** Takes a BOM and a line for Excel out of the stream. */
export async function readHead(source: AsyncGenerator<Buffer>, suffices?: Suffices): Promise<Head> {
  const { head, chunks } = await readFirstLine(source, suffices);
  const [line, separator] = separatorLine.exec(head.toString('latin1', 0, maxSeparatorLine)) ?? [];
  if (line === undefined || separator === undefined) return { head, chunks };
  return { ...(await readFirstLine(startingWith([head.subarray(line.length)], source), suffices)), separator };
}

/** A spreadsheet that saves such a file again may add a separator for each column. */
const maxSeparatorLine = 1000;

/** It reads no further than the first line that is not blank, if that suffices, so that a slow pipe does not have to wait. */
async function readFirstLine(source: AsyncGenerator<Buffer>, suffices: Suffices = () => true): Promise<Head> {
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
    if (hasContent && chunk.includes(newline, content) && tells(Buffer.concat(taken), suffices)) break;
  }
  const bytes = Buffer.concat(taken);
  const head = bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
  return { head, chunks: startingWith([head], source) };
}

function tells(bytes: Buffer, suffices: Suffices): boolean {
  const text = bytes.toString('utf8').trimStart();
  if (/^[[{]/.test(text) && isOneLineOfArray(text)) return false;
  return (/^[[{]/.test(text) || (firstRow(text)?.length ?? text.length) < text.length) && suffices(text);
}

/** An array in one line may be all there is, or the first row of NDJSON. What comes after it tells. */
const isOneLineOfArray = (text: string): boolean => /^\[[^\n]*\n\s*$/.test(text);

/** Gives `first`, then the rest; ending early closes the rest. */
export async function* startingWith<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
