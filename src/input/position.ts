/** Counts lines and characters of a stream of bytes, so that an error can say where it is. */

/** Both count from 1. */
export interface TextPosition {
  readonly line: number;
  /** It counts characters; it is absent where the place is a whole line. */
  readonly column?: number;
}

export const shownPosition = (name: string, { line, column }: { readonly line: number; readonly column?: number | undefined }): string =>
  `${name}, line ${line}${column === undefined ? '' : `, column ${column}`}`;

/** It is told of each line end of a chunk, and counts characters only where somebody asks. */
export class PositionCounter {
  private line = 1;
  /** So many characters of the line come before the byte `counted` of the chunk. */
  private characters = 0;
  private counted = 0;

  lineEndsAt(at: number): void {
    this.line += 1;
    this.characters = 0;
    this.counted = at + 1;
  }

  /** It must not go back within a chunk. */
  at(chunk: Buffer, at: number): Required<TextPosition> {
    this.characters += charactersIn(chunk.subarray(this.counted, at));
    this.counted = at;
    return { line: this.line, column: this.characters + 1 };
  }

  chunkEnds(chunk: Buffer): void {
    this.at(chunk, chunk.length);
    this.counted = 0;
  }
}

/** Gives the place in `text`, which begins at `start`. */
export function positionWithin(text: string, at: number, { line, column = 1 }: TextPosition): Required<TextPosition> {
  const lines = text.slice(0, at).split('\n');
  const characters = [...(lines.at(-1) ?? '')].length;
  return { line: line + lines.length - 1, column: lines.length === 1 ? column + characters : characters + 1 };
}

/** Bytes that continue a character of UTF-8 begin with the bits 10. */
function charactersIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}
