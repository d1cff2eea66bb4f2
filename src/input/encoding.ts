/** Brings text in another encoding to UTF-8 as it streams. */
import { TextDecoder } from 'node:util';
import { UsageError } from '../errors.ts';
import type { OnBrokenText } from './broken-text.ts';
import { countLines } from './lines.ts';

/** Gives the WHATWG's name for a label of `--encoding`. @throws UsageError naming the label */
export function encodingName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new UsageError(`--encoding: no encoding is called ${JSON.stringify(label)}`, {
      item: '--encoding',
      hint: 'Write a name of the WHATWG, such as windows-1252, windows-1250, iso-8859-2, macintosh, shift_jis, gb18030 or utf-16le.',
    });
  }
}

/** @throws UsageError naming the line with bytes not in this encoding (unless `onBroken` is told); the text before them comes first */
export async function* decoded(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  name: string,
  onBroken?: OnBrokenText,
): AsyncGenerator<Buffer> {
  const strict = new TextDecoder(encoding, { fatal: true });
  // A strict decoder does not tell where bytes are wrong. This one goes on, and leaves U+FFFD in their place.
  const lenient = new TextDecoder(encoding);
  let line = 1;
  // Without `stream` several versions of Node read windows-1252 as Latin-1, and the euro sign is lost.
  const decode = function* (chunk: Uint8Array, stream: boolean): Generator<Buffer> {
    const text = lenient.decode(chunk, { stream });
    const bytes = Buffer.from(text);
    if (!accepts(strict, chunk, stream)) {
      const good = Buffer.from(text.slice(0, text.indexOf('\uFFFD')));
      const brokenLine = line + countLines(good);
      const mistake = notInEncoding(name, brokenLine, encoding);
      if (onBroken === undefined) {
        yield good;
        throw mistake;
      }
      onBroken(mistake, brokenLine);
    }
    yield bytes;
    line += countLines(bytes);
  };
  for await (const chunk of chunks) yield* decode(chunk, true);
  yield* decode(Buffer.alloc(0), false);
}

function accepts(strict: TextDecoder, bytes: Uint8Array, stream: boolean): boolean {
  try {
    strict.decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}

const notInEncoding = (name: string, line: number, encoding: string): UsageError =>
  new UsageError(`${name}, line ${line}: not valid ${encoding}`, {
    item: name,
    hint: 'Name the encoding that it has with --encoding; UTF-8 needs no flag.',
  });
