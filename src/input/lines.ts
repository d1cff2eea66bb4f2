/** Cuts a stream of bytes at line ends, in blocks: the ground under all four formats, and the `lines` format itself. */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.ts';
import type { InputRow } from './row.ts';

/** A line, or a CSV row, longer than this (1 MiB) is no list of identifiers. */
export const longestLine = 1024 * 1024;

const newline = 0x0a;

/** Whole lines as bytes; only the last block of a file may lack its last line end. */
export interface LineBlock {
  readonly bytes: Buffer;
  /** 1-based number of the first line in it. */
  readonly line: number;
}

export interface Line {
  readonly line: number;
  /** Without its `\n`; a `\r` before it is kept. */
  readonly text: string;
  /** False where its bytes are no UTF-8: the text then holds replacement characters. */
  readonly valid: boolean;
}

/** What to say of a row whose bytes are no UTF-8. */
export const notUtf8 = 'not valid UTF-8';

/** @throws UsageError naming the line that is over 1 MiB; the lines before it come first. */
export async function* lineBlocks(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<LineBlock> {
  let line = 1;
  let rest: Buffer[] = [];
  let restSize = 0;
  for await (const chunk of chunks) {
    const first = chunk.indexOf(newline);
    if (restSize + (first < 0 ? chunk.length : first) > longestLine) throw tooLong(name, line);
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      const bytes = restSize === 0 ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)]);
      yield { bytes, line };
      line += countLines(bytes);
      rest = [];
      restSize = 0;
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
    restSize += chunk.length - end;
  }
  if (restSize > 0) yield { bytes: Buffer.concat(rest), line };
}

/** Line ends in these bytes. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

const tooLong = (name: string, line: number): UsageError =>
  new UsageError(`${name}, line ${line}: the line is longer than 1 MiB`, {
    item: name,
    hint: 'Give one identifier a line, or say what the file is with --input-format.',
  });

/** The lines of a block. Decoded in one go where all of it is UTF-8, else line by line to find the bad ones. */
export function linesOf({ bytes, line }: LineBlock): Line[] {
  if (isUtf8(bytes)) return splitText(bytes.toString('utf8')).map((text, index) => ({ line: line + index, text, valid: true }));
  // Latin-1 gives each byte a character of its own, so that lines can be cut as text and turned back into their bytes.
  return splitText(bytes.toString('latin1')).map((text, index) => {
    const own = Buffer.from(text, 'latin1');
    return { line: line + index, text: own.toString('utf8'), valid: isUtf8(own) };
  });
}

function splitText(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** One identifier a line. Blank lines are no rows. */
export async function* lineRows(blocks: AsyncIterable<LineBlock>): AsyncGenerator<readonly InputRow[]> {
  for await (const block of blocks) {
    const rows: InputRow[] = [];
    for (const { line, text: written, valid } of linesOf(block)) {
      const text = written.trim();
      if (text !== '') rows.push(valid ? { line, text } : { line, text, invalid: notUtf8 });
    }
    if (rows.length > 0) yield rows;
  }
}
