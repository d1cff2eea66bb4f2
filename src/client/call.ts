/** Makes one call of one endpoint: sends it as often as is harmless, and checks the answer against the contract. */
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { keyHeader, rateLimitHeaders } from '../contract/service.ts';
import { parseUrl } from '../rows/url.ts';
import { type Decoded, decode, type ErrorBody, InvalidResponse, isOutOfCredits, PageInstead, pageIn, readRefusal } from './decode.ts';
import { failureOf } from './failure.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { namesResource, planRequest } from './request.ts';
import { backoff, type Happening, mayBeCarriedOut, mayRetry, resetDelay, retryAfterDelay } from './retry.ts';
import { headerIn, type OutgoingRequest, type Reply, type Transport, TransportError } from './transport.ts';

export interface CallSettings {
  readonly baseUrl: string;
  /** The key is sent to this origin only. */
  readonly origin: string;
  readonly key: () => Promise<string>;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly userAgent: string;
  /** It gets one line for each request and answer. The writer removes the key from it. */
  readonly log?: ((line: string) => void) | undefined;
  /** It makes one line without the key of a text of the service, because such texts are stored in rows and journals. */
  readonly redactLine?: ((told: string) => string) | undefined;
  readonly now: () => number;
  readonly random: () => number;
}

export interface Answer<T> extends Decoded<T> {
  readonly status: number;
}

export interface CallOptions {
  readonly item?: string | undefined;
  /** Earlier calls sent the same request so many times; the log counts them too. */
  readonly before?: number | undefined;
}

const maxRedirects = 5;

type Attempt<T> =
  | { readonly answer: Answer<T> }
  | {
      readonly happening: Happening;
      readonly reason?: string;
      readonly isPage?: boolean;
      readonly reply?: Reply;
      readonly waitMs?: number | undefined;
    };

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
    this.lostBefore = (this.asked.before ?? 0) > 0;
    const outgoing = await this.outgoing(request);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attempt(outgoing, attempt);
      if ('answer' in outcome) return outcome.answer;
      const { happening } = outcome;
      if (attempt > retries || !mayRetry(this.endpoint.billing, happening)) throw this.failure(outcome);
      this.lostBefore ||= mayBeCarriedOut(happening);
      // After a 429 the rate limiter makes all requests wait, so only other failures wait here.
      if (outcome.waitMs === undefined) await this.rateLimiter.pause(backoff(attempt, random)).catch(() => this.giveUp(outcome));
    }
  }

  /** If the run stops while this call waits to retry, no request is pending, so the last failure is the result. */
  private giveUp(outcome: Exclude<Attempt<unknown>, { answer: unknown }>): never {
    throw this.failure(outcome);
  }

  private failure({ happening, reply, ...failed }: Exclude<Attempt<unknown>, { answer: unknown }>): Error {
    const refusal = reply === undefined ? undefined : this.refusalIn(reply);
    const page = reply === undefined ? undefined : pageIn(reply.text);
    const reason = failed.reason ?? page;
    const isPage = failed.isPage ?? page !== undefined;
    const { endpoint, asked, lostBefore, namesResource, settings } = this;
    const told = reason === undefined ? undefined : serviceText(reason, settings);
    return failureOf(happening, { endpoint, item: asked.item, reason: told, isPage, refusal, lostBefore, namesResource });
  }

  private refusalIn({ text }: Reply): ErrorBody {
    const { errorCode, message } = readRefusal(text);
    return {
      ...(errorCode !== undefined && { errorCode: serviceText(errorCode, this.settings) }),
      ...(message !== undefined && { message: serviceText(message, this.settings) }),
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
    const isRepeatable = this.endpoint.billing === 'free';
    return { method, origin, path: url.slice(origin.length), headers, isRepeatable, ...(body !== undefined && { body }) };
  }

  private async attempt(request: OutgoingRequest, attempt: number): Promise<Attempt<ResponseOf<E>>> {
    try {
      const reply = await this.exchange(request, attempt);
      return this.judge(reply);
    } catch (error) {
      if (error instanceof TransportError) return { happening: { kind: error.kind }, reason: error.message };
      if (error instanceof InvalidResponse)
        return { happening: { kind: 'misshapen' }, reason: error.message, isPage: error instanceof PageInstead };
      throw error;
    }
  }

  private async exchange(first: OutgoingRequest, attempt: number): Promise<Reply> {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await this.sendOnce(request, attempt);
      const isRedirect = reply.status >= 300 && reply.status < 400 && !isOutOfCredits(reply);
      const target = isRedirect ? headerIn(reply.headers, 'location') : undefined;
      if (target === undefined) return reply;
      if (redirects >= maxRedirects)
        throw new TransportError('unreachable', `the service redirects in a circle, or more than ${maxRedirects} times`);
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

  private judge(reply: Reply): Attempt<ResponseOf<E>> {
    const { status, text } = reply;
    const { successBody, alsoReports } = this.endpoint;
    const outOfCredits = isOutOfCredits(reply);
    if (status >= 200 && status < 300 && !outOfCredits) {
      return { answer: { status, ...decode(this.endpoint, text, { open: successBody === 'open' }) } };
    }
    const failed = { happening: { kind: 'status', status, outOfCredits }, reply, ...(status === 429 && { waitMs: 0 }) } as const;
    if (alsoReports?.includes(status) !== true) return failed;
    try {
      return { answer: { status, ...decode(this.endpoint, text) } };
    } catch {
      // A 503 from a gateway carries no report.
      return failed;
    }
  }
}

/** A redirect to another origin would send the key there, and some statuses would change the method. Both are refused. */
function redirected(request: OutgoingRequest, status: number, location: string): OutgoingRequest {
  const target = parseUrl(location, request.origin + request.path);
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

/** A longer message does not fit on a terminal line or in a cell of a row. */
const maxMessageLength = 300;

export function serviceText(told: string, settings: Pick<CallSettings, 'redactLine'>): string {
  const words = settings.redactLine?.(told) ?? told;
  return words.length > maxMessageLength ? `${words.slice(0, maxMessageLength)}…` : words;
}

const countIn = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
