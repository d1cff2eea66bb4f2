/** Answers that are made to take all the memory, or all the stack. */
import { gzipSync } from 'node:zlib';
import { flood } from '../support/raw-origin.ts';
import { body, fine, type Hostile, head, large, megabyte, never } from './hostile.ts';

const deep = (open: string, inside: string, close: string, levels = 100_000) =>
  body((sound) =>
    sound.replace('{', `{"x":${open.repeat(levels)}${inside}${close.repeat(levels)},`),
  );

const tooLarge = /larger than|too large/;

const zeros = `${'0,'.repeat(190_000)}0`;

const swollen = (
  name: string,
  says: RegExp,
  make: (sound: string) => string | Uint8Array,
  ...headers: string[]
): Hostile => large(name, says, body(make, ...headers));

/** Bodies that take memory or depth. */
export const floods: readonly Hostile[] = [
  large('100 MB, announced', tooLarge, ({ socket }) => {
    socket.write(`${head}Content-Length: ${100 * megabyte}\r\n\r\n"`);
    flood(socket, Buffer.alloc(megabyte, 'a'), 100);
  }),
  large('100 MB, not announced', /larger than|no complete answer/, ({ socket }) => {
    socket.write(`${head}Connection: close\r\n\r\n[`);
    flood(socket, Buffer.alloc(megabyte, '[],'), 100);
  }),
  swollen('1 GB, packed', tooLarge, () => bomb(), 'Content-Encoding: gzip'),
  large('100,000 levels of arrays', /too deep/, deep('[', '', ']')),
  large('100,000 levels of objects', /too deep/, deep('{"a":', '1', '}')),
  large(
    '100,000 levels around a long number',
    /too deep/,
    deep('[', '0.12345678901234567890', ']'),
  ),
  large('9,000 levels', /too deep/, deep('[', '', ']', 9_000)),
  large('9,000 levels with brothers', /too deep/, deep('[[],', '1', ']', 9_000)),
  swollen('four million values', /too many values/, () => `[${'0,'.repeat(4_000_000)}0]`),
  swollen('many wrong records', /should be|190001 groups/, () => `[${zeros}]`),
  {
    ...swollen('6 MB in one field', never, (sound) =>
      sound.replaceAll('Ada', 'a'.repeat(6 * megabyte)),
    ),
    codes: fine,
  },
];

/** A GB of blanks in few bytes: a packed text may have many parts. */
const bomb = (): Buffer =>
  Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * megabyte, ' '))));
