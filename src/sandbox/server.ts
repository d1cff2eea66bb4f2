/** The service of the API document on 127.0.0.1, with invented data, for `pdi sandbox`, `pdi --sandbox` and the tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { keyHeader } from '../contract/service.ts';
import { UsageError } from '../errors.ts';
import { basePath, Exchange, type SandboxAnswer } from './exchange.ts';
import { keys, openAccounts } from './gate.ts';
import { type SandboxOptions, settle } from './options.ts';
import { send } from './transport.ts';
import { type BillEntry, createWorld, type World } from './world.ts';

export type { SandboxOptions } from './options.ts';

export interface Sandbox {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
  readonly keys: typeof keys;
  /** Every billed call so far; `GET /sandbox/bill` answers the same, below the host, without a key. */
  bill(): readonly BillEntry[];
  /** Calls by operation, refused ones included; also `GET /sandbox/requests`. */
  requests(): Readonly<Record<string, number>>;
  /** Breaks off what is open and frees the port. May be called twice. */
  stop(): Promise<void>;
}

const address = '127.0.0.1';
/** Far above 50 identifiers or a large list of ids. */
const maxBodyBytes = 16 * 1024 * 1024;
/** Longer than a client keeps an idle connection: it is then never the sandbox that closes one under a request. */
const keepAlive = 120_000;

/** Throws UsageError for options out of range and for a port that is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  const world = createWorld(settings);
  const accounts = openAccounts(settings);
  const exchange = new Exchange({ world, accounts, outOfCreditsStatus: settings.outOfCreditsStatus });
  let answered = 0;
  const server = createServer({ keepAliveTimeout: keepAlive }, (request, response) => {
    response.setHeader('x-request-id', `sandbox-${++answered}`);
    if (!isOwnHost(request)) {
      request.resume();
      return send(response, plain(421, { message: `This is ${address}, no other host` }), 0);
    }
    serve(request, response, { exchange, world, latency: settings.latency }).catch((reason) => fail(response, reason));
  });
  const port = await listen(server, settings.port);
  return {
    baseUrl: `http://${address}:${port}${basePath}`,
    keys,
    bill: () => world.bill,
    requests: () => Object.fromEntries(world.requests),
    stop: () => close(server),
  };
}

interface Parts {
  readonly exchange: Exchange;
  readonly world: World;
  readonly latency: number;
}

async function serve(request: IncomingMessage, response: ServerResponse, { exchange, world, latency }: Parts): Promise<void> {
  const { method = '', url = '' } = request;
  const body = await readText(request);
  const own = await ownAnswer(world, method, url);
  if (own !== undefined) return send(response, own, 0);
  const key = request.headers[keyHeader];
  if (body === undefined) return send(response, plain(413, { message: 'The body is too large' }), latency);
  send(response, exchange.answer({ method, url, key: Array.isArray(key) ? key[0] : key, body }), latency);
}

/** A page in a browser may have the name of its own host point to this machine: then it is that name which it asks for. */
function isOwnHost({ headers: { host = '' }, socket: { localPort } }: IncomingMessage): boolean {
  // Clients leave out the port of http.
  const asked = /:\d+$/.test(host) ? host : `${host}:80`;
  return [address, 'localhost'].some((name) => asked.toLowerCase() === `${name}:${localPort}`);
}

/** undefined where it is larger than anything the API takes. Throws where the client breaks off. */
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

const plain = (status: number, body: unknown): SandboxAnswer => ({ status, headers: {}, text: JSON.stringify(body) });

/** What the sandbox tells about itself and the API, to anyone and outside all counts. */
async function ownAnswer(world: World, method: string, url: string): Promise<SandboxAnswer | undefined> {
  if (method !== 'GET') return undefined;
  const [asked = ''] = url.split('?');
  if (asked === `${basePath}/openapi.json`) return plain(200, (await import('./openapi.ts')).describeApi());
  // Beside the API, and below its base URL, where whoever has only that will look.
  const path = asked.startsWith(basePath) ? asked.slice(basePath.length) : asked;
  if (path === '/sandbox/bill') return plain(200, world.bill);
  return path === '/sandbox/requests' ? plain(200, Object.fromEntries(world.requests)) : undefined;
}

/** A client that broke off gets nothing; a bug of the sandbox is told, so that a test shows it. */
function fail(response: ServerResponse, reason: unknown): void {
  if (response.destroyed || response.headersSent) response.destroy();
  else send(response, plain(500, { message: `Bug in the sandbox: ${String(reason)}` }), 0);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const hint = 'Choose another port, or 0 for a free one.';
      reject(new UsageError(`the sandbox cannot listen on ${address}:${port}: ${cause.message}`, { item: String(port), hint, cause }));
    });
    server.listen(port, address, () => {
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? bound.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
