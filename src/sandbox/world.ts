/** What a sandbox is made of: its options and data, and all that changes while it runs: lists, keys, credits, the bill, counts of requests. */
import type { OperationName } from '../contract/operations.ts';
import { errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { memoize } from '../rows/memoize.ts';
import { indexedInvestors } from './dataset/investors.ts';
import { inventLists, storedSearches } from './dataset/lists.ts';
import { factsOf, indexedSignals } from './dataset/signals.ts';
import { type Fault, type FaultRule, planFaults } from './faults.ts';

/** An answer in the shape of section "Errors". Any step may throw it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** It is absent if the document names no code: 404 and 500. */
    readonly errorCode?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export const invalid = (message: string): Refusal => new Refusal(422, message, errorCodes.validationError);

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
  readonly fault?: readonly Fault[] | undefined;
  /** For tests: it chooses the fault of a call, or returns undefined to leave the call to `fault`. */
  readonly faultRule?: FaultRule | undefined;
  /** For tests: the clock, in milliseconds, of the rate limit, the bill and `updated_at`. */
  readonly now?: (() => number) | undefined;
}

type Settings = ReturnType<typeof settingsOf>;

function settingsOf({ rateLimit = Number.POSITIVE_INFINITY, fault = [], faultRule, now = Date.now, ...options }: SandboxOptions) {
  const { port = 0, people = 120, seed = 1, credits = Number.POSITIVE_INFINITY, latency = 0, outOfCreditsStatus = 402 } = options;
  return { port, people, seed, credits, rateLimit, latency, outOfCreditsStatus, fault, faultRule, now };
}

export interface BillEntry {
  readonly at: string;
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
  /** The path parameter, else the query string, else empty. */
  readonly item: string;
  readonly key: string;
  readonly credits: number;
}

export type World = ReturnType<typeof createWorld>;

export function createWorld(options: SandboxOptions = {}, shared?: Dataset) {
  const settings = settingsOf(options);
  const dataset = shared ?? inventDataset(settings);
  const bill: BillEntry[] = [];
  return {
    settings,
    dataset,
    lists: new Map(dataset.lists.map((list) => [list.id, list])),
    faults: planFaults(settings.seed, settings.fault, settings.faultRule),
    accounts: openAccounts(settings),
    bill,
    requests: new Map<OperationName, number>(),
  };
}

type Dataset = ReturnType<typeof inventDataset>;

/** For 120 people there are 30 companies, 12 investors and 480 signals. */
function inventDataset({ people, seed }: { readonly people: number; readonly seed: number }) {
  const [companies, investors] = [Math.max(12, Math.ceil(people / 4)), Math.max(12, Math.ceil(people / 20))];
  const total = { people, companies, investors, signals: Math.max(240, people * 4) };
  const draws = { seed, total };
  const places = Array.from({ length: total.signals }, (_, place) => place);
  const searches = storedSearches.map(({ finds, ...search }) => ({
    ...search,
    places: memoize(() => finds && places.filter((place) => finds(factsOf(draws, place)))),
  }));
  const [signalsOf, investorsBy] = [indexedSignals(draws, places), indexedInvestors(draws)];
  return { ...draws, places, signalsOf, investorsBy, lists: inventLists(total), searches };
}

export const keys = {
  full: 'sandbox-key-full',
  noPermission: 'sandbox-key-no-permission',
  noCredits: 'sandbox-key-no-credits',
} as const;

export interface Account {
  readonly key: string;
  readonly isPermitted: boolean;
  credits: number;
  /** Counts a call, and gives the headers of its answer. @throws Refusal 429 */
  readonly take: Limiter;
}

function openAccounts({ credits, rateLimit, now }: Settings): ReadonlyMap<string, Account> {
  const limiter = (): Limiter => (Number.isFinite(rateLimit) ? tokenBucket(rateLimit, now) : () => ({}));
  const accounts: readonly Account[] = [
    { key: keys.full, isPermitted: true, credits, take: limiter() },
    { key: keys.noPermission, isPermitted: false, credits: Number.POSITIVE_INFINITY, take: limiter() },
    { key: keys.noCredits, isPermitted: true, credits: 0, take: limiter() },
  ];
  return new Map(accounts.map((account) => [account.key, account]));
}

type Limiter = ReturnType<typeof tokenBucket>;

/** Sections "Errors" (429) and "Limits" (the headers). `rate` is per second; Reset is rounded up, so that exactly this wait is enough. */
function tokenBucket(rate: number, now: () => number) {
  const burst = Math.max(1, Math.ceil(rate));
  let tokens = burst;
  let filledAt = now();
  return (): Readonly<Record<string, string>> => {
    const time = now();
    tokens = Math.min(burst, tokens + (Math.max(0, time - filledAt) / 1000) * rate);
    filledAt = time;
    // A refill of exactly one token may be too small by a rounding error.
    const isEnough = tokens >= 1 - 1e-9;
    if (isEnough) tokens = Math.max(0, tokens - 1);
    const seconds = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rate) * 1000) / 1000;
    const headers = {
      [rateLimitHeaders.limit]: String(burst),
      [rateLimitHeaders.remaining]: String(Math.floor(tokens)),
      [rateLimitHeaders.reset]: seconds.toFixed(3),
    };
    if (isEnough) return headers;
    throw new Refusal(429, 'Rate limit exceeded', errorCodes.rateLimited, headers);
  };
}
