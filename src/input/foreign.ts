/** Unpacks gzip, tells workbooks from text, and refuses other binaries by their first bytes, before a byte is taken for an identifier. */
import { UsageError } from '../errors.ts';
import type { InputKind } from '../rows/input-row.ts';
import type { OnBrokenText } from './broken-text.ts';
import { decoded } from './encoding.ts';
import { startingWith } from './head.ts';
import { kindByName } from './kind.ts';

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

const zip: Signature = {
  bytes: [0x50, 0x4b, 0x03, 0x04],
  what: 'is binary: a workbook or a ZIP archive',
  hint: 'A workbook is read where --input-format is xlsx, or is not given.',
};

const oldWorkbook: Signature = {
  bytes: [0xd0, 0xcf, 0x11, 0xe0],
  what: 'is an old workbook (.xls), or one with a password',
  hint: 'Save it as .xlsx without a password, or the sheet as CSV UTF-8.',
};

const signatures: readonly Signature[] = [zip, oldWorkbook, gzip];

const marks: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

const unknownBinary = {
  what: 'is binary, not text',
  hint: 'Give lines, CSV, TSV, NDJSON, JSON or a workbook (.xlsx). UTF-16 without a byte order mark needs --encoding utf-16le.',
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
  if (isZip && (format === undefined || format === 'xlsx')) {
    if (encoding === undefined) return true;
    throw new UsageError(`${name} is a workbook, which has no other encoding`, { item: '--encoding', hint: 'Leave --encoding out.' });
  }
  const { hint } = oldWorkbook;
  if (startsWith(start, oldWorkbook.bytes)) throw refusal(name, oldWorkbook);
  if ((format ?? kindByName(path)) === 'xlsx')
    throw refusal(name, { what: 'is no workbook (.xlsx)', hint: `${hint} Of text, say what it is with --input-format.` });
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
