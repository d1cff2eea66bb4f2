/** Opens a file or standard input as bytes, and what they hold: unpacks gzip, and gives the sheet of a workbook, or text as UTF-8 with its beginning. */
import { createReadStream, open, stat } from 'node:fs';
import type { Readable } from 'node:stream';
import { text as textIn } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { interruption, PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { reasonOf } from '../files/private.ts';
import type { Io } from '../io.ts';
import { type FileForm, mapped, startingWith } from '../rows/row.ts';
import { decoded, utf8 } from './encoding.ts';
import type { ColumnWish } from './header.ts';
import { jsonRecords } from './json-records.ts';
import { type Format, kindByName, tellingPart } from './kind.ts';
import {
  countLines,
  filledLine,
  type Line,
  linesIn,
  maxLineLength,
  mistakeIn,
  newline,
  type OnBrokenText,
  refuse,
  type TextLimits,
} from './lines.ts';
import { bytesLookedAt, refuseBinary, refuseNul, refuseOtherText } from './other-formats.ts';
import { type SeparatedRow, separatedRows } from './separated.ts';
import type { openSheet } from './workbook.ts';

export interface ByteSource {
  readonly name: string;
  /** It can be opened again and gives the same bytes. */
  readonly regular: boolean;
  readonly chunks: AsyncGenerator<Buffer>;
  close(): void;
  stopped(): boolean;
}

const statusOf = promisify(stat);
const openFile = promisify(open);

/** @throws UsageError for a missing file or a directory, PdiError `internal` for an unreadable file, `interrupted` after a stop */
export async function openBytes(
  path: string,
  io: Pick<Io, 'stdin'>,
  stop?: AbortSignal,
): Promise<ByteSource> {
  // To look at standard input already changes how programs read that share it, so it is done for "-" alone.
  if (path === '-') return sourceOf(io.stdin, 'standard input', stop);
  try {
    const status = await statusOf(path);
    if (status.isFile())
      return {
        ...sourceOf(fileStream(await openFile(path, 'r')), path),
        regular: !isDescriptor(path),
      };
    if (status.isFIFO()) {
      const { openFifo } = await import('../files/fifo.ts');
      return sourceOf(await openFifo(path, stop), path, stop);
    }
    // A directory opens like a file, and the first read refuses it.
    return sourceOf(await deviceStream(await openFile(path, 'r')), path, stop);
  } catch (error) {
    throw error instanceof PdiError ? error : readFailure(path, error);
  }
}

/** On some systems these share their place in the file with the descriptor, so that a second reader does not get what the first read. */
export const isDescriptor = (path: string): boolean => /^\/dev\/(?:stdin$|fd\/)/.test(path);

const fileStream = (fd: number): Readable => createReadStream('', { fd });

async function deviceStream(fd: number): Promise<Readable> {
  const { isatty, ReadStream } = await import('node:tty');
  return isatty(fd) ? new ReadStream(fd) : fileStream(fd);
}

function sourceOf(stream: Readable, name: string, stop?: AbortSignal): ByteSource {
  let closed = false;
  const close = () => {
    closed = true;
    stream.destroy();
  };
  if (stop?.aborted === true) close();
  // Input that is no regular file may never end by itself, so a stop closes it at any point.
  stop?.addEventListener('abort', close, { once: true });
  return {
    name,
    regular: false,
    close,
    chunks: readChunks(stream, name, () => closed),
    stopped: () => stop?.aborted === true,
  };
}

/** Reads all of it. @throws as `openBytes` */
export async function wholeText(path: string, io: Pick<Io, 'stdin'>, stop: AbortSignal) {
  const source = await openBytes(path, io, stop);
  const text = await textIn(source.chunks);
  if (source.stopped()) throw interruptedAtInput();
  return text;
}

export const interruptedAtInput = (): PdiError =>
  interruption('interrupted before the input was read', { billed: 'no' });

async function* readChunks(
  stream: Readable,
  name: string,
  isClosed: () => boolean,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    if (!isClosed()) throw readFailure(name, error);
  }
}

function readFailure(name: string, error: unknown): PdiError {
  const code = systemCodeOf(error);
  if (code === 'EISDIR')
    return new UsageError(`${name} is a directory`, {
      item: name,
      hint: 'Name a file, or - for standard input.',
    });
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
    return new UsageError(`${name}: no such file`, {
      item: name,
      hint: 'Check the path; - is standard input.',
    });
  const hint = "Check the file's permissions and its disk.";
  return new PdiError('internal', `${name} cannot be read: ${reasonOf(error)}`, {
    item: name,
    billed: 'no',
    hint,
  });
}

const gzip = '\x1f\x8b';
const zip = 'PK\x03\x04';
const utf8Mark = '\xef\xbb\xbf';

const marks: readonly { readonly bytes: string; readonly encoding: string }[] = [
  { bytes: utf8Mark, encoding: utf8 },
  { bytes: '\xff\xfe', encoding: 'utf-16le' },
  { bytes: '\xfe\xff', encoding: 'utf-16be' },
];

export type SheetContent = Awaited<ReturnType<typeof openSheet>>;

export interface TextContent {
  /** It has no BOM, and holds at least the first line that is not blank, or a header over several lines, unless that is very long. */
  readonly head: string;
  /** Those that were read to find it. */
  readonly bytes: Buffer;
  readonly chunks: AsyncGenerator<Buffer>;
  /** A line for Excel before the header, such as `sep=;`, names this separator, and is taken out. */
  readonly separator?: string;
}

type TextRecords =
  | { readonly rows: AsyncGenerator<readonly SeparatedRow[]> }
  | { readonly records: AsyncGenerator<readonly Line[]> };

export function recordsIn(
  { chunks }: TextContent,
  format: Format,
  name: string,
  limits: TextLimits = {},
  onBroken = refuse,
): TextRecords {
  // One record of JSON that is broken breaks the whole text.
  if (format.kind === 'json')
    return { records: jsonRecords(decoded(chunks, utf8, name, refuse), name) };
  const lines = linesIn(decoded(chunks, utf8, name, onBroken), name, limits);
  const isTable = format.kind === 'csv' || format.kind === 'tsv';
  return isTable
    ? { rows: separatedRows(lines, format, name, limits) }
    : { records: mapped(lines, filledLine) };
}

/** @throws UsageError where the bytes are not what was said or broken at once, for a workbook that cannot be read, and for what is no text */
export async function openContent(
  source: ByteSource,
  form: ColumnWish,
  onBroken: OnBrokenText = refuse,
): Promise<SheetContent | TextContent> {
  const { name, regular } = source;
  const packed = await readAhead(source.chunks, tellsFormat);
  const { bytes: start, chunks } = startsWith(packed.bytes, gzip)
    ? await readAhead(gunzipped(packed.chunks, name), tellsFormat)
    : packed;
  if (isWorkbook(start, form, name))
    return (await import('./workbook.ts')).openSheet(chunks, name, form.sheet);
  // A mark wins over `encoding`, as in browsers, so that one command can read files of both kinds.
  const encoding =
    marks.find(({ bytes }) => startsWith(start, bytes))?.encoding ?? form.encoding ?? utf8;
  const text = textOnly(
    encoding === utf8 ? chunks : decoded(chunks, encoding, name, onBroken),
    name,
  );
  return readHead(text, regular ? () => undefined : (head) => tellingPart(head, form));
}

/** A byte may stand for a thousand, so few are unpacked at a time, and given on as small blocks: rows are made of a whole block. */
const [pieceSize, blockSize] = [4 * 1024, 64 * 1024];

/** @throws UsageError naming the line where packed bytes are broken or end too early; the text before them comes first */
async function* gunzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip({ chunkSize: blockSize });
  const unpacked: Buffer[] = [];
  let line = 1;
  let failure: unknown;
  const take = function* (): Generator<Buffer> {
    for (const bytes of unpacked.splice(0)) {
      line += countLines(bytes);
      yield bytes;
    }
    if (failure !== undefined) throw brokenGzip(name, line, failure);
  };
  let written = (): void => {};
  // `for await` would lose what was unpacked before an error.
  gunzip
    .on('data', (bytes: Buffer) => unpacked.push(bytes))
    .on('error', (error) => {
      failure = error;
      written();
    });
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      // Where the bytes are broken, `write` does not call back.
      written = resolve;
      gunzip.write(bytes, () => resolve());
    });
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += pieceSize) {
        await write(chunk.subarray(at, at + pieceSize));
        yield* take();
      }
    }
    await finished(gunzip.end()).catch(() => undefined);
    yield* take();
  } finally {
    gunzip.destroy();
  }
}

function brokenGzip(name: string, line: number, error: unknown): UsageError {
  const why = error instanceof Error ? error.message : String(error);
  const what =
    systemCodeOf(error) === 'Z_BUF_ERROR'
      ? 'ends too early, it was cut off'
      : `is broken here or later (${why})`;
  return mistakeIn(
    name,
    `the gzip ${what}`,
    'Fetch or write the file again; gunzip -t FILE checks it.',
    { line },
  );
}

function isWorkbook(
  start: Buffer,
  { inputFormat: format, sheet, encoding }: FileForm,
  name: string,
): boolean {
  const isZip = startsWith(start, zip);
  refuseBinary(start, isZip, name);
  if (isZip && (format === undefined || format === 'xlsx')) {
    if (encoding === undefined) return true;
    throw new UsageError(`${name} is a workbook, which has no other encoding`, {
      item: '--encoding',
      hint: 'Leave --encoding out.',
    });
  }
  if ((format ?? kindByName(name)) === 'xlsx') {
    refuseOtherText(start.toString('utf8'), false, name);
    const hint =
      'Save it as .xlsx without a password, or the sheet as CSV UTF-8. Of text, say what it is with --input-format.';
    throw mistakeIn(name, 'is no workbook (.xlsx)', hint);
  }
  if (isZip)
    throw mistakeIn(
      name,
      'is binary: a workbook or a ZIP archive',
      'A workbook is read where --input-format is xlsx, or is not given.',
    );
  if (sheet !== undefined) {
    throw new UsageError(`--sheet goes with a workbook (.xlsx), which ${name} is not`, {
      item: '--sheet',
      hint: 'Leave --sheet out.',
    });
  }
  if (startsWith(start, gzip))
    throw mistakeIn(
      name,
      'is gzip within gzip',
      'Unpack it once, for example: gunzip -c FILE | pdi … -i -',
    );
  return false;
}

/** A format is told by so many bytes. A NUL byte among them means no text; a later one only spoils its row. */
const beginning = 64 * 1024;

async function* textOnly(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let [offset, line] = [0, 1];
  for await (const chunk of chunks) {
    if (offset < beginning) {
      refuseNul(chunk, name, line);
      line += countLines(chunk);
    }
    offset += chunk.length;
    yield chunk;
  }
}

/** Whether no more bytes could make a signature or a mark, so that a slow pipe does not have to wait. */
function tellsFormat(start: Buffer): boolean {
  if (start.length >= bytesLookedAt) return true;
  if (startsWith(start, zip) || start.includes(0)) return false;
  const beginnings = [zip, gzip, ...marks.map(({ bytes }) => bytes)];
  return !beginnings.some(
    (bytes) => start.length < bytes.length && startsWith(start, bytes.slice(0, start.length)),
  );
}

const startsWith = (start: Buffer, bytes: string): boolean =>
  start.toString('latin1', 0, bytes.length) === bytes;

/** A spreadsheet that saves such a file again may add a separator for each column. The line end stays, so that lines keep their numbers. */
const separatorLine = /^((?:[^\S\n]*\n)*)"?sep=([^\w\s"]|\t)"?[,;\t|]*(?=\r{0,2}\n)/i;
const maxSeparatorLine = 1000;

/** The head is the same however the bytes arrive: `telling` gives what of it tells the kind of a pipe. */
async function readHead(
  source: AsyncGenerator<Buffer>,
  telling: (head: string) => string | undefined,
): Promise<TextContent> {
  let told: string | undefined;
  const { bytes } = await readAhead(source, (ahead, last) => {
    const end = endOfBeginning(ahead);
    if (end === undefined && !last.includes(newline)) return false;
    const text = withoutMark(ahead.subarray(0, end)).toString('utf8');
    told = telling(text) ?? (end === undefined ? undefined : text);
    return told !== undefined;
  });
  const content = withoutMark(bytes);
  const [taken, blankLines = '', separator] =
    separatorLine.exec(content.toString('latin1', 0, maxSeparatorLine)) ?? [];
  if (taken === undefined || separator === undefined)
    return {
      head: told ?? content.toString('utf8'),
      bytes: content,
      chunks: startingWith([content], source),
    };
  const rest = Buffer.concat([
    content.subarray(0, blankLines.length),
    content.subarray(taken.length),
  ]);
  return { ...(await readHead(startingWith([rest], source), telling)), separator };
}

const withoutMark = (bytes: Buffer): Buffer =>
  startsWith(bytes, utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes;

/** The line that is begun is taken whole, up to what a line may be, because a header may be longer than that. JSON, also in one line, has none. */
function endOfBeginning(ahead: Buffer): number | undefined {
  if (ahead.length < beginning) return undefined;
  if (/^\s*[[{]/.test(ahead.toString('latin1', 0, bytesLookedAt))) return beginning;
  const lineEnd = ahead.indexOf(newline, beginning - 1);
  if (lineEnd >= 0) return lineEnd + 1;
  return ahead.length < maxLineLength ? undefined : maxLineLength;
}

/** `chunks` are all of the source, with `bytes` at their beginning. */
export async function readAhead(
  source: AsyncGenerator<Buffer>,
  isEnough: (ahead: Buffer, last: Buffer) => boolean,
) {
  let bytes: Buffer = Buffer.alloc(0);
  for (let next = await source.next(); !next.done; next = await source.next()) {
    bytes = Buffer.concat([bytes, next.value]);
    if (isEnough(bytes, next.value)) break;
  }
  return { bytes, chunks: startingWith([bytes], source) };
}
