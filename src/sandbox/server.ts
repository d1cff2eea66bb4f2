/** Serves the API document on 127.0.0.1 with invented data, for `pdi sandbox`, `pdi --sandbox` and the tests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { keyHeader } from '../contract/service.ts';
import { systemCodeOf, UsageError } from '../errors.ts';
import { memoize } from '../rows/memoize.ts';
import { basePath, respond, type SandboxAnswer } from './exchange.ts';
import { type BillEntry, createWorld, keys, type SandboxOptions } from './world.ts';

export type { SandboxOptions };

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const address = '127.0.0.1';
/** This is far more than 50 identifiers or a large list of ids need. */
const maxBodyBytes = 16 * 1024 * 1024;
/** It is longer than a client keeps an idle connection, so the sandbox never closes one during a request. */
const keepAlive = 120_000;

/** @throws UsageError for a port that cannot be listened on */
export async function startSandbox(options: SandboxOptions = {}) {
  const world = createWorld(options);
  const { settings } = world;
  let answered = 0;
  /** These paths need no key and are not counted. The examples of the document are asked for once, because they cost more than an answer. */
  const own = new Map<string, () => unknown>([
    [
      `GET ${basePath}/openapi.json`,
      memoize(async () => (await import('./openapi.ts')).describeApi(world)),
    ],
    ['GET /sandbox/bill', () => world.bill],
    ['GET /sandbox/requests', () => Object.fromEntries(world.requests)],
    ['POST /sandbox/signal', () => world.makeSignal()],
  ]);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = await readText(request);
    const told = own.get(`${method} ${url.split('?')[0]}`);
    if (told !== undefined) return send(response, plain(200, await told()), 0);
    if (body === undefined)
      return send(response, plain(413, { message: 'The body is too large' }), settings.latency);
    const key = headers[keyHeader];
    send(
      response,
      respond(world, { method, url, key: Array.isArray(key) ? key[0] : key, body }),
      settings.latency,
    );
  };
  const server = createServer({ keepAliveTimeout: keepAlive }, (request, response) => {
    response.setHeader('x-request-id', `sandbox-${++answered}`);
    if (!isOwnHost(request)) {
      request.resume();
      return send(response, plain(421, { message: `This is ${address}, no other host` }), 0);
    }
    serve(request, response).catch((reason) => fail(response, reason));
  });
  const port = await listen(server, settings.port);
  return {
    baseUrl: `http://${address}:${port}${basePath}`,
    keys,
    /** The day of its newest signal. */
    today: () => settings.today(),
    /** Every billed call so far; `GET /sandbox/bill` on the same host gives it without a key. */
    bill: (): readonly BillEntry[] => world.bill,
    /** Counts calls by operation, including refused ones; also `GET /sandbox/requests`. */
    requests: (): Readonly<Record<string, number>> => Object.fromEntries(world.requests),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A web page may point its own host name to 127.0.0.1, but its requests then name that host. */
function isOwnHost({ headers: { host = '' }, socket: { localPort } }: IncomingMessage): boolean {
  const asked = /:\d+$/.test(host) ? host : `${host}:80`;
  return [address, 'localhost'].some((name) => asked.toLowerCase() === `${name}:${localPort}`);
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}

const plain = (status: number, body: unknown): SandboxAnswer => ({
  status,
  headers: {},
  text: JSON.stringify(body),
});

/** A bug of the sandbox is reported in the answer, so that a test shows it. */
function fail(response: ServerResponse, reason: unknown): void {
  if (response.destroyed || response.headersSent) response.destroy();
  else send(response, plain(500, { message: `Bug in the sandbox: ${String(reason)}` }), 0);
}

async function listen(server: Server, port: number): Promise<number> {
  await once(server.listen(port, address), 'listening').catch((cause: Error) => {
    const reason =
      systemCodeOf(cause) === 'EADDRINUSE' ? 'something else listens there' : cause.message;
    const hint = 'choose another port, or 0 for a free one';
    throw new UsageError(`the sandbox cannot listen on ${address}:${port}: ${reason}`, {
      item: String(port),
      hint,
      cause,
    });
  });
  const bound = server.address();
  return bound !== null && typeof bound === 'object' ? bound.port : port;
}

/** A slow answer ends after this many milliseconds, which is longer than any client should wait. */
const slowLimit = 60_000;

const notJson = '<html><body><h1>Bad gateway</h1><p>This is not the API.</p></body></html>';

function later(response: ServerResponse, delay: number, then: () => void): void {
  const timer = setTimeout(then, delay);
  response.once('close', () => clearTimeout(timer));
}

function write(
  response: ServerResponse,
  { status, headers, text }: SandboxAnswer,
  type: string,
): void {
  const bytes = Buffer.byteLength(text);
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': type }),
    ...(status !== 204 && { 'content-length': bytes }),
    ...headers,
  });
  response.end(text);
}

/** It announces one byte more than the whole answer, sends half of it and closes. */
function writeHalf(response: ServerResponse, { status, headers, text }: SandboxAnswer): void {
  const bytes = Buffer.from(text);
  response.writeHead(status === 204 ? 200 : status, {
    'content-type': 'application/json',
    'content-length': bytes.length + 1,
    ...headers,
  });
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}

function deliver(response: ServerResponse, answer: SandboxAnswer): void {
  const { damage } = answer;
  if (damage === 'reset' || damage === 'drop-after-billing') response.destroy();
  else if (damage === 'slow') later(response, slowLimit, () => response.destroy());
  else if (damage === 'truncate') writeHalf(response, answer);
  else if (damage === 'malformed')
    write(response, { ...answer, status: 200, text: notJson }, 'text/html');
  else write(response, answer, 'application/json');
}

/** `latency` is in milliseconds; the call has been executed already. */
function send(response: ServerResponse, answer: SandboxAnswer, latency: number): void {
  if (latency > 0) later(response, latency, () => deliver(response, answer));
  else deliver(response, answer);
}
