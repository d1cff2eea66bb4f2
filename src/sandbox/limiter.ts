/** Limits requests with a token bucket. Sections "Errors" (429) and "Limits" (the three headers). */
import { errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { Refusal } from './refusal.ts';

export interface Limiter {
  /** Takes one token and returns the headers of the answer. @throws Refusal 429 if there is no token */
  take(): Readonly<Record<string, string>>;
}

export const unlimited: Limiter = { take: () => ({}) };

/** `rate` is per second, `now` in milliseconds, `burst` the Limit header. Reset is rounded up, so that exactly this wait is enough. */
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
      // A refill of exactly one token may be too small by a rounding error.
      if (tokens < 1 - 1e-9) throw new Refusal(429, 'Rate limit exceeded', errorCodes.rateLimited, headers());
      tokens = Math.max(0, tokens - 1);
      return headers();
    },
  };
}
