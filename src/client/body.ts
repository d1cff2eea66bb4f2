/** Collects the bytes of one answer up to a bound, unpacks them where a gateway packed them unasked, and gives them as text. */
import { isUtf8 } from 'node:buffer';

/** This is twenty times the largest page of the API, counted after unpacking, so that no answer can fill the memory. */
const maxBodyBytes = 16 * 1024 * 1024;

class TooLarge extends Error {
  constructor() {
    super(`the answer is larger than ${maxBodyBytes / 1024 / 1024} MB`);
  }
}

export class Body {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > maxBodyBytes) throw new TooLarge();
    this.chunks.push(chunk);
  }

  /** Gives the whole text, decoded by its content encoding. @throws TooLarge */
  async text(encoding: string | undefined): Promise<string> {
    const bytes = this.bytes();
    return textOf(encoding === undefined || bytes.length === 0 ? bytes : await unpacked(bytes, encoding.trim().toLowerCase()));
  }

  private bytes(): Buffer {
    const [only, ...others] = this.chunks;
    return only !== undefined && others.length === 0 ? only : Buffer.concat(this.chunks);
  }
}

/** Text that is not UTF-8 cannot be JSON. The NUL at its end makes the decoder refuse it instead of repairing it silently. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) return bytes.toString('latin1').concat('\u0000');
  // RFC 8259, section 8.1, allows a reader to ignore a byte order mark.
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }, done: (error: Error | null, plain: Buffer) => void) => void;

/** Some gateways compress without being asked. What cannot be unpacked stays as it is, and the decoder refuses it. */
async function unpacked(bytes: Buffer, encoding: string): Promise<Buffer> {
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib');
  // RFC 9110, 8.4.1.2: some send deflate without the zlib wrapper, which begins with the number 8 of its method.
  const deflate = ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw;
  const known: Readonly<Record<string, Unpack>> = { gzip: gunzip, 'x-gzip': gunzip, deflate, br: brotliDecompress };
  const unpack = Object.hasOwn(known, encoding) ? known[encoding] : undefined;
  if (unpack === undefined) return bytes;
  return new Promise((resolve, reject) => {
    unpack(bytes, { maxOutputLength: maxBodyBytes }, (error, plain) => {
      if (error === null) resolve(plain);
      else if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') reject(new TooLarge());
      else resolve(bytes);
    });
  });
}
