/** Refuses what is not UTF-8 text before a byte of it is taken for an identifier: UTF-16, spreadsheets, archives, binaries. */
import { UsageError } from '../errors.ts';

/** A NUL byte this early means that the file is no text; a later one only spoils its row. */
const suspicious = 64 * 1024;

interface Signature {
  readonly bytes: readonly number[];
  readonly what: string;
  readonly hint: string;
}

const saveAsUtf8 = 'Save it as UTF-8 (in Excel: "CSV UTF-8").';

const signatures: readonly Signature[] = [
  { bytes: [0xff, 0xfe], what: 'is UTF-16 text', hint: saveAsUtf8 },
  { bytes: [0xfe, 0xff], what: 'is UTF-16 text', hint: saveAsUtf8 },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'is binary: a spreadsheet or a ZIP archive', hint: 'Save the sheet as CSV UTF-8.' },
  { bytes: [0x1f, 0x8b], what: 'is binary: compressed with gzip', hint: 'Decompress it first, for example: gunzip -c FILE | pdi … -i -' },
];

const unknownBinary = { what: 'is binary, not text', hint: 'Give lines, CSV, TSV or NDJSON, in UTF-8.' };

/** Passes the chunks on. @throws UsageError where the first 64 KiB show that they are no UTF-8 text. */
export async function* textOnly(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let offset = 0;
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (offset < 4) start = Buffer.concat([start, chunk.subarray(0, 4 - offset)]);
    const signature = offset < 4 ? signatureOf(start) : undefined;
    if (signature) throw refusal(name, signature);
    if (offset < suspicious && chunk.includes(0)) throw refusal(name, unknownBinary);
    offset += chunk.length;
    yield chunk;
  }
}

const signatureOf = (start: Buffer): Signature | undefined =>
  signatures.find(({ bytes }) => bytes.length <= start.length && bytes.every((byte, index) => start[index] === byte));

const refusal = (name: string, { what, hint }: Pick<Signature, 'what' | 'hint'>): UsageError =>
  new UsageError(`${name} ${what}`, { item: name, hint });
