/** Holds the options of a sandbox, and everything that changes while it runs: lists, credits, the bill, counts of requests. */
import type { OperationName } from '../contract/operations.ts';
import { type Dataset, inventDataset } from './dataset.ts';
import { type Fault, type FaultRule, planFaults } from './faults.ts';
import { openAccounts } from './gate.ts';

export interface SandboxOptions {
  /** 0 takes a free port. */
  readonly port?: number | undefined;
  readonly people?: number | undefined;
  readonly seed?: number | undefined;
  /** The credits of the full key; a billed call costs 1. */
  readonly credits?: number | undefined;
  /** Requests per second for each key, and as many at once. */
  readonly rateLimit?: number | undefined;
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

/** Fills in the defaults. */
export function settle({ rateLimit = Number.POSITIVE_INFINITY, faults = [], faultRule, now = Date.now, ...options }: SandboxOptions) {
  const { port = 0, people = 120, seed = 1, credits = Number.POSITIVE_INFINITY, latency = 0, outOfCreditsStatus = 402 } = options;
  return { port, people, seed, credits, rateLimit, latency, outOfCreditsStatus, faults, faultRule, now };
}

export interface BillEntry {
  readonly at: string;
  readonly operation: OperationName;
  readonly method: string;
  /** The path below the base URL, with the query string. */
  readonly path: string;
  /** The path parameter, else the query string, else empty. */
  readonly item: string;
  /** The last four characters of the key. */
  readonly key: string;
  readonly credits: number;
}

export type World = ReturnType<typeof createWorld>;

/** Worlds with the same data may share it. */
export function createWorld(settings: ReturnType<typeof settle>, dataset: Dataset = inventDataset(settings)) {
  const bill: BillEntry[] = [];
  return {
    settings,
    dataset,
    lists: new Map(dataset.lists.map((list) => [list.id, list])),
    faults: planFaults(settings.seed, settings.faults, settings.faultRule),
    accounts: openAccounts(settings),
    bill,
    requests: new Map<OperationName, number>(),
  };
}
