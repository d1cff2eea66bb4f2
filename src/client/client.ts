/** The typed HTTP core calls any endpoint through one rate limiter and one transport. */
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { type Answer, Call, type CallOptions, type CallSettings, serviceText } from './call.ts';
import { Pace } from './pace.ts';
import type { ProxySettings } from './proxy.ts';
import { RateLimiter } from './rate-limiter.ts';
import { backoff } from './retry.ts';
import { openTransport } from './transport.ts';

export interface ClientOptions extends Omit<CallSettings, 'origin'> {
  readonly concurrency: number;
  readonly rate?: number | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** It is called before each connection opens, and so before its name lookup. */
  readonly beforeConnecting?: (() => void) | undefined;
  /** When it is aborted, nothing more is sent, and calls under way are finished. */
  readonly stop: AbortSignal;
}

export interface Client {
  /** @throws ServiceError saying whether the call may have been billed, UsageError where the request cannot be sent as it is */
  call<E extends Endpoint>(endpoint: E, request: RequestOf<E>, options?: CallOptions): Promise<Answer<ResponseOf<E>>>;
  /** Waits as a call does before attempt `attempt + 1`, for callers with their own retries. @throws PdiError `interrupted` after a stop */
  pause(attempt: number): Promise<void>;
  /** Sends nothing more: calls under way are finished, and waiting calls are given up. */
  finish(): void;
  /** Makes one line without the key of a text of the service, for a message. */
  serviceText(told: string): string;
  close(): Promise<void>;
}

export async function createClient(options: ClientOptions): Promise<Client> {
  const origin = new URL(options.baseUrl).origin;
  const finished = new AbortController();
  const stop = AbortSignal.any([options.stop, finished.signal]);
  const settings: CallSettings = { ...options, origin };
  const { concurrency, proxy, timeoutMs, beforeConnecting, now } = options;
  const connecting = { connections: concurrency, proxy, connectTimeoutMs: timeoutMs, beforeConnecting };
  const transport = await openTransport(origin, connecting, now);
  const rateLimiter = new RateLimiter(new Pace(options.rate), stop, options.now);
  return {
    call: (endpoint, request, asked = {}) => new Call(settings, transport, rateLimiter, endpoint, asked).run(request),
    pause: (attempt) => rateLimiter.pause(backoff(attempt, options.random)),
    finish: () => finished.abort(),
    serviceText: (told) => serviceText(told, settings),
    close: () => transport.close(),
  };
}
