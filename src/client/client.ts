/** The HTTP core: a call of any endpoint is sent as often as is harmless, and its answer checked against the contract. */
import { setMaxListeners } from 'node:events';
import type { Endpoint, Question, RequestParts } from '../contract/endpoint.ts';
import { mayCost } from '../contract/price.ts';
import { keyHeader, rateLimitHeaders } from '../contract/service.ts';
import { attempt, truncated } from '../errors.ts';
import { memoize } from '../rows/memoize.ts';
import type { ApiRecord } from '../rows/row.ts';
import { parseUrl } from '../rows/url.ts';
import { type ConnectionOptions, openConnections, speaksTls } from './connections.ts';
import { decode, isOutOfCredits, pageIn, readRefusal } from './decode.ts';
import { failureOf, mayBeCarriedOut, mayRetry, NoAnswer } from './failure.ts';
import { backoff, Pace, resetDelay, retryAfterDelay } from './pace.ts';
import { RateLimiter, type SharedPace } from './rate-limiter.ts';
import { planRequest } from './request.ts';
import { notPlain, type OutgoingRequest, type Reply, transportOver } from './transport.ts';

interface ClientOptions extends ConnectionOptions {
  readonly baseUrl: string;
  readonly key: () => Promise<string>;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly userAgent: string;
  readonly rate?: number | undefined;
  /** From so many requests at once their number adapts, up to `concurrency`. */
  readonly startsWith?: number | undefined;
  /** Opens the pace that all runs of the key share; undefined where there is none. */
  readonly sharedPace?: ((mayCreate: boolean) => Promise<SharedPace | undefined>) | undefined;
  /** When it is aborted, nothing more is sent, and calls under way are finished. */
  readonly stop: AbortSignal;
  /** It is told at the stop how many calls are waited for, where there are any. */
  readonly onFinishing?: ((calls: number) => void) | undefined;
  /** The writer removes the key from the line. */
  readonly log?: ((line: string) => void) | undefined;
  /** Makes one line without the key of a text of the service, because such texts are stored in rows and journals. */
  readonly redactLine?: ((told: string) => string) | undefined;
  readonly now: () => number;
  readonly random: () => number;
}

export interface Answer {
  readonly status: number;
  /** So long a cache between had it, in milliseconds. */
  readonly ageMs?: number | undefined;
  readonly record: ApiRecord;
  readonly records: readonly ApiRecord[];
}

interface CallOptions {
  readonly item?: string | undefined;
  readonly before?: number | undefined;
  /** If it is true when the request's turn comes, the request is not sent. */
  readonly isGivenUp?: (() => boolean) | undefined;
  readonly ticket?: TicketOfCall | undefined;
}

/** What the call must have while it is at the service: so a kill leaves no call in doubt that only waited for its turn. */
interface TicketOfCall {
  /** When the turn has come; where this fails, the turn is another call's and nothing is sent. */
  take(): Promise<void>;
  /** The service did not carry the call out, and it waits to be sent again. */
  giveBack(): Promise<void>;
}

export type Client = Awaited<ReturnType<typeof createClient>>;

export async function createClient(options: ClientOptions) {
  const { baseUrl, now, random, stop, onFinishing } = options;
  const finished = new AbortController();
  const transport = transportOver(await openConnections(new URL(baseUrl).origin, options), now);
  // Each of many clients of a run listens to it, and Node would warn on stderr of more than ten.
  setMaxListeners(0, stop);
  const { rate, startsWith, concurrency: mostAtOnce, sharedPace = async () => undefined } = options;
  const pace = new Pace(rate, mostAtOnce, { startsWith, name: `${Date.now()} ${random()}` });
  const rateLimiter = new RateLimiter(
    pace,
    AbortSignal.any([stop, finished.signal]),
    now,
    sharedPace,
  );
  stop.addEventListener(
    'abort',
    () => rateLimiter.inFlight > 0 && onFinishing?.(rateLimiter.inFlight),
    { once: true },
  );
  const isDirect = options.proxy?.httpProxy === undefined;
  const isOfTls = memoize(
    async () => baseUrl.startsWith('http:') && isDirect && (await speaksTls(new URL(baseUrl))),
  );
  return {
    /** @throws ServiceError saying whether the call may have been billed, UsageError where the request cannot be sent as it is */
    call: (endpoint: Endpoint, request: RequestParts, callOptions: CallOptions = {}) =>
      new Call({ ...options, isOfTls }, transport, rateLimiter, {
        endpoint,
        request,
        ...callOptions,
      }).run(),
    /** So many calls may be under way now, or wait for their turn. */
    get atOnce() {
      return Math.max(startsWith ?? 1, rateLimiter.atOnce);
    },
    /** What machines tell each other of the limit that one of them has met. */
    limit: {
      closedForMs: () => rateLimiter.closedForMs,
      close: (ms: number) => rateLimiter.close(ms),
    },
    /** Waits as a call does before attempt `attempt + 1`. @throws PdiError `interrupted` after a stop */
    pause: (attempt: number) => rateLimiter.pause(backoff(attempt, random)),
    /** Sends nothing more: calls under way are finished, and waiting calls are given up. */
    finish: () => finished.abort(),
    serviceText: (text: string) => serviceText(text, options),
    close: () => transport.close(),
  };
}

const maxRedirects = 5;
const fewFreeCalls = 2;

class Call {
  private lostBefore: boolean;
  /** Refusals that are no tries. */
  private forgiven = 0;

  constructor(
    private readonly options: ClientOptions & { readonly isOfTls: () => Promise<boolean> },
    private readonly transport: ReturnType<typeof transportOver>,
    private readonly rateLimiter: RateLimiter,
    private readonly question: Question & CallOptions,
  ) {
    this.lostBefore = (question.before ?? 0) > 0;
  }

  async run(): Promise<Answer> {
    const outgoing = await this.outgoing();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.judge(await this.exchange(outgoing, attempt));
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        await this.waitToRetry(error, attempt);
      }
    }
  }

  private async waitToRetry(why: NoAnswer, attempt: number): Promise<void> {
    const { retries, maxWaitMs, random } = this.options;
    // The limit is met, but not by this call alone: its turn will come.
    if (why.facts.status === 429 && retries > 0 && this.rateLimiter.hasAccepted(maxWaitMs))
      this.forgiven += 1;
    if (attempt - this.forgiven > retries || !mayRetry(this.question.endpoint, why))
      throw this.failure(why);
    this.lostBefore ||= mayBeCarriedOut(why);
    await this.question.ticket?.giveBack();
    // After a 429 the rate limiter makes all requests wait, so only other failures wait here, and one that is refused again and again.
    if (why.facts.status === 429 && attempt <= retries) return;
    // A run that stops meanwhile has no request pending, so the last failure is the result.
    await this.rateLimiter
      .pause(backoff(attempt, random))
      .catch(() => Promise.reject(this.failure(why)));
  }

  private failure({ kind, message, facts }: NoAnswer): Error {
    const { question, lostBefore } = this;
    const told = (text: string | undefined) => text && serviceText(text, this.options);
    const refusal = {
      errorCode: told(facts.refusal?.errorCode),
      message: told(facts.refusal?.message),
    };
    const why = new NoAnswer(kind, serviceText(message, this.options), { ...facts, refusal });
    return failureOf(why, { ...question, lostBefore });
  }

  private async outgoing(): Promise<OutgoingRequest> {
    const { baseUrl, key, userAgent } = this.options;
    const { endpoint, request } = this.question;
    const { method, url, body } = planRequest(baseUrl, endpoint, request);
    const { origin } = new URL(baseUrl);
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(endpoint.key !== 'none' && { [keyHeader]: await key() }),
    };
    return {
      method,
      origin,
      path: url.slice(origin.length),
      headers,
      body,
      isRepeatable: !mayCost(endpoint),
    };
  }

  private async exchange(first: OutgoingRequest, attempt: number): Promise<Reply> {
    let request = first;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await this.sendOnce(request, attempt);
      const isRedirect = reply.status >= 300 && reply.status < 400 && !isOutOfCredits(reply);
      const target = isRedirect ? reply.header('location') : undefined;
      if (target === undefined) return reply;
      if (redirects >= maxRedirects)
        throw new NoAnswer(
          'unreachable',
          `the service redirects in a circle, or more than ${maxRedirects} times`,
        );
      request = redirected(request, reply.status, target);
    }
  }

  private async sendOnce(request: OutgoingRequest, attempt: number): Promise<Reply> {
    const { now, log, timeoutMs, isOfTls } = this.options;
    const sentAt = await this.turn(attempt > 1);
    const inAll = attempt + (this.question.before ?? 0);
    log?.(
      `> ${request.method} ${request.origin}${request.path}${inAll > 1 ? ` (attempt ${inAll})` : ''}`,
    );
    const reply = await this.transport.send(request, timeoutMs).catch(async (error: unknown) => {
      this.rateLimiter.unanswered();
      log?.(
        `< no answer: ${error instanceof Error ? error.message : error} after ${Math.round(now() - sentAt)} ms`,
      );
      // A server of TLS that is asked in plain HTTP closes the connection without a word.
      const isSilent = error instanceof NoAnswer && error.facts.beforeAnyByte === true;
      throw isSilent && (await isOfTls()) ? notPlain() : error;
    });
    this.noteLimit(reply, sentAt, attempt);
    const requestId = reply.header('x-request-id');
    log?.(
      `< ${reply.status} in ${Math.round(now() - sentAt)} ms${requestId === undefined ? '' : `, request id ${requestId}`}`,
    );
    return reply;
  }

  private async turn(isAgain: boolean): Promise<number> {
    const { ticket, isGivenUp } = this.question;
    // The book is open for the ticket. A few free calls do without it.
    if (ticket !== undefined || this.rateLimiter.turns >= fewFreeCalls)
      await this.rateLimiter.prepare(ticket !== undefined);
    const turn = await this.rateLimiter.acquire(isAgain, isGivenUp);
    try {
      await ticket?.take();
      return this.options.now();
    } catch (error) {
      this.rateLimiter.giveBack(turn);
      throw error;
    }
  }

  private noteLimit(reply: Reply, sentAt: number, attempt: number): void {
    const { maxWaitMs, random } = this.options;
    const { header } = reply;
    const limited = reply.status === 429 && !isOutOfCredits(reply);
    const otherWait = () =>
      retryAfterDelay(header('retry-after'), header('date'), Date.now()) ??
      backoff(attempt + 1, random);
    const wait = resetDelay(header(rateLimitHeaders.reset)) ?? (limited ? otherWait() : undefined);
    const news = {
      limited,
      overloaded: reply.status === 503,
      faulted: reply.status >= 400 && reply.status !== 404,
      limit: countIn(header(rateLimitHeaders.limit)),
      remaining: countIn(header(rateLimitHeaders.remaining)),
      resetMs: wait && Math.min(Math.max(0, wait), maxWaitMs),
    };
    this.rateLimiter.answered(sentAt, news, this.question.endpoint.key !== 'none');
  }

  private judge(reply: Reply): Answer {
    const { endpoint } = this.question;
    const { status, text } = reply;
    const outOfCredits = isOutOfCredits(reply);
    const ageMs = ageIn(reply.header('age'));
    if (status >= 200 && status < 300 && !outOfCredits)
      return { status, ageMs, ...decode(endpoint, text) };
    // A 503 from a gateway carries no report.
    const report =
      endpoint.alsoReports?.includes(status) === true
        ? attempt(() => decode(endpoint, text))
        : undefined;
    if (report !== undefined) return { status, ...report };
    if (status === 400 && saysTls.test(text)) throw notPlain();
    const page = pageIn(text);
    throw new NoAnswer('status', page ?? '', {
      status,
      outOfCredits,
      isPage: page !== undefined,
      refusal: readRefusal(text),
    });
  }
}

/** In whole seconds (RFC 9111, 5.1). What is older than ten years is no age. */
function ageIn(header: string | undefined): number | undefined {
  const seconds = header !== undefined && /^\d{1,10}$/.test(header) ? Number(header) : 0;
  return seconds === 0 || seconds > 10 * 365 * 86_400 ? undefined : seconds * 1000;
}

/** So common servers answer what comes to a port of TLS in plain HTTP. */
const saysTls =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL|host and port requires TLS/i;

/** Refuses to send the key to another origin, and to change the method as some statuses do. */
function redirected(request: OutgoingRequest, status: number, location: string): OutgoingRequest {
  const target = parseUrl(location, request.origin + request.path);
  if (target === undefined || target.origin !== request.origin) {
    // An address such as `data:` has no origin.
    const place =
      target?.origin === 'null' ? target.protocol : (target?.origin ?? 'a broken address');
    throw new NoAnswer(
      'unreachable',
      `the service redirects (${status}) to ${place}, which does not get the key`,
    );
  }
  if (request.method !== 'GET' && status !== 307 && status !== 308) {
    throw new NoAnswer('unreachable', `the service redirects a ${request.method} (${status})`);
  }
  return { ...request, path: target.pathname + target.search };
}

const maxMessageLength = 300;

function serviceText(text: string, { redactLine }: ClientOptions): string {
  return truncated(redactLine?.(text) ?? text, maxMessageLength);
}

const countIn = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
