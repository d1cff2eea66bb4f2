/** The typed HTTP core: any endpoint, through one rateLimiter and one transport. */
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { type Answer, Call, type CallOptions, type CallSettings } from './call.ts';
import { Pace } from './pace.ts';
import type { ProxySettings } from './proxy.ts';
import { RateLimiter } from './rate-limiter.ts';
import { backoff } from './retry.ts';
import { openTransport } from './transport.ts';

export interface ClientOptions extends Omit<CallSettings, 'origin'> {
  readonly concurrency: number;
  /** Requests a second at most. */
  readonly rate?: number | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Called before each connection is opened, its name lookup included. */
  readonly beforeConnecting?: (() => void) | undefined;
  /** Aborted: nothing more is sent, calls under way are finished. */
  readonly stop: AbortSignal;
}

export interface Client {
  /**
   * Calls an endpoint.
   * @throws ServiceError what became of the call, and whether it may have been billed
   * @throws UsageError where the request cannot be sent as it is
   */
  call<E extends Endpoint>(endpoint: E, request: RequestOf<E>, options?: CallOptions): Promise<Answer<ResponseOf<E>>>;
  /**
   * Waits as long as a call does before attempt `attempt + 1`, for callers that repeat what the client may not.
   * @throws PdiError `interrupted` where the run is stopped before the end
   */
  pause(attempt: number): Promise<void>;
  /** Sends nothing more; calls under way are finished, those that wait to be sent or sent again are given up. */
  finish(): void;
  close(): Promise<void>;
}

export async function createClient(options: ClientOptions): Promise<Client> {
  const origin = new URL(options.baseUrl).origin;
  const finished = new AbortController();
  const stop = AbortSignal.any([options.stop, finished.signal]);
  const settings: CallSettings = { ...options, origin };
  const { concurrency, proxy, timeoutMs, beforeConnecting, now } = options;
  const connecting = { connections: concurrency, proxy, connectTimeoutMs: timeoutMs, beforeConnecting };
  const transport = await openTransport(origin, { ...connecting, now });
  const rateLimiter = new RateLimiter(new Pace(options.rate), stop, options.now);
  return {
    call: (endpoint, request, asked = {}) => new Call(settings, transport, rateLimiter, endpoint, asked).run(request),
    pause: (attempt) => rateLimiter.pause(backoff(attempt, options.random)),
    finish: () => finished.abort(),
    close: () => transport.close(),
  };
}
