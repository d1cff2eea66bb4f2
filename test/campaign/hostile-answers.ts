/** Answers that no sound service gives, and what the contract makes of each: the exit code, and words that its one line has. */
import { gzipSync } from 'node:zlib';
import { answerOf, drip, flood } from '../support/raw-origin.ts';
import {
  accepted,
  endless,
  type Hostile,
  head,
  hostile,
  late,
  lost,
  megabyte,
  notJson,
  raw,
  rawAndEnd,
  refusal,
  unavailable,
  unreadable,
} from './hostile.ts';
import { floods } from './hostile-floods.ts';

const onTheWire: readonly Hostile[] = [
  endless('headers that trickle', late, ({ socket }) => {
    socket.write(`${head}X-Slow: `);
    drip(socket, 'a');
  }),
  endless('a body that trickles', late, ({ socket }) => {
    socket.write(`${head}Content-Length: 99999\r\n\r\n{`);
    drip(socket, ' ');
  }),
  endless('silence', late, () => {}),
  hostile('closed before any byte', unavailable, lost, ({ socket }) => void socket.destroy()),
  hostile(
    'reset before any byte',
    unavailable,
    lost,
    ({ socket }) => void socket.resetAndDestroy(),
  ),
  hostile('half-closed before any byte', unavailable, lost, ({ socket }) => void socket.end()),
  hostile(
    'half-closed in the headers',
    unavailable,
    lost,
    rawAndEnd('HTTP/1.1 200 OK\r\nContent-'),
  ),
  hostile(
    'half-closed in the body',
    unavailable,
    lost,
    rawAndEnd(`${head}Content-Length: 50\r\n\r\n{"person_id"`),
  ),
  hostile(
    'closed in a chunk',
    unavailable,
    lost,
    rawAndEnd(`${head}Transfer-Encoding: chunked\r\n\r\nff\r\n{"a"`),
  ),
  hostile(
    'a chunk whose size is no number',
    unavailable,
    /./,
    raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
  ),
  hostile('no HTTP', unavailable, /./, rawAndEnd('220 mail.example ESMTP\r\n')),
  hostile('a megabyte of headers', unavailable, /./, ({ socket }) =>
    flood(socket, `${head}X-Long: ${'a'.repeat(megabyte)}\r\n\r\n`, 1),
  ),
  hostile('100 Continue unasked', unavailable, /./, raw('HTTP/1.1 100 Continue\r\n\r\n')),
  endless('103 without end', /./, ({ socket }) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')),
  hostile(
    '101 unasked',
    unavailable,
    /./,
    raw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  ),
  hostile(
    '204 where a body is due',
    unavailable,
    /it is empty/,
    raw('HTTP/1.1 204 No Content\r\n\r\n'),
  ),
  hostile(
    '205 where a body is due',
    unavailable,
    /it is empty/,
    raw('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n'),
  ),
  hostile(
    '304 unasked',
    unavailable,
    /unexpected answer/,
    raw('HTTP/1.1 304 Not Modified\r\n\r\n'),
  ),
  hostile(
    'a status that does not exist',
    unavailable,
    /999/,
    raw('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'),
  ),
  hostile(
    'a redirect in a circle',
    unavailable,
    /redirect/,
    ({ socket, path }) =>
      void socket.write(
        answerOf('', { status: '307 Temporary Redirect', headers: [`Location: ${path}`] }),
      ),
  ),
  hostile(
    'a length too small',
    unavailable,
    notJson,
    raw(`${head}Content-Length: 5\r\n\r\n{"person_id":"per_1"}`),
  ),
  hostile(
    'a length too large',
    unavailable,
    lost,
    rawAndEnd(`${head}Content-Length: 500\r\n\r\n{"person_id":"per_1"}`),
  ),
  endless(
    'a length too large, kept open',
    late,
    raw(`${head}Content-Length: 500\r\n\r\n{"person_id":"per_1"}`),
  ),
  hostile('a length below nothing', unavailable, /./, raw(`${head}Content-Length: -5\r\n\r\n{}`)),
  hostile(
    'two lengths',
    unavailable,
    /./,
    raw(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `),
  ),
];

const inTheBody: readonly Hostile[] = [
  accepted('the wrong content type', (sound) => sound, 'Content-Type: text/html'),
  unreadable(
    'a page of HTML',
    /a page of HTML/,
    () => '<html><body>Welcome</body></html>',
    'Content-Type: application/json',
  ),
  accepted('keys twice, the last one counts', (sound) =>
    sound.replaceAll(/("(?:person_id|query)":)/g, '$1"other",$1'),
  ),
  unreadable('invalid UTF-8', notJson, () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  unreadable('NUL bytes', notJson, (sound) => sound.replaceAll('"', '"\u0000')),
  accepted('NUL characters', (sound) => sound.replaceAll('Ada', 'A\\u0000da')),
  accepted('half a character', (sound) => sound.replaceAll('Ada', '\\ud83d')),
  unreadable('text after the end', notJson, (sound) => `${sound}${sound}`),
  unreadable('the wrong shape', /should be|is not as documented/, () => '"text"'),
  accepted('names of the prototype', (sound) =>
    sound.replace('{', '{"__proto__":{"polluted":1},"constructor":1,'),
  ),
  accepted('gzip unasked', (sound) => gzipSync(sound), 'Content-Encoding: gzip'),
  unreadable(
    'gzip cut short',
    /./,
    (sound) => gzipSync(sound).subarray(0, 15),
    'Content-Encoding: gzip',
  ),
  unreadable('gzip that is none', /./, () => 'not packed', 'Content-Encoding: gzip'),
  unreadable(
    'an encoding nobody knows',
    notJson,
    () => Buffer.from([1, 2, 3]),
    'Content-Encoding: zstd',
  ),
  hostile(
    'a message of a megabyte',
    [4, 4, 8],
    /not found/,
    refusal('404 Not Found', 'word '.repeat(200_000)),
  ),
  hostile(
    'a message that moves the cursor',
    [4, 4, 8],
    /not found/,
    refusal('404 Not Found', 'a\u001b[2J\u001b]0;title\u0007\r\nb\u202ec'),
  ),
  hostile(
    'an error body that is deep',
    unavailable,
    /500/,
    ({ socket }) =>
      void socket.write(answerOf('['.repeat(100_000), { status: '500 Internal Server Error' })),
  ),
];

const limited = (reset: string): Hostile =>
  hostile(
    `429, reset ${JSON.stringify(reset)}`,
    [6, 6, 6],
    /still rate limited/,
    refusal('429 Too Many Requests', 'slow down', `X-RateLimit-Reset: ${reset}`),
  );

const paced = (headers: string): Hostile =>
  accepted(`an answer with ${headers}`, (sound) => sound, ...headers.split(', '));

const ofLimits: readonly Hostile[] = [
  ...[
    'Wed, 21 Oct 2026 07:28:00 GMT',
    '-5',
    '1e308',
    'Infinity',
    'NaN',
    '1790000000',
    '9'.repeat(400),
    '0x7fffffff',
    '',
  ].map(limited),
  paced('X-RateLimit-Remaining: 0, X-RateLimit-Reset: 1e308'),
  paced('X-RateLimit-Remaining: -1, X-RateLimit-Reset: -1, X-RateLimit-Limit: 0'),
  paced('X-RateLimit-Remaining: 99999999999999999999, X-RateLimit-Limit: none'),
];

export const hostileAnswers: readonly Hostile[] = [
  ...onTheWire,
  ...inTheBody,
  ...ofLimits,
  ...floods,
];
