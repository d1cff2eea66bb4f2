/** Unpacks gzip, tells workbooks from text, and refuses other binaries by their first bytes, before a byte is taken for an identifier. */
import { UsageError } from '../errors.ts';
import type { InputKind } from '../rows/input-row.ts';
import type { OnBrokenText } from './broken-text.ts';
import { decoded } from './encoding.ts';
import { startingWith } from './head.ts';
import { kindByName } from './kind.ts';
import { bytesLookedAt, type OtherFormat, otherBinary, otherText, otherZip, utf32 } from './other-formats.ts';

/** A NUL byte this early means that the file is no text; a later one only spoils its row. */
const suspicious = 64 * 1024;

interface Signature extends OtherFormat {
  readonly bytes: readonly number[];
}

const gzip: Signature = {
  bytes: [0x1f, 0x8b],
  what: 'is gzip within gzip',
  hint: 'Unpack it once, for example: gunzip -c FILE | pdi … -i -',
};

const zip: Signature = {
  bytes: [0x50, 0x4b, 0x03, 0x04],
  what: 'is binary: a workbook or a ZIP archive',
  hint: 'A workbook is read where --input-format is xlsx, or is not given.',
};

const signatures: readonly Signature[] = [zip, gzip];

const marks: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

const unknownBinary = {
  what: 'is binary, not text',
  hint: 'Give lines, CSV, TSV, NDJSON, JSON or a workbook (.xlsx).',
};

export interface Content {
  readonly start: Buffer;
  readonly chunks: AsyncGenerator<Buffer>;
}

/** Unpacks gzip. @throws UsageError where it is broken at once */
export async function openContent(source: AsyncGenerator<Buffer>, name: string): Promise<Content> {
  const content = await readStart(source);
  if (!startsWith(content.start, gzip.bytes)) return content;
  const { gunzipped } = await import('./gzip.ts');
  return readStart(gunzipped(content.chunks, name));
}

export interface InputForm {
  readonly path: string;
  readonly format?: InputKind | undefined;
  readonly sheet?: string | undefined;
  /** It is `--encoding`, as the WHATWG names it. */
  readonly encoding?: string | undefined;
}

/** @throws UsageError where the bytes are not what was said */
export function isWorkbook({ start }: Content, { path, format, sheet, encoding }: InputForm, name: string): boolean {
  const isZip = startsWith(start, zip.bytes);
  const other = isZip ? otherZip(start) : otherBinary(start);
  if (other !== undefined) throw refusal(name, other);
  if (isZip && (format === undefined || format === 'xlsx')) {
    if (encoding === undefined) return true;
    throw new UsageError(`${name} is a workbook, which has no other encoding`, { item: '--encoding', hint: 'Leave --encoding out.' });
  }
  if ((format ?? kindByName(path)) === 'xlsx') {
    const other = otherText(start.toString('utf8'), false);
    if (other !== undefined) throw refusal(name, other);
    const hint = 'Save it as .xlsx without a password, or the sheet as CSV UTF-8. Of text, say what it is with --input-format.';
    throw refusal(name, { what: 'is no workbook (.xlsx)', hint });
  }
  if (sheet !== undefined && !isZip) {
    throw new UsageError(`--sheet goes with a workbook (.xlsx), which ${name} is not`, { item: '--sheet', hint: 'Leave --sheet out.' });
  }
  return false;
}

/** @throws UsageError where the beginning shows that it is no text, or for bytes that the encoding does not have, as `decoded` does */
export async function* utf8Of(
  { start, chunks }: Content,
  name: string,
  encoding?: string,
  onBroken?: OnBrokenText,
): AsyncGenerator<Buffer> {
  const signature = signatures.find(({ bytes }) => startsWith(start, bytes));
  if (signature) throw refusal(name, signature);
  // A mark wins over `encoding`, as in browsers, so that one command can read files of both kinds.
  const shown = marks.find(({ bytes }) => startsWith(start, bytes))?.encoding ?? encoding ?? 'utf-8';
  yield* textOnly(shown === 'utf-8' ? chunks : decoded(chunks, shown, name, onBroken), name);
}

async function* textOnly(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of chunks) {
    if (offset < suspicious && chunk.includes(0)) throw refusal(name, wideText(chunk) ?? unknownBinary);
    offset += chunk.length;
    yield chunk;
  }
}

/** Text of two or four bytes a character has most of its zeros at the same places. */
function wideText(chunk: Buffer): OtherFormat | undefined {
  const zeros = [0, 0, 0, 0];
  for (const [at, byte] of chunk.subarray(0, chunk.length & ~3).entries()) if (byte === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros;
  const characters = chunk.length >> 2;
  if (characters > 0 && first === characters && second === characters && fourth === 0) return utf32('big');
  if (characters > 0 && fourth === characters && third === characters && first === 0) return utf32('little');
  const [even, odd] = [first + third, second + fourth];
  if (even + odd < Math.max(4, chunk.length / 8) || Math.min(even, odd) * 8 > Math.max(even, odd)) return undefined;
  const [end, encoding] = even > odd ? ['big', 'utf-16be'] : ['little', 'utf-16le'];
  return { what: `is UTF-16 (${end}-endian) without a byte order mark`, hint: `Say --encoding ${encoding}.` };
}

/** @throws UsageError where the first lines show a format that is no list, whatever the file is called */
export function refuseOtherText(head: string, hasHeader: boolean, name: string): void {
  const other = otherText(head, hasHeader);
  if (other !== undefined) throw refusal(name, other);
}

/** It reads on only while more bytes could make a signature or a mark, so that a slow pipe does not have to wait. */
async function readStart(source: AsyncGenerator<Buffer>): Promise<Content> {
  let start = Buffer.alloc(0);
  while (mayTell(start)) {
    const { value: chunk, done } = await source.next();
    if (done) break;
    start = Buffer.concat([start, chunk]);
  }
  return { start, chunks: startingWith([start], source) };
}

function mayTell(start: Buffer): boolean {
  if (start.length >= bytesLookedAt) return false;
  if (startsWith(start, zip.bytes) || start.includes(0)) return true;
  return [...signatures, ...marks].some(({ bytes }) => start.length < bytes.length && startsWith(start, bytes.slice(0, start.length)));
}

const startsWith = (start: Buffer, bytes: readonly number[]): boolean =>
  bytes.length <= start.length && bytes.every((byte, index) => start[index] === byte);

const refusal = (name: string, { what, hint }: OtherFormat): UsageError => new UsageError(`${name} ${what}`, { item: name, hint });
