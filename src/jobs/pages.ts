/** Many pages of one list: one after the other until a page is short, each record once. */
import type { Client } from '../client/client.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { defaultLimit } from '../contract/service.ts';
import { PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import type { Purchase, Purchased } from './purchase.ts';
import { pausing, retryUnknown } from './retry-unknown.ts';

interface AskedPage {
  readonly page?: number;
  readonly limit?: number;
}

/** Which pages are wanted. */
export interface WantedPages {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  /** Pages at most; one where only a page was asked for. */
  readonly maxPages: number;
}

export interface PagesJob<E extends Endpoint> extends WantedPages {
  readonly client: Client;
  readonly purchase: Purchase;
  readonly stopped: () => boolean;
  /** How often a page is bought again whose answer was lost: 0 unless `--retry-unknown`. */
  readonly retriesOfUnknown: number;
  readonly endpoint: E;
  /** What tells the pages of this range from those of others, in the ledger. */
  readonly name?: string | undefined;
  readonly request: (page: AskedPage) => RequestOf<E>;
  /** Whether a record was delivered by an earlier run. */
  readonly deliveredBefore?: ((identity: string) => boolean) | undefined;
  /** Told of all records of each page before they are handed out. */
  readonly onPage?: ((records: readonly unknown[], isLast: boolean) => void) | undefined;
}

/** How page `turned` of those wanted is asked for. A single page is asked for just as the user did: defaults stay the service's. */
export function askedPage({ page, limit, maxPages }: WantedPages, turned: number): AskedPage {
  if (maxPages > 1) return { page: (page ?? 0) + turned, limit: limit ?? defaultLimit };
  return { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) };
}

/**
 * Yields the records in the order of the service, a page's together. The list may shift as records arrive: one seen on an
 * earlier page is dropped by its identity. The failure of a page's call is the last that comes.
 */
export async function* pages<E extends Endpoint>(job: PagesJob<E>): ResultRows {
  const { maxPages } = job;
  let [longest, stale] = [0, 0];
  const seen = maxPages === 1 ? undefined : new Set<string>();
  for (let turned = 0; turned < maxPages; turned += 1) {
    const page = await readPage(job, askedPage(job, turned), (job.page ?? 0) + turned);
    if (page instanceof PdiError) return yield page;
    const { records, trouble } = page;
    const before = seen?.size;
    const rows = freshRows(job, page, seen);
    longest = Math.max(longest, records.length);
    const isLast = records.length < fullPage(job, longest);
    job.onPage?.(
      records.map(({ value }) => value),
      isLast,
    );
    yield rows;
    if (trouble !== undefined) return yield trouble;
    if (isLast) return;
    stale = seen !== undefined && seen.size > 0 && seen.size === before ? stale + 1 : 0;
    if (stale >= maxStale) return yield goesInCircles();
  }
}

/** So many full pages in a row without a record that is new to the run: no list shifts so far, and each page may be billed. */
const maxStale = 10;

const goesInCircles = (): PdiError =>
  new PdiError('unavailable', `${maxStale} full pages in a row held only records of earlier pages`, {
    retryable: false,
    hint: 'the service seems to give the same page again and again; report it to the service',
  });

/** The records of a page that were on none before, nor delivered by an earlier run. */
function freshRows<E extends Endpoint>(
  { endpoint, deliveredBefore }: PagesJob<E>,
  { records }: Pick<Purchased<unknown>, 'records'>,
  seen: Set<string> | undefined,
): readonly ResultRow[] {
  const fresh: ResultRow[] = [];
  for (const record of records) {
    const identity = identityOf(endpoint, record.value);
    if (identity !== undefined) {
      const isKnown = seen?.has(identity) === true;
      seen?.add(identity);
      if (isKnown || deliveredBefore?.(identity) === true) continue;
    }
    fresh.push({ record, status: 'ok' });
  }
  return fresh;
}

/**
 * So many records make a page full; one with fewer is the last. Where the largest page is not documented, the service may
 * hold less on each than was asked for, though no less than where nothing is asked: above that, the longest page so far is
 * the measure. So up to the usual limit no call is spent on finding out; beyond it one more may be, and no record is lost.
 */
function fullPage({ endpoint: { maxLimit }, limit = defaultLimit }: PagesJob<Endpoint>, longest: number): number {
  return Math.min(limit, maxLimit ?? Math.max(defaultLimit, longest));
}

async function readPage<E extends Endpoint>(
  { client, purchase, stopped, retriesOfUnknown, endpoint, name, request }: PagesJob<E>,
  asked: AskedPage,
  page: number,
): Promise<Purchased<unknown> | PdiError> {
  const item = `page ${page}`;
  const inLedger = `page:${page}${name === undefined ? '' : `:${name}`}`;
  const buy = (before: number) => purchase(endpoint, inLedger, () => client.call(endpoint, request(asked), { item, before }), stopped);
  return retryUnknown(buy, { times: retriesOfUnknown, goesOn: pausing(client) });
}

/** What tells a record of this list from the others; undefined where the record, or any of its kind, has nothing of the sort. */
function identityOf({ identity }: Endpoint, record: unknown): string | undefined {
  if (identity === undefined || !isObject(record)) return undefined;
  const value = record[identity];
  return typeof value === 'string' ? value : undefined;
}
