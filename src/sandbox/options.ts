/** Defines the options of a sandbox and their defaults. */
import type { Fault, FaultRule } from './faults.ts';

export interface SandboxSettings {
  /** 0, the default, takes a free port. */
  readonly port: number;
  /** The size of the data set; the default is 120. */
  readonly people: number;
  readonly seed: number;
  /** The credits of the full key; a billed call costs 1. The default is unlimited. */
  readonly credits: number;
  /** Requests per second for each key. The default is unlimited. */
  readonly rateLimit: number;
  /** Requests at once; the default is the number that `rateLimit` allows in one second. */
  readonly rateLimitBurst: number;
  /** Milliseconds from execution to answer. */
  readonly latency: number;
  /** The document does not name this status; the default is 402. */
  readonly outOfCreditsStatus: number;
  readonly faults: readonly Fault[];
  /** For tests: it chooses the fault of a call, or returns undefined to leave the call to `faults`. */
  readonly faultRule: FaultRule;
  /** For tests: the clock, in milliseconds, of the rate limit, the bill and `updated_at`. */
  readonly now: () => number;
}

export type SandboxOptions = { readonly [K in keyof SandboxSettings]?: SandboxSettings[K] | undefined };

/** Fills in the defaults. */
export function settle(options: SandboxOptions): SandboxSettings {
  const { rateLimit = Number.POSITIVE_INFINITY } = options;
  return {
    port: options.port ?? 0,
    people: options.people ?? 120,
    seed: options.seed ?? 1,
    credits: options.credits ?? Number.POSITIVE_INFINITY,
    rateLimit,
    rateLimitBurst: options.rateLimitBurst ?? Math.max(1, Math.ceil(rateLimit)),
    latency: options.latency ?? 0,
    outOfCreditsStatus: options.outOfCreditsStatus ?? 402,
    faults: options.faults ?? [],
    faultRule: options.faultRule ?? (() => undefined),
    now: options.now ?? Date.now,
  };
}
