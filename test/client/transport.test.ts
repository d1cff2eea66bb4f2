/** What can go wrong on the wire, over sockets that answer as they please: what is sent again and what is not. */
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConnections } from '../../src/client/connections.ts';
import { transportOver } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { wasMended } from '../../src/json/exact.ts';
import { gate } from '../support/later.ts';
import { listening } from '../support/origin.ts';
import { type RawOrigin, rawOrigin } from '../support/raw-origin.ts';
import { batch, clientFor, failureIn, getPerson, person, resolvePeople, serve } from './calling.ts';

const ok = '{"person_id":"per_1"}';
const answer = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

/** A server of bare sockets, and a client of it; `onRequest` is called for each whole request, `count` from 1. */
async function raw(
  onRequest: (socket: Socket, count: number) => void,
  options: Parameters<typeof clientFor>[1] = {},
) {
  const service: RawOrigin = await rawOrigin(({ socket }) => onRequest(socket, service.requests()));
  onTestFinished(() => service.close());
  const baseUrl = `http://127.0.0.1:${service.port}/api/v1`;
  return { ...(await clientFor(baseUrl, options)), ...service, baseUrl };
}

test.each([
  ['an alert', (socket: Socket) => void socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))],
  [
    'words',
    (socket: Socket) =>
      void socket.end(
        answer('Client sent an HTTP request to an HTTPS server.').replace('200 OK', '400 No'),
      ),
  ],
])('a port that speaks TLS, and says so in %s, has not seen the call', async (_name, say) => {
  const { client, requests } = await raw(say);
  const failure = await failureIn(client.call(getPerson, person));
  expect(failure).toMatchObject({
    code: 'unavailable',
    billed: 'no',
    message: expect.stringContaining('its address begins with https://'),
  });
  expect(requests()).toBe(1);
});

describe('an answer that is lost', () => {
  const closed = 'the connection was closed';
  const losses: readonly (readonly [string, (socket: Socket) => void, string])[] = [
    ['closed without a word', (socket) => void socket.end(), closed],
    ['reset', (socket) => void socket.resetAndDestroy(), 'the connection was'],
    ['closed in the headers', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le'), closed],
    [
      'closed in the body',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"person_id"'),
      closed,
    ],
    [
      'closed in a chunk',
      (socket) =>
        void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":'),
      closed,
    ],
    ['no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH\r\n'), ''],
  ];

  test.each(losses)('%s: a charged call is sent once', async (_name, lose, words) => {
    const { client, requests } = await raw(lose);
    const failure = await failureIn(client.call(getPerson, person, { item: 'per_1' }));
    expect(failure).toMatchObject({
      code: 'unavailable',
      status: undefined,
      billed: 'unknown',
      retryable: false,
    });
    expect(failure.message).toContain(`Get person by id, per_1: ${words}`);
    expect(requests()).toBe(1);
  });

  test.each(losses)('%s: a free call is sent again', async (_name, lose) => {
    const { client, requests } = await raw((socket, count) =>
      count < 3 ? lose(socket) : void socket.write(answer('[]')),
    );
    expect((await client.call(resolvePeople, batch)).record.value).toEqual([]);
    expect(requests()).toBe(3);
  });

  describe('of which the status says enough', () => {
    const cut = (status: number) =>
      `HTTP/1.1 ${status} No\r\nRetry-After: 0\r\nContent-Length: 99\r\n\r\n{"errorCode"`;

    test.each([
      ['429 cut short', (socket: Socket) => void socket.end(cut(429))],
      ['503 cut short', (socket: Socket) => void socket.end(cut(503))],
      [
        '503 reset',
        (socket: Socket) =>
          void socket.write(cut(503), () => setImmediate(() => socket.resetAndDestroy())),
      ],
      ['503 that never ends', (socket: Socket) => void socket.write(cut(503))],
    ])('%s: it was not carried out, and is sent again', async (_name, refuse) => {
      const { client, requests } = await raw(
        (socket, count) => (count === 1 ? refuse(socket) : void socket.write(answer(ok))),
        {
          timeoutMs: 500,
        },
      );
      expect((await client.call(getPerson, person)).status).toBe(200);
      expect(requests()).toBe(2);
    });

    test.each([
      [401, 'auth', 'no'],
      [500, 'unavailable', 'unknown'],
    ])('%d cut short', async (status, code, billed) => {
      const { client, requests } = await raw((socket) => void socket.end(cut(status)));
      expect(await failureIn(client.call(getPerson, person))).toMatchObject({
        status,
        code,
        billed,
      });
      expect(requests()).toBe(1);
    });
  });

  test.each([
    ['before the headers', () => {}],
    ['in the headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n')],
    [
      'in the body',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{'),
    ],
  ])('a timeout %s', async (_name, hang) => {
    const { client, requests } = await raw(hang, { timeoutMs: 250, retries: 1 });
    const failure = await failureIn(client.call(getPerson, person));
    expect(failure).toMatchObject({ code: 'unavailable', billed: 'unknown' });
    expect(failure.message).toContain('no complete answer within 0.25 s');
    expect(requests()).toBe(1);
    expect(await failureIn(client.call(resolvePeople, batch))).toMatchObject({
      code: 'unavailable',
      billed: 'no',
      retryable: true,
    });
    expect(requests()).toBe(3);
  });
});

describe('a request that is given up', () => {
  test('closes its connection', async () => {
    const closed = gate();
    const { client } = await raw((socket) => void socket.once('end', () => closed.open()), {
      timeoutMs: 250,
    });
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({
      billed: 'unknown',
      message: expect.stringContaining('within 0.25 s'),
    });
    await closed.opened;
  });

  test('while it waits for a connection, is never sent', async () => {
    const held = gate<Socket>();
    const { baseUrl, requests } = await raw(
      (socket, count) => void (count === 1 ? held.open(socket) : socket.write(answer(ok))),
    );
    const { origin } = new URL(baseUrl);
    const transport = transportOver(
      await openConnections(origin, { concurrency: 1, timeoutMs: 5000 }),
      () => performance.now(),
    );
    onTestFinished(() => transport.close());
    const send = (path: string, timeoutMs: number) =>
      transport.send({ method: 'GET', origin, path, headers: {} }, timeoutMs);
    const first = send('/first', 5000);
    const socket = await held.opened;
    await expect(send('/second', 30)).rejects.toMatchObject({ kind: 'refused' });
    socket.write(answer(ok));
    expect((await first).status).toBe(200);
    expect((await send('/third', 5000)).status).toBe(200);
    expect(requests()).toBe(2);
  });
});

describe('a connection that is not made', () => {
  test('refused: tried again, and nothing was billed', async () => {
    const { baseUrl, close } = await raw(() => {});
    await close();
    const { client, log } = await clientFor(baseUrl);
    const failure = await failureIn(client.call(getPerson, person));
    expect(failure).toMatchObject({ code: 'unavailable', billed: 'no', retryable: true });
    expect(failure.message).toContain('connection refused');
    expect(log.filter((line) => line.startsWith('>'))).toHaveLength(3);
  });

  test('a host name that is not known: not tried again', async () => {
    const { client, log } = await clientFor('http://service.invalid/api/v1');
    const failure = await failureIn(client.call(getPerson, person));
    expect(failure).toMatchObject({ code: 'unavailable', billed: 'no' });
    // A machine without any name server says so, and trying again is right.
    expect(failure.message).toMatch(/the host name is not known|the name server did not answer/);
    expect(log.length).toBeGreaterThan(0);
  });
});

test('a handshake that is never answered is broken off, though nobody closes the client', async () => {
  const closed = gate();
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .resume()
        .once('close', () => closed.open()),
  );
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const { client } = await clientFor(`https://127.0.0.1:${port}/api/v1`, {
    timeoutMs: 50,
    retries: 0,
  });
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({
    billed: 'no',
    message: expect.stringContaining('no connection'),
  });
  await closed.opened;
});

test('an alert of TLS is told without the place in the source of OpenSSL', async () => {
  const noApplicationProtocol = Buffer.from([21, 3, 3, 0, 2, 2, 120]);
  const server = createServer(
    (socket) =>
      void socket.on('error', () => {}).once('data', () => socket.end(noApplicationProtocol)),
  );
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const { client } = await clientFor(`https://127.0.0.1:${port}/api/v1`, { retries: 0 });
  const { message } = await failureIn(client.call(getPerson, person));
  expect(message).toMatch(
    /the other side does not speak TLS as it should: .* \([\w/]+ alert no application protocol\)$/,
  );
});

describe('connections kept open', () => {
  test('closed by the service while idle: the next charged call opens another', async () => {
    const closed: Promise<void>[] = [];
    const { client, requests } = await raw((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
      socket.end(answer(ok));
    });
    for (let call = 1; call <= 20; call += 1) {
      expect((await client.call(getPerson, person)).status).toBe(200);
      await Promise.all(closed);
    }
    expect(requests()).toBe(20);
  });

  test('closed with the answer, and used again at once', async () => {
    const { client, requests } = await raw(
      (socket) => void socket.end(answer(ok, 'Connection: close\r\n')),
    );
    for (let call = 1; call <= 50; call += 1)
      expect((await client.call(getPerson, person)).status).toBe(200);
    expect(requests()).toBe(50);
  });

  test('one loss does not touch the calls beside it', async () => {
    const { client } = await raw(
      (socket, count) => void (count === 2 ? socket.resetAndDestroy() : socket.write(answer(ok))),
    );
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, () => client.call(getPerson, person)),
    );
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('answers in an unusual dress', () => {
  test.each([
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n',
  ])('%j comes before it', async (early) => {
    const { client } = await raw((socket) => void socket.write(early + answer(ok)));
    expect((await client.call(getPerson, person)).record.value).toEqual({ person_id: 'per_1' });
  });

  /** Writes it piece by piece, with a turn of the event loop between them in which the client, in the same process, reads. */
  const inPieces = (socket: Socket, pieces: readonly (string | Buffer)[]) => {
    const [piece, ...rest] = pieces;
    socket.setNoDelay(true);
    if (piece !== undefined)
      socket.write(piece, () => setImmediate(() => setImmediate(() => inPieces(socket, rest))));
  };

  test('in many pieces, cut inside a character', async () => {
    const whole = Buffer.from(answer('{"person_id":"é😀"}'));
    const { client } = await raw((socket) =>
      inPieces(
        socket,
        [...whole].map((byte) => Buffer.from([byte])),
      ),
    );
    expect((await client.call(getPerson, person)).record.value).toMatchObject({ person_id: 'é😀' });
  });

  test.each<[encodings: string | string[], bytes: Buffer]>([
    ['gzip', gzipSync(ok)],
    ['X-GZIP', gzipSync(ok)],
    ['deflate', deflateSync(ok)],
    ['deflate', deflateRawSync(ok)],
    ['br', brotliCompressSync(ok)],
    ['identity', Buffer.from(ok)],
    ['deflate, gzip', gzipSync(deflateSync(ok))],
    [['gzip', 'identity'], gzipSync(ok)],
  ])('compressed unasked (%s)', async (encoding, bytes) => {
    const { client, requests } = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding).end(bytes);
      return undefined;
    });
    expect((await client.call(getPerson, person)).record.value).toEqual({ person_id: 'per_1' });
    expect(requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  const zoe = '{"person_id":7,"full_name":"Zoë"}';
  test.each<[charset: string, bytes: Buffer]>([
    ['ISO-8859-1', Buffer.from(zoe, 'latin1')],
    ['"windows-1252"', Buffer.from(zoe, 'latin1')],
    ['utf-16', Buffer.from(`\ufeff${zoe}`, 'utf16le')],
    ['iso-8859-1', Buffer.from(zoe)],
    ['of-nobody', Buffer.from(zoe)],
  ])('labelled charset=%s', async (charset, bytes) => {
    const { client } = await serve((_request, response) => {
      response.setHeader('content-type', `application/json; charset=${charset}`).end(bytes);
      return undefined;
    });
    expect((await client.call(getPerson, person)).record.value).toMatchObject({ full_name: 'Zoë' });
  });
});

test('an answer with a text that was cut between two bytes is taken, with half a character there', async () => {
  const cut = Buffer.concat([
    Buffer.from('{"person_id":7,"full_name":"Zo'),
    Buffer.from('ë').subarray(0, 1),
    Buffer.from('","about":"Léa"}'),
  ]);
  const { client } = await serve((_request, response) => {
    response.end(cut);
    return undefined;
  });
  const { record } = await client.call(getPerson, person);
  expect(record.value).toMatchObject({ full_name: 'Zo\ufffd', about: 'Léa' });
  expect(wasMended(record.value)).toBe(true);
});

describe.each(['identity', 'gzip'])('an answer (%s)', (encoding) => {
  const asked = async (size: number) => {
    const long = Buffer.from(`{"person_id":7,"about":"${'x'.repeat(size - 26)}"}`);
    const { client } = await serve((_request, response) => {
      response
        .writeHead(200, { 'content-encoding': encoding })
        .end(encoding === 'gzip' ? gzipSync(long) : long);
      return undefined;
    });
    return client.call(getPerson, person);
  };

  test('of 16 MB is taken', async () => {
    expect((await asked(16 * 1024 * 1024)).record.text).toHaveLength(16 * 1024 * 1024);
  });

  test('of more does not fill the memory', async () => {
    const failure = await failureIn(asked(16 * 1024 * 1024 + 1));
    expect(failure).toMatchObject({
      message: expect.stringContaining('larger than 16 MB'),
      billed: 'unknown',
    });
  });
});

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';
test.each([
  [
    'too many headers',
    `${head}${'X-Filler: 0123456789\r\n'.repeat(2000)}\r\n{}`,
    'more than 16 kB of headers',
  ],
  [
    'a folded header',
    'HTTP/1.1 200 OK\r\nX-A: b\r\n folded\r\n\r\n{}',
    'headers of the answer are broken',
  ],
  [
    'a folded header behind a length',
    `${head}X-A: b\r\n folded\r\n\r\n{}`,
    'its headers are broken',
  ],
  [
    'a NUL in a header',
    'HTTP/1.1 200 OK\r\nX-A: b\0c\r\n\r\n{}',
    'headers of the answer are broken',
  ],
  ['two lengths', `${head}Content-Length: 3\r\n\r\n{}`, 'its headers are broken'],
  [
    'a length that is no number',
    'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}',
    'gives its length twice',
  ],
  [
    'a broken chunk',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    'not cut into pieces as HTTP says',
  ],
  ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', 'does not answer in HTTP'],
  ['a broken status', 'HTTP/1.1 OK\r\n\r\n', 'does not answer in HTTP'],
  ['an impossible status', 'HTTP/1.1 099 OK\r\n\r\n', 'does not answer in HTTP'],
  ['another version', 'HTTP/7.3 200 OK\r\n\r\n', 'does not answer in HTTP'],
])(
  'an answer that is not HTTP as it should be is told in our own words: %s',
  async (_name, bytes, words) => {
    const { client } = await raw((socket) => void socket.write(bytes), { retries: 0 });
    const { message } = await failureIn(client.call(getPerson, person));
    expect(message).toContain(words);
    expect(message).not.toMatch(/HPE_|Overflow Error|does not match the HTTP/);
  },
);

describe('a server that closes idle connections', () => {
  /** Each connection takes one request, and is closed as the second arrives on it. */
  const closing = () => {
    const used = new WeakSet<Socket>();
    let answered = 0;
    let dropped = 0;
    const service = raw((socket) => {
      if (used.has(socket)) {
        dropped += 1;
        socket.destroy();
        return;
      }
      used.add(socket);
      answered += 1;
      socket.write(answer(ok));
    });
    return { service, counts: () => ({ answered, dropped }) };
  };

  test('charged calls take fresh connections after the first that was lost: at most one a connection', async () => {
    const { service, counts } = closing();
    const { client } = await clientFor((await service).baseUrl, { concurrency: 4 });
    let lost = 0;
    for (let round = 0; round < 25; round += 1) {
      const calls = [1, 2, 3, 4].map(() => client.call(getPerson, person).catch(() => undefined));
      for (const call of calls) if ((await call) === undefined) lost += 1;
    }
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(4);
    expect(counts()).toEqual({ answered: 100 - lost, dropped: lost });
  });

  test('a free call is asked again instead', async () => {
    const { service } = closing();
    const { client } = await clientFor((await service).baseUrl, { concurrency: 1 });
    for (let round = 0; round < 6; round += 1) {
      expect(
        await client.call(operations.checkHealth, { path: {} }).catch(({ message }) => message),
      ).toContain('status');
    }
  });
});
