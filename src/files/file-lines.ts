/** Reads the lines of a file with their places, piece by piece, so that memory does not grow with the file. */
import { read } from 'node:fs';
import { promisify } from 'node:util';

/** `text` has no line feed, `number` counts from 1, and `offset` (of the first byte) and `length` are in bytes. */
export interface FileLine {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly ended: boolean;
}

const readPiece = promisify(read);
const pieceSize = 256 * 1024;
const lineFeed = 0x0a;

/** Reads from the start to the end, whatever the file's own position is. */
export async function* linesOf(fileDescriptor: number): AsyncGenerator<FileLine> {
  // It is filled again and again: new bytes for each piece of a large file would take as much memory as the file.
  let piece = Buffer.alloc(pieceSize);
  let [offset, held, number] = [0, 0, 0];
  for (;;) {
    if (held === piece.length) piece = Buffer.concat([piece], 2 * piece.length);
    const { bytesRead } = await readPiece(fileDescriptor, piece, held, piece.length - held, offset + held);
    if (bytesRead === 0) break;
    const bytes = piece.subarray(0, held + bytesRead);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed, held); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      number += 1;
      yield { text: bytes.toString('utf8', start, end), number, offset: offset + start, length: end - start, ended: true };
      start = end + 1;
    }
    piece.copyWithin(0, start, bytes.length);
    held = bytes.length - start;
    offset += start;
  }
  if (held > 0) yield { text: piece.toString('utf8', 0, held), number: number + 1, offset, length: held, ended: false };
}
