/** One call of one endpoint: sent as often as is harmless, checked against the contract. */
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { keyHeader, rateLimitHeaders } from '../contract/service.ts';
import { type Decoded, decode, type ErrorBody, InvalidResponse, isOutOfCredits, readRefusal } from './decode.ts';
import { failureOf } from './failure.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { namesResource, planRequest } from './request.ts';
import { backoff, type Happening, mayRetry, resetDelay, retryAfterDelay } from './retry.ts';
import { headerIn, type OutgoingRequest, type Reply, type Transport, TransportError } from './transport.ts';

/** What all calls of a client share. */
export interface CallSettings {
  /** The versioned root, without a trailing slash. */
  readonly baseUrl: string;
  /** The base URL's: that is where the key goes, and nowhere else. */
  readonly origin: string;
  /** Asked for when the first call that needs one is made. */
  readonly key: () => Promise<string>;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly userAgent: string;
  /** One line for each request and answer; the writer takes the key out. */
  readonly log?: ((line: string) => void) | undefined;
  /** Takes the key out of what the service says: its words travel into rows and journals. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly now: () => number;
  readonly random: () => number;
}

/** A documented answer. */
export interface Answer<T> extends Decoded<T> {
  readonly status: number;
}

export interface CallOptions {
  /** The identifier an error names. */
  readonly item?: string | undefined;
  /** How often the same was sent by calls before this one, for the log. */
  readonly before?: number | undefined;
}

/** Redirects inside the origin are followed this far. */
const maxRedirects = 5;

/** What an attempt brought: the answer, or why not and how long to wait before the next. */
type Attempt<T> =
  | { readonly answer: Answer<T> }
  | { readonly happening: Happening; readonly reason?: string; readonly reply?: Reply; readonly waitMs?: number | undefined };

/** One call: its attempts one after the other. */
export class Call<E extends Endpoint> {
  private lostBefore = false;
  private namesResource = false;

  constructor(
    private readonly settings: CallSettings,
    private readonly transport: Transport,
    private readonly rateLimiter: RateLimiter,
    private readonly endpoint: E,
    private readonly asked: CallOptions,
  ) {}

  async run(request: RequestOf<E>): Promise<Answer<ResponseOf<E>>> {
    const { retries, random } = this.settings;
    this.namesResource = namesResource(request);
    const outgoing = await this.outgoing(request);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attempt(outgoing, attempt);
      if ('answer' in outcome) return outcome.answer;
      const { happening } = outcome;
      if (attempt > retries || !mayRetry(this.endpoint.billing, happening)) throw this.failure(outcome);
      this.lostBefore ||= happening.kind === 'lost';
      // A 429's wait is the rateLimiter's, shared by all requests; what is left is this call's own.
      if (outcome.waitMs === undefined) await this.rateLimiter.pause(backoff(attempt, random)).catch(() => this.giveUp(outcome));
    }
  }

  /** Stopped while waiting to try again: what happened so far is the answer, nothing is pending. */
  private giveUp(outcome: Exclude<Attempt<unknown>, { answer: unknown }>): never {
    throw this.failure(outcome);
  }

  private failure({ happening, reason, reply }: Exclude<Attempt<unknown>, { answer: unknown }>): Error {
    const refusal = reply === undefined ? undefined : this.refusalIn(reply);
    const { endpoint, asked, lostBefore, namesResource } = this;
    return failureOf(happening, { endpoint, item: asked.item, reason, refusal, lostBefore, namesResource });
  }

  /** What the service says of a failure: on one line, and without the key, should it repeat that. */
  private refusalIn({ text }: Reply): ErrorBody {
    const redact = this.settings.redact ?? ((told: string) => told);
    const { errorCode, message } = readRefusal(text);
    return {
      ...(errorCode !== undefined && { errorCode: redact(errorCode) }),
      ...(message !== undefined && { message: shortened(redact(message).replace(/\s+/g, ' ').trim()) }),
    };
  }

  private async outgoing(request: RequestOf<E>): Promise<OutgoingRequest> {
    const { baseUrl, origin, key, userAgent } = this.settings;
    const { method, url, body } = planRequest(baseUrl, this.endpoint, request);
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(this.endpoint.key !== 'none' && { [keyHeader]: await key() }),
    };
    return { method, origin, path: url.slice(origin.length), headers, ...(body !== undefined && { body }) };
  }

  private async attempt(request: OutgoingRequest, attempt: number): Promise<Attempt<ResponseOf<E>>> {
    try {
      const reply = await this.exchange(request, attempt);
      return this.judge(reply);
    } catch (error) {
      if (error instanceof TransportError) return { happening: { kind: error.kind }, reason: error.message };
      if (error instanceof InvalidResponse) return { happening: { kind: 'misshapen' }, reason: error.message };
      throw error;
    }
  }

  /** One request through the limiter and, where the service redirects inside its origin, the ones that follow. @throws TransportError */
  private async exchange(first: OutgoingRequest, attempt: number): Promise<Reply> {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await this.sendOnce(request, attempt);
      const target = reply.status >= 300 && reply.status < 400 ? headerIn(reply.headers, 'location') : undefined;
      if (target === undefined) return reply;
      if (redirects >= maxRedirects) throw new TransportError('unreachable', `more than ${maxRedirects} redirects`);
      request = redirected(request, reply.status, target);
    }
  }

  private async sendOnce(request: OutgoingRequest, attempt: number): Promise<Reply> {
    const { now, log, timeoutMs, maxWaitMs, random } = this.settings;
    const sentAt = await this.rateLimiter.acquire();
    const inAll = attempt + (this.asked.before ?? 0);
    log?.(`> ${request.method} ${request.origin}${request.path}${inAll > 1 ? ` (attempt ${inAll})` : ''}`);
    const reply = await this.transport.send(request, timeoutMs).catch((error: unknown) => {
      this.rateLimiter.unanswered();
      const reason = error instanceof Error ? error.message : String(error);
      log?.(`< no answer: ${reason} after ${Math.round(now() - sentAt)} ms`);
      throw error;
    });
    const told = (name: string) => headerIn(reply.headers, name);
    const limited = reply.status === 429 && !isOutOfCredits(reply);
    const resetMs =
      resetDelay(told(rateLimitHeaders.reset), maxWaitMs) ??
      (limited ? retryAfterDelay(told('retry-after'), told('date'), Date.now(), maxWaitMs) : undefined);
    this.rateLimiter.answered(sentAt, {
      limited,
      limit: countIn(told(rateLimitHeaders.limit)),
      remaining: countIn(told(rateLimitHeaders.remaining)),
      resetMs: resetMs ?? (limited ? Math.min(backoff(attempt + 1, random), maxWaitMs) : undefined),
    });
    const requestId = told('x-request-id');
    log?.(`< ${reply.status} in ${Math.round(now() - sentAt)} ms${requestId === undefined ? '' : `, request id ${requestId}`}`);
    return reply;
  }

  /** @throws InvalidResponse where a success is not what the endpoint documents */
  private judge(reply: Reply): Attempt<ResponseOf<E>> {
    const { status, text } = reply;
    const { response, successBody, alsoReports } = this.endpoint;
    const outOfCredits = isOutOfCredits(reply);
    if (status >= 200 && status < 300 && !outOfCredits) {
      return { answer: { status, ...decode<E['response']>(response, text, { open: successBody === 'open' }) } };
    }
    const failed = { happening: { kind: 'status', status, outOfCredits }, reply, ...(status === 429 && { waitMs: 0 }) } as const;
    if (alsoReports?.includes(status) !== true) return failed;
    try {
      return { answer: { status, ...decode<E['response']>(response, text) } };
    } catch {
      // A gateway's own 503 carries no report.
      return failed;
    }
  }
}

/** The request to send instead. @throws TransportError where it would leave the origin or change its meaning */
function redirected(request: OutgoingRequest, status: number, location: string): OutgoingRequest {
  const target = URL.canParse(location, request.origin + request.path) ? new URL(location, request.origin + request.path) : undefined;
  if (target === undefined || target.origin !== request.origin) {
    throw new TransportError(
      'unreachable',
      `the service redirects (${status}) to ${target?.origin ?? 'a broken address'}, which gets no key`,
    );
  }
  if (request.method !== 'GET' && status !== 307 && status !== 308) {
    throw new TransportError('unreachable', `the service redirects a ${request.method} (${status})`);
  }
  return { ...request, path: target.pathname + target.search };
}

/** What a line on a terminal, and a cell of a row, can hold of the service's words. */
const maxMessageLength = 300;

const shortened = (words: string): string => (words.length > maxMessageLength ? `${words.slice(0, maxMessageLength)}…` : words);

const countIn = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
