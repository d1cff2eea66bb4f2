/** A SOCKS5 proxy, with a small one of the test's own. */
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listening } from '../support/origin.ts';
import { clientFor, failureIn, getPerson, ok, person, serve } from './calling.ts';

/** Where the proxy stops to do what it should: it hangs up or is silent at a step, speaks HTTP, or refuses the tunnel. */
type Manner =
  | 'good'
  | 'hangs up at once'
  | 'hangs up later'
  | 'silent at once'
  | 'silent later'
  | 'speaks HTTP at once'
  | 'refuses the login'
  | 'refuses';

interface SocksProxy {
  readonly url: string;
  /** Logins and targets, as they came. */
  readonly seen: string[];
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>;
}

async function startSocks(manner: Manner, { login = false } = {}): Promise<SocksProxy> {
  const seen: string[] = [];
  const open = new Set<Socket>();
  const proxy = createServer(async (socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    await next(socket);
    if (manner === 'hangs up at once') socket.end();
    if (manner === 'speaks HTTP at once') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    if (manner.endsWith('at once')) return;
    if (manner === 'refuses the login' && !login) socket.end(Buffer.from([5, 255]));
    else socket.write(Buffer.from([5, login ? 2 : 0]));
    if (login) {
      const given = await next(socket);
      const nameEnd = 2 + (given[1] ?? 0);
      seen.push(`${given.toString('utf8', 2, nameEnd)} ${given.toString('utf8', nameEnd + 1)}`);
      socket.write(Buffer.from([1, manner === 'refuses the login' ? 1 : 0]));
    }
    const asked = await next(socket);
    const port = asked.readUInt16BE(asked.length - 2);
    seen.push(`${asked[3] === 3 ? asked.toString('utf8', 5, asked.length - 2) : [...asked.subarray(4, 8)].join('.')}:${port}`);
    if (manner === 'hangs up later') socket.end();
    if (manner.endsWith('later')) return;
    socket.write(Buffer.from([5, manner === 'refuses' ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (manner === 'good') socket.pipe(connect(port, '127.0.0.1')).pipe(socket);
  });
  const port = await listening(proxy);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  return { url: `socks5://127.0.0.1:${port}`, seen, open };
}

/** The next piece that comes; the steps are too short to come in two. */
const next = (socket: Socket): Promise<Buffer> => new Promise((resolve) => socket.once('data', resolve));

test.each(['socks5', 'socks5h', 'socks'])('%s: the proxy looks the name up, and the answer comes back whole', async (scheme) => {
  const proxy = await startSocks('good');
  const { baseUrl, requests } = await serve(() => ok);
  const named = baseUrl.replace('127.0.0.1', 'service.invalid');
  const { client } = await clientFor(named, { proxy: { httpProxy: proxy.url.replace('socks5', scheme) } });
  expect((await client.call(getPerson, person)).record.value).toEqual(ok.json);
  expect([requests.length, proxy.seen]).toEqual([1, [new URL(named).host]]);
});

test('a name and password in its address are used, and decoded', async () => {
  const proxy = await startSocks('good', { login: true });
  const { client } = await serve(() => ok, { proxy: { httpProxy: proxy.url.replace('//', '//a%40b:c%3Ad@') } });
  await client.call(getPerson, person);
  expect(proxy.seen[0]).toBe('a@b c:d');
});

test.each([
  ['that wants a name and password', {}, 'the proxy wants a name and password: socks5://NAME:PASSWORD@HOST:PORT'],
  ['that refuses them', { login: true }, 'the proxy refused the name and password in its address'],
])('one %s is told of as the proxy', async (_what, { login = false }: { login?: boolean }, words) => {
  const proxy = await startSocks('refuses the login', { login });
  const url = login ? proxy.url.replace('//', '//ada:secret@') : proxy.url;
  const { client, requests } = await serve(() => ok, { proxy: { httpProxy: url } });
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({ billed: 'no', message: `Get person by id: ${words}` });
  expect(requests).toEqual([]);
});

test('NO_PROXY goes past it', async () => {
  const proxy = await startSocks('refuses');
  const { client } = await serve(() => ok, { proxy: { httpProxy: proxy.url, noProxy: '127.0.0.1' } });
  expect((await client.call(getPerson, person)).record.value).toEqual(ok.json);
});

test('one that finds the connection refused is asked again, as the service is without a proxy', async () => {
  const proxy = await startSocks('refuses');
  const { client } = await serve(() => ok, { proxy: { httpProxy: proxy.url } });
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({ code: 'unavailable', billed: 'no', retryable: true });
  expect(proxy.seen).toHaveLength(3);
});

describe.each<[Manner, string]>([
  ['hangs up at once', 'the proxy closed the connection'],
  ['hangs up later', 'the proxy closed the connection'],
  ['silent at once', 'no connection within 0.2 s'],
  ['silent later', 'no connection within 0.2 s'],
  ['speaks HTTP at once', 'the proxy does not speak SOCKS5: its address may begin with http://'],
  ['refuses', 'SOCKS5 connection failed: Connection refused'],
])('one that %s', (manner, words) => {
  test('fails in time, was not billed, and leaves no connection behind', async () => {
    const proxy = await startSocks(manner);
    const timeoutMs = manner.startsWith('silent') ? 200 : 20_000;
    const { client, requests } = await serve(() => ok, { proxy: { httpProxy: proxy.url }, retries: 0, timeoutMs });
    expect(await failureIn(client.call(getPerson, person))).toMatchObject({ billed: 'no', message: `Get person by id: ${words}` });
    await client.close();
    await expect.poll(() => proxy.open.size, { timeout: 300_000 }).toBe(0);
    expect(requests).toEqual([]);
  });
});
