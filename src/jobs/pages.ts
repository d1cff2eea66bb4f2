/** Reads many pages of one list, one after the other until a page is short, and yields each record once. */
import type { Buyer, Purchased } from '../book/buyer.ts';
import type { PageQuestion } from '../book/day-pages.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { defaultLimit } from '../contract/service.ts';
import { orFailure, PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import type { DayRange } from '../rows/days.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';

export interface AskedPage {
  /** Without them, the days are those of the range. */
  readonly days?: DayRange;
  readonly page?: number;
  readonly limit?: number;
}

export interface WantedPages {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  /** So many pages are read at most; it is 1 where only one page was asked for. */
  readonly maxPages: number;
}

export interface PagesJob<E extends Endpoint> extends WantedPages {
  readonly buyer: Buyer;
  readonly stopped: () => boolean;
  readonly endpoint: E;
  /** In the book it tells the pages of this range from those of others. */
  readonly name?: ((days?: DayRange) => string | undefined) | undefined;
  readonly request: (page: AskedPage) => RequestOf<E>;
  /** It chooses the pages; without it they are numbered. */
  readonly walk?: Walk | undefined;
  /** It is told of the rows of each page before they are handed out. */
  readonly keep?: ((rows: readonly ResultRow[]) => Promise<void>) | undefined;
  readonly deliveredBefore?: ((identity: string) => boolean) | undefined;
}

export interface Walk {
  question(): PageQuestion;
  /** Takes the records of the page, and tells whether it is the last. */
  note(records: readonly unknown[]): boolean;
  isAsked(record: unknown): boolean;
}

/** A single page is asked for just as the user did, so that the defaults stay those of the service. */
export function askedPage({ page, limit, maxPages }: WantedPages, turned: number): AskedPage {
  if (maxPages > 1) return { page: (page ?? 0) + turned, limit: limit ?? defaultLimit };
  return { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) };
}

/** Yields records in the service's order, and a failure last. The list may shift, so a record of an earlier page is dropped. */
export async function* pages<E extends Endpoint>(job: PagesJob<E>): ResultRows {
  const { maxPages, walk, keep } = job;
  let [longest, stale] = [0, 0];
  const seen = maxPages === 1 && walk === undefined ? undefined : new Set<string>();
  for (let turned = 0; turned < maxPages; turned += 1) {
    const page = await readPage(job, walk?.question() ?? askedPage(job, turned));
    if (page instanceof PdiError) return yield page;
    const { records, trouble } = page;
    const before = seen?.size;
    const rows = freshRows(job, page, seen);
    longest = Math.max(longest, records.length);
    const isLast = walk === undefined ? records.length < fullPage(job, longest) : walk.note(records.map(({ value }) => value));
    const notKept = keep && (await orFailure(() => keep(rows)));
    yield rows;
    if (trouble !== undefined) return yield trouble;
    if (notKept instanceof PdiError) return yield notKept;
    if (isLast) return;
    stale = seen !== undefined && seen.size > 0 && seen.size === before ? stale + 1 : 0;
    if (stale >= maxStale) return yield goesInCircles();
  }
}

/** After so many full pages in a row without a new record the run ends: no list shifts so far, and each page may be billed. */
const maxStale = 10;

const goesInCircles = (): PdiError =>
  new PdiError('unavailable', `${maxStale} full pages in a row held only records of earlier pages`, {
    retryable: false,
    hint: 'the service seems to give the same page again and again; report it to the service',
  });

function freshRows<E extends Endpoint>(
  { endpoint, deliveredBefore, walk }: PagesJob<E>,
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
    if (walk?.isAsked(record.value) === false) continue;
    fresh.push({ record, status: 'ok' });
  }
  return fresh;
}

/**
 * A page with fewer records than this is the last. Where the largest page is not documented, the service may give fewer than asked for, but
 * not fewer than its default; above that, the longest page so far counts. So no record is lost, and only beyond the default one more call
 * may be made to find the end.
 */
function fullPage({ endpoint: { maxLimit }, limit = defaultLimit }: PagesJob<Endpoint>, longest: number): number {
  return Math.min(limit, maxLimit ?? Math.max(defaultLimit, longest));
}

async function readPage<E extends Endpoint>(
  { buyer, stopped, endpoint, name, request, page: first = 0 }: PagesJob<E>,
  asked: AskedPage,
): Promise<Purchased<unknown> | PdiError> {
  const { page = first, days } = asked;
  const range = name?.(days);
  const item = `page:${page}${range === undefined ? '' : `:${range}`}`;
  const question = { endpoint, request: request(asked), item, label: `page ${page}` };
  return (await buyer.buy(question, { stopped })).result;
}

/** It is undefined where the record, or any of its kind, has no identity. */
function identityOf({ identity }: Endpoint, record: unknown): string | undefined {
  if (identity === undefined || !isObject(record)) return undefined;
  const value = record[identity];
  return typeof value === 'string' ? value : undefined;
}
