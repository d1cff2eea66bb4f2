/** Defines the options of a sandbox and their defaults. */
import type { Fault, FaultRule } from './faults.ts';

export interface SandboxOptions {
  /** 0 takes a free port. */
  readonly port?: number | undefined;
  readonly people?: number | undefined;
  readonly seed?: number | undefined;
  /** The credits of the full key; a billed call costs 1. */
  readonly credits?: number | undefined;
  /** Requests per second for each key. */
  readonly rateLimit?: number | undefined;
  /** Requests at once; the default is the number that `rateLimit` allows in one second. */
  readonly rateLimitBurst?: number | undefined;
  /** Milliseconds from execution to answer. */
  readonly latency?: number | undefined;
  /** The document does not name this status. */
  readonly outOfCreditsStatus?: number | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** For tests: it chooses the fault of a call, or returns undefined to leave the call to `faults`. */
  readonly faultRule?: FaultRule | undefined;
  /** For tests: the clock, in milliseconds, of the rate limit, the bill and `updated_at`. */
  readonly now?: (() => number) | undefined;
}

export type SandboxSettings = ReturnType<typeof settle>;

/** Fills in the defaults. */
export function settle({ rateLimit = Number.POSITIVE_INFINITY, ...options }: SandboxOptions) {
  const { port = 0, people = 120, seed = 1, credits = Number.POSITIVE_INFINITY, latency = 0, outOfCreditsStatus = 402 } = options;
  const { rateLimitBurst = Math.max(1, Math.ceil(rateLimit)), faults = [], faultRule, now = Date.now } = options;
  return { port, people, seed, credits, rateLimit, rateLimitBurst, latency, outOfCreditsStatus, faults, faultRule, now };
}
