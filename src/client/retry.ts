/** Whether a call is sent again, and when: arithmetic on what happened. Waits nowhere, knows no clock. */
import type { Billing } from '../contract/endpoint.ts';
import type { Billed } from '../errors.ts';

/** What came of one attempt that did not bring the documented answer. */
export type Happening =
  | { readonly kind: 'refused' | 'unreachable' | 'lost' }
  | { readonly kind: 'status'; readonly status: number; readonly outOfCredits: boolean }
  | { readonly kind: 'misshapen' };

/**
 * Whether the service may have charged for an attempt. A refused connection, 429, 503 and every answer below 500 were not
 * executed; a lost answer, other 5xx and an unreadable body leave it open, unless the operation is free.
 */
export function billedAfter(billing: Billing, happening: Happening): Billed {
  if (billing === 'free') return 'no';
  switch (happening.kind) {
    case 'refused':
    case 'unreachable':
      return 'no';
    case 'lost':
    case 'misshapen':
      return 'unknown';
    case 'status':
      return happening.outOfCredits || happening.status < 500 || happening.status === 503 ? 'no' : 'unknown';
  }
}

/** Whether sending the same call again is both harmless (nothing can be charged twice) and of any use. */
export function mayRetry(billing: Billing, happening: Happening): boolean {
  if (billedAfter(billing, happening) !== 'no') return false;
  switch (happening.kind) {
    case 'refused':
    case 'lost':
      return true;
    case 'unreachable':
    case 'misshapen':
      return false;
    case 'status':
      return !happening.outOfCredits && (happening.status === 429 || happening.status >= 500);
  }
}

/** Milliseconds to wait before attempt `attempt + 1` (attempts count from 1): doubling from 250 ms to 8 s, half of it at random. */
export function backoff(attempt: number, random: () => number): number {
  const whole = Math.min(8000, 250 * 2 ** (attempt - 1));
  return whole / 2 + (random() * whole) / 2;
}

/**
 * Milliseconds that a 429 asks to wait: `X-RateLimit-Reset`, seconds as a float, clamped to 0…`maxWaitMs`.
 * Undefined where the header is missing or no number.
 */
export function resetDelay(header: string | undefined, maxWaitMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds * 1000), maxWaitMs);
}

/** An HTTP date; what else a date may look like is a guess. */
const httpDate = /^[A-Z][a-z]+, .+ GMT$/;

/**
 * The same of `Retry-After`: whole seconds, or the HTTP date when to come again, held against the `date` of the answer: the
 * service's clock, where it tells that, else ours (`today`, milliseconds).
 */
export function retryAfterDelay(
  header: string | undefined,
  date: string | undefined,
  today: number,
  maxWaitMs: number,
): number | undefined {
  const told = header?.trim() ?? '';
  if (/^\d+$/.test(told)) return resetDelay(told, maxWaitMs);
  const until = httpDate.test(told) ? Date.parse(told) : Number.NaN;
  if (Number.isNaN(until)) return undefined;
  const since = Date.parse(date ?? '');
  return Math.min(Math.max(0, until - (Number.isNaN(since) ? today : since)), maxWaitMs);
}
