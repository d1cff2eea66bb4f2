/** Opens connections to one origin, straight or through a proxy. */
import { isIP, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import AnyDispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { systemCodeOf } from '../errors.ts';
import type { ProxySettings } from './proxy.ts';
import type { Connector } from './socks.ts';

export interface ConnectionOptions {
  readonly connections: number;
  readonly proxy?: ProxySettings | undefined;
  /** A connection that takes longer is given up (0: never), because one that still waits keeps the process from ending. */
  readonly connectTimeoutMs: number;
  readonly beforeConnecting?: (() => void) | undefined;
}

export async function openConnections(origin: string, options: ConnectionOptions): Promise<Dispatcher> {
  // Where only the other scheme has a proxy, undici would take that one.
  const address = origin.startsWith('https:') ? options.proxy?.httpsProxy : options.proxy?.httpProxy;
  if (options.proxy === undefined || address === undefined) return openPool(origin, options, straight(options));
  return await throughProxy(address, options.proxy, options);
}

function straight({ connectTimeoutMs, beforeConnecting }: ConnectionOptions): Connector {
  const connect = buildConnector({ timeout: connectTimeoutMs });
  return (asked, done) => {
    beforeConnecting?.();
    connect(asked, done);
  };
}

function openPool(origin: string | URL, { connections }: ConnectionOptions, connect: Connector): Dispatcher {
  const passing: Connector = (asked, done) =>
    connect(asked, (...came) => (came[0] === null ? done(null, endingByError(passInterim(came[1]))) : done(...came)));
  return new Pool(origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: passing });
}

/** TLS may go on to an orderly end after an error that says why, and undici would tell the end alone. */
const endingByError = (socket: Socket): Socket => socket.once('error', () => socket.destroy());

/** undici decides which hosts need no proxy. */
async function throughProxy(address: string, proxy: ProxySettings, options: ConnectionOptions): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // undici's main module, which is not loaded here, would add `connect` to every dispatcher.
  Object.assign(AnyDispatcher.prototype, { connect });
  const toProxy = straight(options);
  const socks = await socksTunnel(address, options);
  return new EnvHttpProxyAgent({
    // Empty strings stop undici from reading the environment itself.
    ...{ httpProxy: '', httpsProxy: '', noProxy: '' },
    ...withoutSocks(proxy),
    clientFactory: (address) => new Pool(address, { connect: (asked, done) => toProxy(byName(asked), done) }),
    // For a host that needs no proxy, undici gives no tunnel.
    factory: (origin: string | URL, given: object) => openPool(origin, options, tunnelIn(given, origin, socks) ?? toProxy),
  });
}

/** undici gives TLS the host of the proxy as a name. Node warns on stderr where it is an IP address, which is none. */
const byName = ({ servername = '', ...asked }: Parameters<Connector>[0]) => (isIP(servername) === 0 ? { ...asked, servername } : asked);

const socksScheme = /^socks(5h?)?:/i;

async function socksTunnel(address: string, options: ConnectionOptions): Promise<Connector | undefined> {
  if (!socksScheme.test(address)) return undefined;
  const { throughSocks } = await import('./socks.ts');
  return throughSocks(address, straight(options), options.connectTimeoutMs);
}

/** With the scheme of SOCKS, undici would take its own agent. The address is not used then. */
const withoutSocks = (proxy: ProxySettings): ProxySettings =>
  Object.fromEntries(Object.entries(proxy).map(([name, value]) => [name, value.replace(socksScheme, 'http:')]));

const isConnector = (value: unknown): value is Connector => typeof value === 'function';

/** Where a proxy hangs up, undici reconnects thousands of times a second without a pause. Here that becomes a failure. */
function tunnelIn(given: object, origin: string | URL, socks: Connector | undefined): Connector | undefined {
  const offered: unknown = Reflect.get(given, 'connect');
  if (!isConnector(offered)) return undefined;
  const tunnel = socks ?? offered;
  return (asked, done) => tunnel(asked, (...came) => (came[0] === null ? done(...came) : done(ofProxy(came[0], origin), null)));
}

/** These codes are our own. They say that the proxy failed, so the service was not reached. */
const proxyCodes: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'PROXY_CLOSED', ECONNREFUSED: 'PROXY_REFUSED' };

function ofProxy(error: Error, origin: string | URL): Error {
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status !== undefined) {
    // With 502, 503 and 504 a proxy says what a refused connection says without a proxy.
    const code = /^50[234]$/.test(status) ? 'PROXY_UNAVAILABLE' : 'PROXY_STATUS';
    return Object.assign(new Error(wordsOfProxy(status, origin)), { code });
  }
  const code = proxyCodes[causeCodeOf(error)];
  return code === undefined ? error : Object.assign(new Error(code, { cause: error }), { code });
}

function wordsOfProxy(status: string, origin: string | URL): string {
  if (status !== '407') return `the proxy opens no connection to the service, it answers ${status}`;
  const variable = new URL(origin).protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return `the proxy wants a name and password (407): ${variable}=http://NAME:PASSWORD@HOST:PORT`;
}

/** Gives the system's code of an error. After failed connections to several addresses, it is the code of the first. */
export function causeCodeOf(error: Error): string {
  const code = systemCodeOf(error);
  if (code !== undefined) return code;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return causeCodeOf(error.errors[0]);
  return error.cause instanceof Error ? causeCodeOf(error.cause) : '';
}

const [lineFeed, carriageReturn, zero, one, two] = [0x0a, 0x0d, 0x30, 0x31, 0x32];
const statusAt = 9;

/**
 * undici takes an unrequested `100 Continue` for a broken answer, but skips other interim answers (RFC 9110, 15.2). So 100 becomes 102.
 * It changes how the socket is read, and gives the same socket back.
 */
function passInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  const start = new AnswerStart();
  let written: number | undefined;
  return Object.assign(socket, {
    read(size?: number): unknown {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      // Nothing is written while an answer comes, so bytes that were written since then belong to the next request.
      const sent = socket.bytesWritten;
      if (sent !== written) start.begin();
      written = sent;
      start.look(chunk);
      return chunk;
    },
  });
}

class AnswerStart {
  private state: 'status line' | 'interim' | 'past' = 'past';
  private column = 0;
  private tens = 0;

  begin(): void {
    this.state = 'status line';
    this.column = 0;
  }

  look(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.state !== 'past'; at += 1) {
      if (this.state === 'interim') this.header(chunk[at]);
      else chunk[at] = this.statusLine(chunk[at] ?? 0);
    }
  }

  private statusLine(byte: number): number {
    const place = this.column - statusAt;
    this.column += 1;
    if (place === 0 && byte !== one) this.state = 'past';
    if (place === 1) this.tens = byte;
    if (place !== 2) return byte;
    this.state = 'interim';
    return this.tens === zero && byte === zero ? two : byte;
  }

  /** An empty line ends an interim answer. */
  private header(byte: number | undefined): void {
    if (byte === lineFeed && this.column === 0) this.begin();
    else if (byte === lineFeed) this.column = 0;
    else if (byte !== carriageReturn) this.column += 1;
  }
}
