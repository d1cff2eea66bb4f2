/** Makes one HTTP exchange over undici: it gives status, headers and the whole text, or the reason why they did not come. */

import type { Dispatcher } from 'undici';
import { Body } from './body.ts';
import { type ConnectionOptions, causeCodeOf, openConnections } from './connections.ts';
import { Deadline } from './deadline.ts';

export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/** Names are in lower case; a repeated header has several values. */
type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Gives a header's value; of a repeated header it is the last. */
export function headerIn(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.at(-1) : value;
}

/** `refused` and `unreachable` were not executed, but only `refused` may succeed later. The fate of `lost` and `misshapen` is unknown. */
export class TransportError extends Error {
  constructor(
    readonly kind: 'refused' | 'unreachable' | 'lost' | 'misshapen',
    message: string,
  ) {
    super(message);
  }
}

export interface Transport {
  send(request: OutgoingRequest, timeoutMs: number): Promise<Reply>;
  close(): Promise<void>;
}

interface TransportOptions extends ConnectionOptions {
  readonly now: () => number;
}

export async function openTransport(origin: string, { now, ...options }: TransportOptions): Promise<Transport> {
  const dispatcher = await openConnections(origin, options);
  return {
    send: (request, timeoutMs) => exchange(dispatcher, request, timeoutMs, now),
    close: () => dispatcher.destroy(),
  };
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
    private readonly reject: (reason: TransportError) => void,
  ) {
    this.deadline = new Deadline(timeoutMs, now, () => this.timedOut());
  }

  /** undici may put a request on a second connection. That is refused, because only the retry rule may decide it. */
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
    this.reject(new TransportError('misshapen', error instanceof Error ? error.message : String(error)));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.finish(() => this.reject(transportErrorFrom(error, this.controller !== undefined)));
  }

  private timedOut(): void {
    const started = this.controller !== undefined;
    const seconds = `${this.timeoutMs / 1000} s`;
    const message = started ? `no whole answer within ${seconds}` : `no connection within ${seconds}`;
    const { controller } = this;
    this.finish(() => this.reject(new TransportError(started ? 'lost' : 'refused', message)));
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
  'PROXY_UNAVAILABLE',
  // A SOCKS proxy says that network or host cannot be reached, or that the connection was refused.
  'UND_ERR_SOCKS5_REPLY_3',
  'UND_ERR_SOCKS5_REPLY_4',
  'UND_ERR_SOCKS5_REPLY_5',
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

function transportErrorFrom(error: Error, started: boolean): TransportError {
  const code = causeCodeOf(error);
  const message = words[code] ?? error.message.split('\n')[0] ?? code;
  if (started) return new TransportError('lost', message);
  return new TransportError(passing.has(code) ? 'refused' : 'unreachable', message);
}
