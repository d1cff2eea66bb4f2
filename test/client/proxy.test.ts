/** The proxy variables, with a small proxy of the test's own. */
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFrom } from '../../src/client/connections.ts';
import { it } from '../support/it.ts';
import { gate, warningsHeard } from '../support/later.ts';
import { listening } from '../support/origin.ts';
import { errorOf, pdi } from '../support/service.ts';
import { clientFor, failureIn, getPerson, ok, person, serve } from './calling.ts';

/** Tunnels CONNECT and forwards absolute URLs; `seen` has the request lines. */
async function startProxy(refusal?: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const onward = request(
      incoming.url ?? '',
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  proxy.on('connection', (socket) => sockets.add(socket));
  proxy.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`.trim());
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      return;
    }
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => {});
    sockets.add(onward);
  });
  const port = await listening(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${port}`, seen };
}

const http = (httpProxy: string, noProxy: string) => ({ httpProxy, noProxy });

test.each([
  [{}, undefined],
  [{ NO_PROXY: '*' }, undefined],
  [{ HTTP_PROXY: '', https_proxy: ' ' }, undefined],
  [{ HTTPS_PROXY: 'http://a' }, { httpsProxy: 'http://a' }],
  [{ HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }, { httpsProxy: 'http://b' }],
  [{ HTTP_PROXY: 'http://a', no_proxy: 'x', NO_PROXY: 'y' }, http('http://a', 'x')],
  [{ HTTP_PROXY: 'http://a', NO_PROXY: 'y' }, http('http://a', 'y')],
  [
    { HTTP_PROXY: 'a', NO_PROXY: ' localhost, ::1 [0::2],.y.example:80 ' },
    http('http://a', 'localhost,[::1],[::2],.y.example:80'),
  ],
  [{ HTTP_PROXY: 'http://a', NO_PROXY: ' *\n' }, http('http://a', '*')],
  [{ HTTP_PROXY: 'http://a', no_proxy: '', NO_PROXY: 'y' }, http('http://a', 'y')],
  [{ HTTP_PROXY: '127.0.0.1:9' }, { httpProxy: 'http://127.0.0.1:9' }],
  [{ http_proxy: 'localhost:3128' }, { httpProxy: 'http://localhost:3128' }],
  [{ HTTPS_PROXY: ' ada:secret@proxy ' }, { httpsProxy: 'http://ada:secret@proxy' }],
  [{ ALL_PROXY: 'a:1' }, { httpProxy: 'http://a:1', httpsProxy: 'http://a:1' }],
  [
    { ALL_PROXY: 'http://a', all_proxy: 'http://b', HTTP_PROXY: 'http://c', HTTPS_PROXY: '' },
    { httpProxy: 'http://c', httpsProxy: 'http://b' },
  ],
  [{ HTTP_PROXY: 'http://ada:secret@a:1/proxy.pac?x=1#y' }, { httpProxy: 'http://ada:secret@a:1' }],
  [{ HTTP_PROXY: 'a:1\\b' }, { httpProxy: 'http://a:1' }],
])('which variables count: %j', (env, settings) => {
  expect(proxyFrom(env)).toEqual(settings);
});

it.for(['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])(
  '%s that is no address is a usage error that hides it',
  async (name, { service, pdi: asked }) => {
    for (const value of [
      'ada:secret@',
      'http://ada:secret@host:99999',
      'ftp://ada:secret@host',
      'http://ada%:41secret@host',
      '://',
    ]) {
      const result = await asked('health', { env: { [name]: value } });
      expect([result.code, result.stdout]).toEqual([2, '']);
      expect(errorOf(result)).toMatchObject({
        code: 'usage',
        item: name,
        message: expect.stringContaining(name),
      });
      expect(result.stderr).not.toContain('secret');
    }
    expect(service.requests()).toEqual({});
  },
);

test.each([
  'socks5://ada:secret@host:1080',
  'SOCKS5H://ada:secret@host',
  'socks4a://ada:secret@host:1',
  'socks://host',
])('a proxy that speaks SOCKS is refused by name: %s', async (value) => {
  const result = await pdi('health', {
    env: { PDI_BASE_URL: 'http://127.0.0.1:9/api/v1', ALL_PROXY: value },
  });
  const refusal = {
    code: 'usage',
    item: 'ALL_PROXY',
    message: 'ALL_PROXY names a SOCKS proxy, and pdi speaks to HTTP proxies alone',
  };
  expect([result.code, errorOf(result)]).toEqual([2, expect.objectContaining(refusal)]);
  expect(result.stderr).not.toContain('secret');
});

test('requests go through it, and come back whole', async () => {
  const proxy = await startProxy();
  const { client, requests, baseUrl } = await serve(() => ok, { proxy: { httpProxy: proxy.url } });
  expect((await client.call(getPerson, person)).record.value).toEqual(ok.json);
  expect(requests[0]?.path).toBe('/api/v1/people/per_1');
  expect(proxy.seen.join()).toContain(new URL(baseUrl).host);
});

test('a name and password in its address are used', async () => {
  const proxy = await startProxy();
  const { client } = await serve(() => ok, {
    proxy: { httpProxy: proxy.url.replace('//', '//ada:secret@') },
  });
  await client.call(getPerson, person);
  expect(proxy.seen.join()).toContain(`Basic ${btoa('ada:secret')}`);
});

test.each(['127.0.0.1', '*', 'example.org,127.0.0.1'])(
  'NO_PROXY=%s goes past it',
  async (noProxy) => {
    const proxy = await startProxy();
    const { client, requests } = await serve(() => ok, {
      proxy: { httpProxy: proxy.url, noProxy },
    });
    await client.call(getPerson, person);
    expect([proxy.seen, requests.length]).toEqual([[], 1]);
  },
);

test('the sandbox, which is in this process, is asked past it', async () => {
  const proxy = await startProxy();
  const { code } = await pdi('--sandbox person per_sample1', { env: { HTTP_PROXY: proxy.url } });
  expect([code, proxy.seen]).toEqual([0, []]);
});

test.each([
  [
    '407 Proxy Authentication Required',
    'http',
    'the proxy wants a name and password (407): HTTP_PROXY=http://NAME:PASSWORD@HOST:PORT',
  ],
  [
    '407 Proxy Authentication Required',
    'https',
    'the proxy wants a name and password (407): HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT',
  ],
  ['403 Forbidden', 'https', 'the proxy opens no connection to the service, it answers 403'],
  ['200 OK\r\n\r\n<html>', 'http', 'the proxy sends a page of its own, and no connection'],
])('one that says %s to %s: in our words, and asked once', async (refusal, scheme, words) => {
  const proxy = await startProxy(refusal);
  const proxies = { httpProxy: proxy.url, httpsProxy: proxy.url };
  const { client } = await clientFor(`${scheme}://service.invalid/api/v1`, { proxy: proxies });
  const failure = await failureIn(client.call(getPerson, person));
  expect(failure).toMatchObject({
    code: 'unavailable',
    billed: 'no',
    message: `Get person by id: ${words}`,
  });
  expect(proxy.seen).toHaveLength(1);
});

test.each(['502 Bad Gateway', '503 Service Unavailable', '504 Gateway Timeout'])(
  'one that says %s did not reach a service that is away for now, so it is asked again',
  async (refusal) => {
    const proxy = await startProxy(refusal);
    const { client } = await clientFor('https://service.invalid/api/v1', {
      proxy: { httpsProxy: proxy.url },
    });
    const failure = await failureIn(client.call(getPerson, person));
    expect(failure).toMatchObject({ code: 'unavailable', billed: 'no', retryable: true });
    expect(failure.message).toBe(
      `Get person by id: the proxy opens no connection to the service, it answers ${refusal.slice(0, 3)}`,
    );
    expect(proxy.seen).toHaveLength(3);
  },
);

test('a tunnel in which nobody answers the TLS handshake is given up with the call, not seconds later', async () => {
  const closed = gate();
  const proxy = createServer();
  proxy.on('connect', (_incoming, socket) => {
    socket.on('error', () => {}).on('end', () => closed.open());
    socket.resume();
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  });
  const httpsProxy = `http://127.0.0.1:${await listening(proxy)}`;
  onTestFinished(() => void proxy.close());
  const { client } = await clientFor('https://service.invalid/api/v1', {
    proxy: { httpsProxy },
    retries: 0,
    timeoutMs: 100,
  });
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({
    code: 'unavailable',
    billed: 'no',
  });
  await closed.opened;
});

test('one with TLS at an IP address makes Node write no warning to stderr', async () => {
  const warnings = warningsHeard();
  const proxy = await startProxy();
  const { baseUrl } = await serve(() => ok);
  const tls = proxy.url.replace('http:', 'https:');
  const { client } = await clientFor(baseUrl, {
    proxy: { httpProxy: tls },
    retries: 0,
    timeoutMs: 100,
  });
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({
    code: 'unavailable',
    billed: 'no',
  });
  expect(warnings).toEqual([]);
});

test('a charged answer lost behind the proxy is asked for once', async () => {
  const proxy = await startProxy();
  const { client, requests } = await serve(
    (_request, response) => {
      response.destroy();
      return undefined;
    },
    { proxy: { httpProxy: proxy.url } },
  );
  expect(await failureIn(client.call(getPerson, person))).toMatchObject({ billed: 'unknown' });
  expect(requests).toHaveLength(1);
});
