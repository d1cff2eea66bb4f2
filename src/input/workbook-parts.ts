/** Finds the parts of a workbook in its archive, by their relationships, and reads their XML as it is unpacked. */
import { posix } from 'node:path';
import { promisify, TextDecoder } from 'node:util';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { attempt, type UsageError } from '../errors.ts';
import { mistakeIn } from './lines.ts';

export const tooLarge = (name: string, what: string): UsageError =>
  mistakeIn(name, what, 'Save the sheet as CSV UTF-8, which may be of any size.');

/** No workbook of people comes near these; what does was made to fill the memory. */
const maxParts = 20_000;
const maxUnpacked = 480 * 1024 * 1024;
const maxDepth = 100;

/** Values of a sheet seldom shrink more than tenfold; cells without a value shrink a hundredfold and more, and are not kept. */
const unpackedLimits = {
  values: (packed: number): number => Math.min(maxUnpacked, 8 * 1024 * 1024 + 25 * packed),
  formats: (packed: number): number => Math.min(maxUnpacked, 64 * 1024 * 1024 + 200 * packed),
} as const;

export interface Element {
  readonly name: string;
  readonly within: string | undefined;
  /** Of two attributes with one local name, such as `id` and `r:id`, the one with a prefix has it here in full. */
  attribute(name: string): string | undefined;
}

export interface XmlReader {
  opened(element: Element): void;
  closed?(name: string): void;
  text?(text: string, within: string): void;
  /** Makes a piece of XML shorter, between two tags, before it is parsed. */
  shortened?(xml: string): string;
}

const elementOf = ({ name, attributes }: SaxesTagPlain, within: string | undefined): Element => ({
  // Each program chooses its own prefix.
  name: name.slice(name.indexOf(':') + 1),
  within,
  attribute: (name) => {
    if (Object.hasOwn(attributes, name)) return attributes[name];
    const prefixed = Object.keys(attributes).find((key) => key.endsWith(`:${name}`));
    return prefixed === undefined ? undefined : attributes[prefixed];
  },
});

export class Archive {
  private constructor(
    readonly name: string,
    readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws Error for bytes that are no whole ZIP archive */
  static async open(bytes: Buffer, name: string): Promise<Archive> {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      fromBuffer(wholeArchive(bytes), { lazyEntries: true }, (error, opened) =>
        error === null ? resolve(opened) : reject(error),
      );
    });
    const entries = new Map<string, Entry>();
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject).on('end', () => resolve());
      zip.on('entry', (entry: Entry) => {
        entries.set(partKey(entry.fileName), entry);
        if (entries.size > maxParts) reject(tooLarge(name, `holds more than ${maxParts} files`));
        else zip.readEntry();
      });
      zip.readEntry();
    });
    return new Archive(name, zip, entries);
  }

  has(path: string): boolean {
    return this.entries.has(partKey(path));
  }

  /** The bytes of all parts, whatever they are. */
  async *parts(): AsyncGenerator<Buffer> {
    const { zip } = this;
    for (const entry of this.entries.values()) {
      for await (const chunk of await promisify(zip.openReadStream.bind(zip))(entry))
        yield Buffer.from(chunk);
      yield Buffer.from('\n\n');
    }
  }

  /** Reads a part, in the order of its text; nothing without a path. @throws Error for broken XML, UsageError for too much of it */
  async read(path: string | undefined, reader: XmlReader): Promise<void> {
    if (path === undefined) return;
    const { name, zip, entries } = this;
    const entry = entries.get(partKey(path));
    if (entry === undefined) throw new Error(`${path} is missing`);
    const { compressedSize: packed, uncompressedSize } = entry;
    if (uncompressedSize > unpackedLimits.formats(packed))
      throw tooLarge(name, unpacksToo(uncompressedSize));
    const stream = await promisify(zip.openReadStream.bind(zip))(entry);
    const parser = parserFor(reader);
    let left = unpackedLimits.values(packed);
    let pending = '';
    let decoder: TextDecoder | undefined;
    const write = (text: string): void => {
      const shortened = reader.shortened?.(text) ?? text;
      left -= shortened.length;
      if (left < 0) throw tooLarge(name, unpacksToo(uncompressedSize));
      parser.write(shortened);
    };
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
      pending += decoder.decode(bytes, { stream: true });
      if (pending.length < pieceLength) continue;
      // A text may go on for long, and then it is no use to look for its end again and again.
      const end = pending.lastIndexOf('>') + 1 || pending.length;
      write(pending.slice(0, end));
      pending = pending.slice(end);
    }
    write(pending + (decoder?.decode() ?? ''));
    parser.close();
  }

  async relationshipsOf(path: string): Promise<ReadonlyMap<string, Relationship>> {
    const found = new Map<string, Relationship>();
    const folder = posix.dirname(path);
    const own = posix.join(folder, '_rels', `${posix.basename(path)}.rels`);
    if (!this.has(own)) return found;
    await this.read(own, {
      opened: ({ name, attribute }) => {
        const [id, target] = [attribute('Id'), attribute('Target')];
        if (name !== 'Relationship' || id === undefined || target === undefined) return;
        const type = (attribute('Type') ?? '').split('/').at(-1) ?? '';
        const isExternal = attribute('TargetMode')?.toLowerCase() === 'external';
        found.set(id, { type, target: isExternal ? target : pathFrom(folder, target) });
      },
    });
    return found;
  }
}

const endMark = Buffer.from('PK\x05\x06', 'latin1');
/** In the record at the end of an archive. */
const endRecord = { directorySize: 12, directoryAt: 16, commentLength: 20, length: 22 } as const;

/** Mail programs and downloads leave bytes behind an archive: it ends with the last record whose figures fit its place. */
function wholeArchive(bytes: Buffer): Buffer {
  for (let at = bytes.lastIndexOf(endMark); at > 0; at = bytes.lastIndexOf(endMark, at - 1)) {
    if (at + endRecord.length > bytes.length) continue;
    const end = at + endRecord.length + bytes.readUInt16LE(at + endRecord.commentLength);
    const directoryEnd =
      bytes.readUInt32LE(at + endRecord.directoryAt) +
      bytes.readUInt32LE(at + endRecord.directorySize);
    if (end <= bytes.length && directoryEnd <= at) return bytes.subarray(0, end);
  }
  return bytes;
}

/** Programs differ in the case of a path, and in whether a blank of it is written as `%20`. */
function partKey(path: string): string {
  const lower = path.replace(/^\/+/, '').toLowerCase();
  return attempt(() => decodeURIComponent(lower)) ?? lower;
}

const pieceLength = 64 * 1024;

const unpacksToo = (size: number): string =>
  `unpacks to ${Math.ceil(size / 1024 / 1024)} MiB, far more than a workbook of its size holds`;

function parserFor(reader: XmlReader): SaxesParser {
  const parser = new SaxesParser();
  const open: string[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const element = elementOf(tag, open.at(-1));
    open.push(element.name);
    if (open.length > maxDepth) throw new Error('it is nested too deep');
    reader.opened(element);
  });
  parser.on('closetag', () => {
    const name = open.pop() ?? '';
    reader.closed?.(name);
  });
  const take = (text: string) => {
    // How a text is read aloud (ruby) is no part of it.
    if (open.at(-2) !== 'rPh') reader.text?.(text, open.at(-1) ?? '');
  };
  parser.on('text', take);
  parser.on('cdata', take);
  return parser;
}

/** XML is UTF-8 unless a mark or its first line says otherwise. */
function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  const [, named = 'utf-8'] =
    /^[^<]*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200)) ??
    [];
  return /^utf-?16/i.test(named) ? 'utf-8' : named;
}

interface Relationship {
  /** The last word of its type: `worksheet`, `sharedStrings`, `hyperlink`. */
  readonly type: string;
  readonly target: string;
}

/** A target may begin at the root, go up, or be written with backslashes. */
const pathFrom = (folder: string, target: string): string => {
  const path = target.replaceAll('\\', '/');
  return posix.normalize(path.startsWith('/') ? path.slice(1) : posix.join(folder, path));
};
