/** A token bucket. Sections "Errors" (429) and "Limits" (the three headers). */
import { errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { Refusal } from './refusal.ts';

export interface Limiter {
  /** Takes one token and returns the headers of the answer; throws a Refusal, 429, where there is none. */
  take(): Readonly<Record<string, string>>;
}

/** No limit, no headers. */
export const unlimited: Limiter = { take: () => ({}) };

/**
 * `rate` in requests a second, `burst` is the bucket's size; `now` in milliseconds. The Limit header is the bucket's
 * size, Reset the seconds until a request is possible (0 while tokens remain), rounded up to a millisecond so that
 * waiting exactly so long is enough.
 */
export function tokenBucket({ rate, burst, now }: { rate: number; burst: number; now: () => number }): Limiter {
  let tokens = burst;
  let filledAt = now();

  function refill(): void {
    const time = now();
    tokens = Math.min(burst, tokens + (Math.max(0, time - filledAt) / 1000) * rate);
    filledAt = time;
  }

  function headers(): Record<string, string> {
    const seconds = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rate) * 1000) / 1000;
    return {
      [rateLimitHeaders.limit]: String(burst),
      [rateLimitHeaders.remaining]: String(Math.floor(tokens)),
      [rateLimitHeaders.reset]: seconds.toFixed(3),
    };
  }

  return {
    take() {
      refill();
      // A refill of exactly one token may arrive a rounding error short.
      if (tokens < 1 - 1e-9) throw new Refusal(429, 'Rate limit exceeded', errorCodes.rateLimited, headers());
      tokens = Math.max(0, tokens - 1);
      return headers();
    },
  };
}
