/** Brings text to UTF-8 as it streams, and finds what is not in its encoding. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { attempt, UsageError } from '../errors.ts';
import {
  mistakeIn,
  newline,
  type OnBrokenText,
  type Place,
  placeAfter,
  shownPosition,
} from './lines.ts';

/** Gives the WHATWG's name for a label of `--encoding`. @throws UsageError naming the label */
export function encodingName(label: string): string {
  const encoding = attempt(() => new TextDecoder(label).encoding);
  if (encoding !== undefined) return encoding;
  const names =
    'windows-1252, windows-1250, iso-8859-2, macintosh, shift_jis, euc-kr, gb18030 or utf-16le';
  const hint = `Write a name of the WHATWG, such as ${names}; of other encodings, such as CP850: iconv -f CP850 -t UTF-8 FILE | pdi … -i -`;
  throw new UsageError(`no encoding is called ${JSON.stringify(label)}`, { hint });
}

export const utf8 = 'utf-8';

/** A mark at the beginning of UTF-8 is for others to take off. `onBroken` is told of the line with bytes not in this encoding. */
export async function* decoded(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  name: string,
  onBroken: OnBrokenText,
) {
  const ignoreBOM = encoding === utf8;
  const strict = new TextDecoder(encoding, { fatal: true, ignoreBOM });
  // A strict decoder does not tell where bytes are wrong. This one goes on, and leaves U+FFFD in their place.
  const lenient = new TextDecoder(encoding, { ignoreBOM });
  let place: Place = { line: 1 };
  /** A U+FFFD on an earlier line was written by somebody. */
  const replacedIn = (chunk: Uint8Array, text: string, stream: boolean): number => {
    let good = 0;
    for (const piece of text.includes('\uFFFD') ? linesOf(chunk) : [chunk]) {
      const read = attempt(() => strict.decode(piece, { stream }));
      if (read === undefined) return `${text}\uFFFD`.indexOf('\uFFFD', good);
      good += read.length;
    }
    return -1;
  };
  // Without `stream` several versions of Node read windows-1252 as Latin-1, and the euro sign is lost.
  const decode = function* (chunk: Uint8Array, stream: boolean): Generator<Buffer> {
    const text = lenient.decode(chunk, { stream });
    const mistakes = [
      replacedIn(chunk, text, stream),
      gaps[encoding]?.foreign.exec(text)?.index ?? -1,
    ].filter((at) => at >= 0);
    const end = Math.min(text.length, ...mistakes);
    const [good, rest] = [Buffer.from(text.slice(0, end)), Buffer.from(text.slice(end))];
    yield good;
    place = placeAfter(place, good);
    if (mistakes.length === 0) return;
    onBroken(
      notInEncoding(name, encoding === utf8 ? { line: place.line } : place, encoding, chunk),
      place.line,
    );
    yield rest;
    place = placeAfter(place, rest);
  };
  let isCut = false;
  for await (const chunk of chunks) {
    // Whole characters go on as they are: to decode them takes longer than to read them.
    const isWhole: boolean = encoding === utf8 && !isCut && isUtf8(chunk);
    if (isWhole) {
      place = placeAfter(place, chunk);
      yield chunk;
    } else yield* decode(chunk, true);
    isCut = !isWhole && (chunk.at(-1) ?? 0) >= 0x80;
  }
  yield* decode(Buffer.alloc(0), false);
}

function* linesOf(chunk: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
    yield chunk.subarray(start, end + 1);
    start = end + 1;
  }
  yield chunk.subarray(start);
}

const control = /[\u0080-\u009f]/;
const controlOrPrivate = /[\u0080-\u009f\ue000-\uf8ff]/;
/** In these encodings programs may use private characters up to U+F8BF. */
const controlOrUnknown = /[\u0080-\u009f\uf8c0-\uf8ff]/;

/** What the engine gives for characters that it does not know, which no such encoding has itself, and an encoding of iconv that knows more. */
const gaps: Readonly<Record<string, { readonly foreign: RegExp; readonly wider?: string }>> = {
  'euc-kr': { foreign: controlOrPrivate, wider: 'CP949' },
  big5: { foreign: controlOrPrivate, wider: 'BIG5-HKSCS' },
  'euc-jp': { foreign: controlOrPrivate, wider: 'EUC-JP' },
  shift_jis: { foreign: control, wider: 'CP932' },
  gbk: { foreign: controlOrUnknown, wider: 'GB18030' },
  gb18030: { foreign: control },
  'iso-2022-jp': { foreign: control },
  'windows-874': { foreign: /[\uf8c0-\uf8ff]/ },
};

/** Its letters beyond ASCII stand alone among others, where encodings of other scripts have them in a row. */
function looksWestern(bytes: Uint8Array): boolean {
  const high = (at: number): boolean => (bytes[at] ?? 0) >= 0x80;
  const places = Array.from(bytes.keys()).filter(high);
  const alone = places.filter(
    (at) =>
      !high(at - 1) &&
      !high(at + 1) &&
      ((bytes[at] ?? 0) >= 0xa0 || /[\x80\x91-\x97]/.test(String.fromCharCode(bytes[at] ?? 0))),
  );
  return alone.length >= 0.8 * places.length;
}

function notInEncoding(
  name: string,
  place: Place,
  encoding: string,
  bytes: Uint8Array,
): UsageError {
  if (encoding === utf8) {
    const hint = 'Name its encoding, such as --encoding windows-1252 (Excel in Europe)';
    const reason = `is windows-1252 (line ${place.line} is not UTF-8)`;
    const told = looksWestern(bytes) ? { reason, way: { encoding: 'windows-1252' } } : {};
    return new UsageError(`${shownPosition(name, place)}: not valid UTF-8`, {
      item: name,
      hint,
      ...told,
    });
  }
  const wider = gaps[encoding]?.wider;
  const whole =
    wider === undefined
      ? ''
      : ` Of characters that are missing here: iconv -f ${wider} -t UTF-8 FILE | pdi … -i -`;
  return mistakeIn(
    name,
    `not valid ${encoding}`,
    `Name the encoding that it has with --encoding; UTF-8 needs no flag.${whole}`,
    place,
  );
}
