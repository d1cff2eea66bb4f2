/** One HTTP exchange over undici: status, headers and the whole text, or the reason why they did not come. */
import type { Dispatcher } from 'undici';
import { attempt, systemCodeOf } from '../errors.ts';
import { NoAnswer } from './failure.ts';
import { Deadline } from './pace.ts';

export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly isRepeatable?: boolean;
}

export interface Reply {
  readonly status: number;
  /** `name` is in lower case; of a repeated header it gives the last. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function transportOver(dispatcher: Dispatcher, now: () => number) {
  let closesIdle = false;
  return {
    send: (request: OutgoingRequest, timeoutMs: number) =>
      new Promise<Reply>((resolve, reject) => {
        const handler = new ExchangeHandler(timeoutMs, now, resolve, (error) => {
          closesIdle ||= error.kind === 'lost' && error.facts.beforeAnyByte === true;
          reject(error);
        });
        const { method, origin, path, headers, body } = request;
        // A server that closes idle connections may close one just as a request is on it, and nobody knows whether it saw the request.
        const reset = closesIdle && request.isRepeatable !== true;
        dispatcher.dispatch(
          { method, origin, path, headers: { ...headers }, body: body ?? null, reset },
          handler,
        );
      }),
    close: () => dispatcher.destroy(),
  };
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private readonly deadline: Deadline;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private status = 0;
  private headers: ReplyHeaders = {};
  private over = false;

  constructor(
    private readonly timeoutMs: number,
    now: () => number,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (reason: NoAnswer) => void,
  ) {
    this.deadline = new Deadline(timeoutMs, now, () => this.timedOut());
  }

  /** undici may put a request on a second connection, which only the retry rule may decide: it is refused. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.over || this.controller !== undefined) {
      controller.abort(new Error('connection closed'));
      return;
    }
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReplyHeaders,
  ): void {
    this.deadline.arrived();
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.deadline.arrived();
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size <= maxBodyBytes) return;
    this.fail(tooLarge());
    controller.abort(new Error('the caller no longer wants the answer'));
  }

  onResponseEnd(): void {
    if (!this.isOver()) this.reply();
  }

  private reply(): void {
    const { status, headers, chunks } = this;
    const valuesOf = (name: string): readonly string[] => [headers[name] ?? []].flat();
    const header = (name: string): string | undefined => valuesOf(name).at(-1);
    const text = bodyText(chunks, valuesOf('content-encoding'), header('content-type'));
    text.then((text) => this.resolve({ status, header, text }), this.reject);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(noAnswerFrom(error, this.controller !== undefined, this.status === 0));
  }

  private timedOut(): void {
    const started = this.controller !== undefined;
    const seconds = `${this.timeoutMs / 1000} s`;
    const message = started
      ? `no complete answer within ${seconds}`
      : `no connection within ${seconds}`;
    const { controller } = this;
    this.fail(new NoAnswer(started ? 'lost' : 'refused', message));
    controller?.abort(new Error(message));
  }

  private fail(why: NoAnswer): void {
    if (this.isOver()) return;
    // The status of a refusal says what became of the call, whether or not the rest of it arrives.
    if (this.status >= 300) this.reply();
    else this.reject(why);
  }

  private isOver(): boolean {
    const { over } = this;
    this.over = true;
    this.deadline.cancel();
    return over;
  }
}

/** Twenty times the largest page of the API, counted after unpacking, so that no answer can fill the memory. */
const maxBodyBytes = 16 * 1024 * 1024;

const tooLarge = (): NoAnswer =>
  new NoAnswer('misshapen', `the answer is larger than ${maxBodyBytes / 1024 / 1024} MB`);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON is UTF-8; a server that writes another charset names it, but many name one and send UTF-8 all the same. */
async function bodyText(
  chunks: readonly Buffer[],
  encodings: readonly string[],
  type = '',
): Promise<string> {
  let plain: Buffer = Buffer.concat(chunks);
  // The last of several, each added by another gateway, was put around the others (RFC 9110, 8.4).
  for (const encoding of encodings.flatMap((one) => one.split(',')).reverse())
    plain = await unpacked(plain, encoding.trim().toLowerCase());
  const text =
    attempt(() => utf8.decode(plain)) ??
    attempt(() => new TextDecoder(charsetIn(type), { fatal: true }).decode(plain));
  return text ?? mended(plain);
}

function mended(bytes: Buffer): string {
  const latin = bytes.toString('latin1');
  // A service that cuts a text between two bytes wrote half a character, which is told of like one that JSON spells out.
  if (/^\s*[[{]/.test(latin))
    return new TextDecoder().decode(bytes).replaceAll('\ufffd', halfCharacter);
  // The NUL at the end makes the decoder refuse it instead of repairing it silently.
  return latin.concat('\u0000');
}

/** A lone surrogate, as JSON writes it. */
const halfCharacter = String.raw`\ud800`;

const charsetIn = (type: string): string | undefined => /;\s*charset="?([\w-]+)/i.exec(type)?.[1];

type Unpack = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, plain: Buffer) => void,
) => void;

/** Some gateways compress without being asked; what cannot be unpacked stays as it is, and the decoder refuses it. */
async function unpacked(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === '' || bytes.length === 0) return bytes;
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib');
  // RFC 9110, 8.4.1.2: some send deflate without the zlib wrapper, which begins with the number 8 of its method.
  const deflate = ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw;
  const known: Readonly<Record<string, Unpack>> = {
    gzip: gunzip,
    'x-gzip': gunzip,
    deflate,
    br: brotliDecompress,
  };
  const unpack = Object.hasOwn(known, encoding) ? known[encoding] : undefined;
  if (unpack === undefined) return bytes;
  return new Promise((resolve, reject) => {
    unpack(bytes, { maxOutputLength: maxBodyBytes }, (error, plain) => {
      if (error === null) resolve(plain);
      else if (systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge());
      else resolve(bytes);
    });
  });
}

const passing: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EMFILE: 'this process may open no more connections (ulimit -n)',
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  PROXY_CLOSED: 'the proxy closed the connection',
  PROXY_REFUSED: 'the proxy refused the connection',
};

const notHttp =
  'the other side does not answer in HTTP: a proxy, another service, or a wrong port stands at this address';
/** Whoever speaks TLS alone has not seen the request. */
export const notPlain = (): NoAnswer =>
  new NoAnswer('unreachable', 'the other side speaks TLS: its address begins with https://');

/** An alert of TLS in the place of an answer. */
const isAlert = (error: Error): boolean =>
  'data' in error && String(error.data).startsWith('\u0015\u0003');

const wantsCertificate =
  'the other side wants a client certificate, and pdi sends none: ask for an address for API clients';
const refusedHandshake =
  'the other side refused the TLS handshake: it wants a client certificate, or a cipher that is no longer safe';
const untrusted =
  'the certificate comes from an authority that is not trusted here: if that is one of your own network, name the file of its certificate in NODE_EXTRA_CA_CERTS';
const otherTls =
  'the other side offers no version or cipher of TLS that is safe today (1.2 and later): it must be updated, or a proxy stands between';

const words: Readonly<Record<string, string>> = {
  ...passing,
  ENOTFOUND: 'the host name is not known',
  EPIPE: 'the connection was closed',
  EPROTO:
    'the other side does not speak TLS as it should: check the address, and whether a proxy stands between',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the answer was cut short, or its headers are broken: a proxy may have changed it',
  // What undici itself takes for impossible, such as a status below 100.
  ERR_ASSERTION: notHttp,
  UND_ERR_HEADERS_OVERFLOW:
    'the answer has more than 16 kB of headers, which no answer of the API has: a proxy or another service stands between',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate is for another host: check the address, and whether a proxy stands between',
  CERT_HAS_EXPIRED: 'the certificate has expired, or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this machine is wrong',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the other side does not speak TLS: its address may begin with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'the other side does not speak TLS: its address may begin with http://',
  ERR_SSL_UNSUPPORTED_PROTOCOL: otherTls,
  ERR_SSL_ALERT_PROTOCOL_VERSION: otherTls,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: otherTls,
  ERR_SSL_NO_CIPHER_MATCH: otherTls,
  ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED: otherTls,
  ERR_SSL_DH_KEY_TOO_SMALL: otherTls,
  ERR_SSL_ALERT_HANDSHAKE_FAILURE: refusedHandshake,
  ERR_SSL_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_ALERT_INTERNAL_ERROR: 'the other side failed in the TLS handshake',
  ERR_SSL_ALERT_BAD_CERTIFICATE: wantsCertificate,
};

/** undici's parser tells a fault in words alone: the bytes are no answer in HTTP as RFC 9112 has it. */
const parserFaults: readonly (readonly [reason: RegExp, words: string])[] = [
  [
    /content-length/i,
    'the answer gives its length twice, or not as a number: a proxy may have changed it',
  ],
  [/chunk/i, 'the answer is not cut into pieces as HTTP says: a proxy may have changed it'],
  [
    /header|whitespace|transfer-encoding/i,
    'the headers of the answer are broken: a proxy may have changed them',
  ],
  [/EOF/, 'the answer was cut short'],
];

function wordsFor(error: Error, code: string): string | undefined {
  if (error.name === 'HTTPParserError')
    return parserFaults.find(([reason]) => reason.test(error.message))?.[1] ?? notHttp;
  // OpenSSL's own line names a place in its source; what it complains of stands between.
  const complaint = / routines:[^:]*:([^:]+)/.exec(error.message)?.[1];
  return words[code] ?? (complaint === undefined ? undefined : `${words.EPROTO} (${complaint})`);
}

export function causeCodeOf(error: Error): string {
  const code = systemCodeOf(error);
  if (code !== undefined) return code;
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return causeCodeOf(error.errors[0]);
  return error.cause instanceof Error ? causeCodeOf(error.cause) : '';
}

/** In TLS 1.3 the other side refuses after the request was sent, and before it reads any of it. */
const neverRead: ReadonlySet<string> = new Set(
  Object.keys(words).filter((code) => words[code] === wantsCertificate),
);

function noAnswerFrom(error: Error, started: boolean, beforeAnyByte: boolean): NoAnswer {
  if (error.name === 'HTTPParserError' && isAlert(error)) return notPlain();
  // Some Nodes name the version of TLS that an alert came with.
  const code = causeCodeOf(error).replace(
    /^ERR_SSL_(?:SSLV3|TLSV13?|SSL\/TLS)_ALERT_/,
    'ERR_SSL_ALERT_',
  );
  const message = wordsFor(error, code) ?? error.message.split('\n')[0] ?? code;
  if (started && !neverRead.has(code)) return new NoAnswer('lost', message, { beforeAnyByte });
  return new NoAnswer(
    Object.hasOwn(passing, code) || code === 'PROXY_UNAVAILABLE' ? 'refused' : 'unreachable',
    message,
  );
}
