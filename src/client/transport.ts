/** One HTTP exchange over undici: bytes out, status, headers and whole text back, or what kept them from coming. */

import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import AnyDispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { systemCodeOf } from '../errors.ts';
import { Body } from './body.ts';
import { Deadline } from './deadline.ts';
import { passInterim } from './interim.ts';
import type { ProxySettings } from './proxy.ts';

export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  /** Path and query, as they go on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/** Names in lower case; several values where one is repeated. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A header's value; the last where it is repeated. */
export function headerIn(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.at(-1) : value;
}

/**
 * No whole answer came. `refused`: nothing was executed, trying again may help; `unreachable`: nothing was executed, and
 * trying again will not help (unknown host, bad certificate); `lost`: it was sent, and nobody knows what became of it;
 * `misshapen`: an answer came that is larger than any of the API's.
 */
export class NoReply extends Error {
  constructor(
    readonly kind: 'refused' | 'unreachable' | 'lost' | 'misshapen',
    message: string,
  ) {
    super(message);
  }
}

export interface Transport {
  /** @throws NoReply */
  send(request: OutgoingRequest, timeoutMs: number): Promise<Reply>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** At most so many at once. */
  readonly connections: number;
  readonly proxy?: ProxySettings | undefined;
  /** A connection that is not made by then is given up: one that still waits, for a TLS handshake say, keeps the process from ending. */
  readonly connectTimeoutMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Opens connections to one origin, through a proxy where one is set. */
export async function openTransport(origin: string, { connections, proxy, connectTimeoutMs, now }: TransportOptions): Promise<Transport> {
  const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connectTimeout: connectTimeoutMs };
  const dispatcher = proxy === undefined ? openPool(origin, options) : await throughProxy(proxy, options);
  return {
    send: (request, timeoutMs) => exchange(dispatcher, request, timeoutMs, now),
    close: () => dispatcher.destroy(),
  };
}

async function throughProxy(proxy: ProxySettings, options: PoolOptions): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // What opens a tunnel is put on every dispatcher by undici's main module, which is not loaded.
  Object.assign(AnyDispatcher.prototype, { connect });
  // A tunnel comes with the options; hosts that need none do not.
  const factory = (origin: string | URL, given: object) => openPool(origin, { ...options, ...given });
  // Empty strings keep undici from looking into the environment by itself.
  return new EnvHttpProxyAgent({ httpProxy: '', httpsProxy: '', noProxy: '', factory, ...options, ...proxy });
}

interface PoolOptions {
  readonly connections: number;
  readonly connectTimeout: number;
}

type Connector = ReturnType<typeof buildConnector>;

const isConnector = (value: unknown): value is Connector => typeof value === 'function';

/** Where a proxy hangs up, undici would connect again and again without a pause, thousands of times a second: here it is a failure. */
function openPool(origin: string | URL, options: PoolOptions): Dispatcher {
  const tunnel: unknown = Reflect.get(options, 'connect');
  const through = isConnector(tunnel) ? tunnel : undefined;
  const open = through ?? buildConnector({ timeout: options.connectTimeout });
  const connect: Connector = (asked, done) =>
    open(asked, (...came) => {
      if (came[0] === null) done(null, passInterim(came[1]));
      else done(through === undefined ? came[0] : ofProxy(came[0], origin), null);
    });
  return new Pool(origin, { ...options, connect });
}

/** Codes of our own for what the proxy did: the service was not reached. */
const proxyCodes: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'PROXY_CLOSED', ECONNREFUSED: 'PROXY_REFUSED' };

function ofProxy(error: Error, origin: string | URL): Error {
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status !== undefined) return Object.assign(new Error(wordsOfProxy(status, origin)), { code: 'PROXY_STATUS' });
  const code = proxyCodes[codeOf(error)];
  return code === undefined ? error : Object.assign(new Error(code, { cause: error }), { code });
}

function wordsOfProxy(status: string, origin: string | URL): string {
  if (status !== '407') return `the proxy opens no connection to the service, it answers ${status}`;
  const variable = new URL(origin).protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return `the proxy wants a name and password (407): ${variable}=http://NAME:PASSWORD@HOST:PORT`;
}

function exchange(dispatcher: Dispatcher, request: OutgoingRequest, timeoutMs: number, now: () => number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(timeoutMs, now, resolve, reject);
    const { method, origin, path, headers, body } = request;
    dispatcher.dispatch({ method, origin, path, headers: { ...headers }, body: body ?? null }, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private readonly deadline: Deadline;
  private readonly body = new Body();
  private status = 0;
  private headers: ReplyHeaders = {};
  private over = false;

  constructor(
    private readonly timeoutMs: number,
    now: () => number,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (reason: NoReply) => void,
  ) {
    this.deadline = new Deadline(timeoutMs, now, () => this.timedOut());
  }

  /** undici may put a request on a second connection when the first goes away: that is for the retry rule to decide. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.over || this.controller !== undefined) {
      controller.abort(new Error('connection closed'));
      return;
    }
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    this.deadline.arrived();
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.deadline.arrived();
    try {
      this.body.add(chunk);
    } catch (error) {
      this.finish(() => this.unreadable(error));
      controller.abort(new Error('the answer is not wanted any more'));
    }
  }

  onResponseEnd(): void {
    const { status, headers } = this;
    this.finish(() => {
      const text = this.body.text(headerIn(headers, 'content-encoding'));
      text.then((whole) => this.resolve({ status, headers, text: whole })).catch((error: unknown) => this.unreadable(error));
    });
  }

  private unreadable(error: unknown): void {
    this.reject(new NoReply('misshapen', error instanceof Error ? error.message : String(error)));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.finish(() => this.reject(noReplyFrom(error, this.controller !== undefined)));
  }

  private timedOut(): void {
    const started = this.controller !== undefined;
    const seconds = `${this.timeoutMs / 1000} s`;
    const message = started ? `no whole answer within ${seconds}` : `no connection within ${seconds}`;
    const { controller } = this;
    this.finish(() => this.reject(new NoReply(started ? 'lost' : 'refused', message)));
    controller?.abort(new Error(message));
  }

  private finish(settle: () => void): void {
    if (this.over) return;
    this.over = true;
    this.deadline.cancel();
    settle();
  }
}

const passing = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'PROXY_CLOSED',
  'PROXY_REFUSED',
]);

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the name server did not answer',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  PROXY_CLOSED: 'the proxy closed the connection',
  PROXY_REFUSED: 'the proxy refused the connection',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS: its address may begin with http://',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
};

function noReplyFrom(error: Error, started: boolean): NoReply {
  const code = codeOf(error);
  const message = words[code] ?? error.message.split('\n')[0] ?? code;
  if (started) return new NoReply('lost', message);
  return new NoReply(passing.has(code) ? 'refused' : 'unreachable', message);
}

/** The system's code of an error; of a failed connection to several addresses, the first one's. */
function codeOf(error: Error): string {
  const code = systemCodeOf(error);
  if (code !== undefined) return code;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return error.cause instanceof Error ? codeOf(error.cause) : '';
}
