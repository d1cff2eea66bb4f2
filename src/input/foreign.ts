/** Unpacks gzip, and refuses archives and binaries by their first bytes, before a byte is taken for an identifier. */
import { UsageError } from '../errors.ts';
import { decoded } from './encoding.ts';
import { startingWith } from './head.ts';

/** A NUL byte this early means that the file is no text; a later one only spoils its row. */
const suspicious = 64 * 1024;

interface Signature {
  readonly bytes: readonly number[];
  readonly what: string;
  readonly hint: string;
}

const gzip: Signature = {
  bytes: [0x1f, 0x8b],
  what: 'is gzip within gzip',
  hint: 'Unpack it once, for example: gunzip -c FILE | pdi … -i -',
};

const signatures: readonly Signature[] = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'is binary: a spreadsheet or a ZIP archive', hint: 'Save the sheet as CSV UTF-8.' },
  gzip,
];

const marks: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

const unknownBinary = {
  what: 'is binary, not text',
  hint: 'Give lines, CSV, TSV or NDJSON. UTF-16 without a byte order mark needs --encoding utf-16le.',
};

/** The bytes of an input, with so much of their beginning as tells what they are. */
interface Content {
  readonly start: Buffer;
  readonly chunks: AsyncGenerator<Buffer>;
}

/** @throws UsageError where the beginning shows that it is no text, or for bytes that the encoding does not have */
export async function* utf8Of(source: AsyncGenerator<Buffer>, name: string, encoding?: string): AsyncGenerator<Buffer> {
  const { start, chunks } = await unpacked(source, name);
  const signature = signatures.find(({ bytes }) => startsWith(start, bytes));
  if (signature) throw refusal(name, signature);
  // A mark wins over `encoding`, as in browsers, so that one command can read files of both kinds.
  const shown = marks.find(({ bytes }) => startsWith(start, bytes))?.encoding ?? encoding ?? 'utf-8';
  yield* textOnly(shown === 'utf-8' ? chunks : decoded(chunks, shown, name), name);
}

async function unpacked(source: AsyncGenerator<Buffer>, name: string): Promise<Content> {
  const content = await readStart(source);
  if (!startsWith(content.start, gzip.bytes)) return content;
  const { gunzipped } = await import('./gzip.ts');
  return readStart(gunzipped(content.chunks, name));
}

async function* textOnly(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of chunks) {
    if (offset < suspicious && chunk.includes(0)) throw refusal(name, unknownBinary);
    offset += chunk.length;
    yield chunk;
  }
}

/** It reads on only while more bytes could make a signature or a mark, so that a slow pipe does not have to wait. */
async function readStart(source: AsyncGenerator<Buffer>): Promise<Content> {
  let start = Buffer.alloc(0);
  while ([...signatures, ...marks].some(({ bytes }) => start.length < bytes.length && startsWith(start, bytes.slice(0, start.length)))) {
    const { value: chunk, done } = await source.next();
    if (done) break;
    start = Buffer.concat([start, chunk]);
  }
  return { start, chunks: startingWith([start], source) };
}

const startsWith = (start: Buffer, bytes: readonly number[]): boolean =>
  bytes.length <= start.length && bytes.every((byte, index) => start[index] === byte);

const refusal = (name: string, { what, hint }: Pick<Signature, 'what' | 'hint'>): UsageError =>
  new UsageError(`${name} ${what}`, { item: name, hint });
