/** What a sandbox is made of: its options and data, and all that changes while it runs: lists, keys, credits, the bill, counts of requests. */
import type { OperationName } from '../contract/operations.ts';
import { errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { dayOf } from '../rows/days.ts';
import { memoize } from '../rows/memoize.ts';
import { defaultPeople, totalsOf } from './dataset/data.ts';
import { indexedInvestors } from './dataset/investors.ts';
import { inventLists, storedSearches } from './dataset/lists.ts';
import { factsOf, indexedSignals, numberedSignals, signalOf } from './dataset/signals.ts';
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

export const invalid = (message: string): Refusal =>
  new Refusal(422, message, errorCodes.validationError);

export interface SandboxOptions {
  /** 0 takes a free port. */
  readonly port?: number | undefined;
  readonly people?: number | undefined;
  readonly seed?: number | undefined;
  /** The day of the newest signal; where not given, that of the clock. */
  readonly today?: string | undefined;
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
  /** For tests: the clock, in milliseconds, of the rate limit, the bill, `updated_at` and today. */
  readonly now?: (() => number) | undefined;
}

type Settings = ReturnType<typeof settingsOf>;

function settingsOf({
  rateLimit = Number.POSITIVE_INFINITY,
  fault = [],
  faultRule,
  now = Date.now,
  today,
  ...options
}: SandboxOptions) {
  const {
    port = 0,
    people = defaultPeople,
    seed = 1,
    credits = Number.POSITIVE_INFINITY,
    latency = 0,
    outOfCreditsStatus = 402,
  } = options;
  return {
    port,
    people,
    seed,
    today: () => today ?? dayOf(new Date(now()).toISOString()),
    credits,
    rateLimit,
    latency,
    outOfCreditsStatus,
    fault,
    faultRule,
    now,
  };
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
  const made: number[] = [];
  let dataset = shared ?? inventDataset(settings, made);
  const bill: BillEntry[] = [];
  return {
    settings,
    /** It goes on with the days while a sandbox runs. */
    get dataset() {
      if (dataset.today !== settings.today()) dataset = inventDataset(settings, made);
      return dataset;
    },
    /** Makes a signal of this moment about the first person. */
    makeSignal() {
      const moment = Date.parse(settings.today()) + (settings.now() % 86_400_000);
      const number = Math.max(moment, (made.at(-1) ?? 0) + 1);
      made.push(number);
      dataset = inventDataset(settings, made);
      return signalOf(dataset, number);
    },
    lists: new Map(dataset.lists.map((list) => [list.id, list])),
    faults: planFaults(settings.seed, settings.fault, settings.faultRule),
    accounts: openAccounts(settings),
    bill,
    requests: new Map<OperationName, number>(),
  };
}

type Dataset = ReturnType<typeof inventDataset>;

function inventDataset(
  { people, seed, today }: Pick<Settings, 'people' | 'seed' | 'today'>,
  made: readonly number[],
) {
  const draws = { seed, today: today(), total: totalsOf(people) };
  const signals = numberedSignals(draws, made);
  const searches = storedSearches.map(({ finds, ...search }) => ({
    ...search,
    signals: memoize(() => finds && signals.filter((number) => finds(factsOf(draws, number)))),
  }));
  const [signalsOf, investorsBy] = [indexedSignals(draws, signals), indexedInvestors(draws)];
  return { ...draws, signals, signalsOf, investorsBy, lists: inventLists(draws), searches };
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
  const limiter = (): Limiter =>
    Number.isFinite(rateLimit) ? tokenBucket(rateLimit, now) : () => ({});
  const accounts: readonly Account[] = [
    { key: keys.full, isPermitted: true, credits, take: limiter() },
    {
      key: keys.noPermission,
      isPermitted: false,
      credits: Number.POSITIVE_INFINITY,
      take: limiter(),
    },
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
