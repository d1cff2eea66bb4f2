/** Brings text in another encoding to UTF-8 as it streams. */
import { TextDecoder } from 'node:util';
import { UsageError } from '../errors.ts';
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

/** @throws UsageError naming the line with bytes that are not in this encoding; the text before them comes first */
export async function* decoded(chunks: AsyncIterable<Buffer>, encoding: string, name: string): AsyncGenerator<Buffer> {
  const strict = new TextDecoder(encoding, { fatal: true });
  // A strict decoder does not tell where bytes are wrong. This one goes on, and leaves U+FFFD in their place.
  const lenient = new TextDecoder(encoding);
  const decode = (bytes: Uint8Array, stream: boolean): DecodedText => {
    const text = lenient.decode(bytes, { stream });
    const isValid = accepts(strict, bytes, stream);
    return { isValid, bytes: Buffer.from(isValid ? text : text.slice(0, text.indexOf('\uFFFD'))) };
  };
  let line = 1;
  for await (const chunk of chunks) {
    // Without `stream` several versions of Node read windows-1252 as Latin-1, and the euro sign is lost.
    const { isValid, bytes } = decode(chunk, true);
    yield bytes;
    line += countLines(bytes);
    if (!isValid) throw notInEncoding(name, line, encoding);
  }
  if (!decode(Buffer.alloc(0), false).isValid) throw notInEncoding(name, line, encoding);
}

interface DecodedText {
  readonly isValid: boolean;
  /** It ends before the first character that could not be decoded. */
  readonly bytes: Buffer;
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
