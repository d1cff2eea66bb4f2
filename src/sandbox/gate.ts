/** Knows the keys and what each may do. */
import { errorCodes, rateLimitHeaders } from '../contract/service.ts';
import { Refusal } from './validation.ts';

export const keys = {
  full: 'sandbox-key-full',
  noPermission: 'sandbox-key-no-permission',
  /** Charged operations answer `OUT_OF_CREDITS`. */
  noCredits: 'sandbox-key-no-credits',
} as const;

export interface Account {
  readonly key: string;
  readonly isPermitted: boolean;
  credits: number;
  readonly limiter: Limiter;
}

export function openAccounts({
  credits,
  rateLimit,
  now,
}: {
  credits: number;
  rateLimit: number;
  now: () => number;
}): ReadonlyMap<string, Account> {
  const burst = Math.max(1, Math.ceil(rateLimit));
  const limiter = () => (Number.isFinite(rateLimit) ? tokenBucket({ rate: rateLimit, burst, now }) : unlimited);
  const accounts: readonly Account[] = [
    { key: keys.full, isPermitted: true, credits, limiter: limiter() },
    { key: keys.noPermission, isPermitted: false, credits: Number.POSITIVE_INFINITY, limiter: limiter() },
    { key: keys.noCredits, isPermitted: true, credits: 0, limiter: limiter() },
  ];
  return new Map(accounts.map((account) => [account.key, account]));
}

/** Section "Authentication", rules 2 and 3. An empty header is an invalid key. */
export function accountOf(accounts: ReadonlyMap<string, Account>, key: string | undefined): Account {
  if (key === undefined) throw new Refusal(401, 'The header X-API-KEY is missing', errorCodes.apiKeyMissing);
  const account = accounts.get(key);
  if (account === undefined) throw new Refusal(401, 'The API key is not valid', errorCodes.apiKeyNotValid);
  return account;
}

type Limiter = ReturnType<typeof tokenBucket>;

const unlimited: Limiter = { take: () => ({}) };

/** Sections "Errors" (429) and "Limits" (the three headers). `rate` is per second, `now` in milliseconds, `burst` the Limit header. Reset is rounded up, so that exactly this wait is enough. */
export function tokenBucket({ rate, burst, now }: { rate: number; burst: number; now: () => number }) {
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
    /** Takes one token and returns the headers of the answer. @throws Refusal 429 if there is no token */
    take(): Readonly<Record<string, string>> {
      refill();
      // A refill of exactly one token may be too small by a rounding error.
      if (tokens < 1 - 1e-9) throw new Refusal(429, 'Rate limit exceeded', errorCodes.rateLimited, headers());
      tokens = Math.max(0, tokens - 1);
      return headers();
    },
  };
}
