/** Defines the options of a sandbox and their defaults. */
import { UsageError } from '../errors.ts';
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

export interface Range {
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
}

export const ranges = {
  port: { low: 0, high: 65_535, whole: true },
  people: { low: 1, high: 10_000_000, whole: true },
  seed: { low: 0, high: Number.MAX_SAFE_INTEGER, whole: true },
  credits: { low: 0, high: Number.POSITIVE_INFINITY, whole: true },
  rateLimit: { low: 0.001, high: Number.POSITIVE_INFINITY, whole: false },
  rateLimitBurst: { low: 1, high: Number.POSITIVE_INFINITY, whole: true },
  latency: { low: 0, high: 3_600_000, whole: false },
  outOfCreditsStatus: { low: 400, high: 599, whole: true },
} as const satisfies { readonly [N in keyof SandboxSettings]?: Range };

function refuseOutside(name: string, { low, high, whole }: Range, value: number): void {
  const isWhole = !whole || Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
  if (value >= low && value <= high && isWhole) return;
  throw new UsageError(`sandbox option ${name} must be ${inWords({ low, high, whole })}, not ${value}`, { item: name });
}

export function inWords({ low, high, whole }: Range): string {
  return `a ${whole ? 'whole ' : ''}number from ${low} ${high === Number.POSITIVE_INFINITY ? 'on' : `to ${high}`}`;
}

/** Fills in the defaults. @throws UsageError for a number outside its range */
export function settle(options: SandboxOptions): SandboxSettings {
  const number = (name: keyof typeof ranges, otherwise: number): number => {
    const value = options[name] ?? otherwise;
    refuseOutside(name, ranges[name], value);
    return value;
  };
  const rateLimit = number('rateLimit', Number.POSITIVE_INFINITY);
  return {
    port: number('port', 0),
    people: number('people', 120),
    seed: number('seed', 1),
    credits: number('credits', Number.POSITIVE_INFINITY),
    rateLimit,
    rateLimitBurst: number('rateLimitBurst', Math.max(1, Math.ceil(rateLimit))),
    latency: number('latency', 0),
    outOfCreditsStatus: number('outOfCreditsStatus', 402),
    faults: options.faults ?? [],
    faultRule: options.faultRule ?? (() => undefined),
    now: options.now ?? Date.now,
  };
}
