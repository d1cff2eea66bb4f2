/** The lines of a file with the places they stand at, read piece by piece: memory does not grow with the file. */
import { read } from 'node:fs';
import { promisify } from 'node:util';

/** One line, without its line feed. */
export interface FileLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Where its first byte stands in the file. */
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
  /** False for a last line that no line feed follows. */
  readonly ended: boolean;
}

const readPiece = promisify(read);
const pieceSize = 256 * 1024;
const lineFeed = 0x0a;

/** Reads from the start to the end, whatever the file's own position. */
export async function* linesOf(fileDescriptor: number): AsyncGenerator<FileLine> {
  const piece = Buffer.alloc(pieceSize);
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  let number = 0;
  for (;;) {
    const { bytesRead } = await readPiece(fileDescriptor, piece, 0, pieceSize, offset + rest.length);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed, rest.length); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      number += 1;
      yield { text: bytes.toString('utf8', start, end), number, offset: offset + start, length: end - start, ended: true };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    offset += start;
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), number: number + 1, offset, length: rest.length, ended: false };
}
