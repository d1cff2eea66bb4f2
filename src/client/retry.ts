/** Decides whether and when a call is sent again. It has no clock and does not wait. */
import type { Billing } from '../contract/endpoint.ts';
import type { Billed } from '../errors.ts';

export type Happening =
  | { readonly kind: 'refused' | 'unreachable' | 'lost' | 'misshapen' }
  | { readonly kind: 'status'; readonly status: number; readonly outOfCredits: boolean };

/** After a lost answer, an unreadable body or a 5xx other than 503, nobody knows whether the service carried the call out. */
export function mayBeCarriedOut(happening: Happening): boolean {
  if (happening.kind !== 'status') return happening.kind === 'lost' || happening.kind === 'misshapen';
  return !happening.outOfCredits && happening.status >= 500 && happening.status !== 503;
}

/** What was not carried out, or is free, was not charged. */
export const billedAfter = (billing: Billing, happening: Happening): Billed =>
  billing !== 'free' && mayBeCarriedOut(happening) ? 'unknown' : 'no';

/** A retry must be harmless (nothing can be charged twice) and useful. */
export function mayRetry(billing: Billing, happening: Happening): boolean {
  if (billedAfter(billing, happening) !== 'no') return false;
  if (happening.kind !== 'status') return happening.kind === 'refused' || happening.kind === 'lost';
  return !happening.outOfCredits && (happening.status === 429 || happening.status >= 500);
}

/** Gives milliseconds before attempt `attempt + 1` (counted from 1): they double from 250 ms to 8 s, and half of them is random. */
export function backoff(attempt: number, random: () => number): number {
  const whole = Math.min(8000, 250 * 2 ** (attempt - 1));
  return whole / 2 + (random() * whole) / 2;
}

/** Reads `X-RateLimit-Reset` (seconds as a float) as milliseconds from 0 to `maxWaitMs`; undefined where it is missing or no number. */
export function resetDelay(header: string | undefined, maxWaitMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds * 1000), maxWaitMs);
}

/** Only an HTTP date is read, because other dates would have to be guessed. */
const httpDate = /^[A-Z][a-z]+, .+ GMT$/;

/** Reads `Retry-After` in the same way: whole seconds, or an HTTP date compared with the answer's `date`, else with `today` (in ms). */
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
