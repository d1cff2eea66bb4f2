/** What `pdi feed` is asked for, and what of it goes with a bookmark. */
import { UsageError } from '../errors.ts';
import type { PagesAsked } from './page-reader.ts';

export interface FeedAsked {
  readonly wanted: PagesAsked;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
  readonly list?: string | undefined;
  readonly sort?: string | undefined;
  readonly sinceLast?: string | true | undefined;
  readonly lookBack?: number | undefined;
  readonly deliver?: readonly [string, ...string[]] | undefined;
}

/** @throws UsageError for flags of a bookmark that contradict each other, before anything is asked */
export function refuseContradictions(asked: FeedAsked, out: string | undefined): void {
  if (asked.sinceLast === undefined) refuseWithoutBookmark(asked);
  else refuseWithBookmark(asked, out);
}

function refuseWithoutBookmark({ lookBack, deliver }: FeedAsked): void {
  const hint = 'add --since-last';
  if (lookBack !== undefined) throw new UsageError('--look-back goes with --since-last', { hint });
  if (deliver !== undefined) throw new UsageError('--deliver goes with --since-last', { hint: `${hint}, or use a pipe` });
}

function refuseWithBookmark({ wanted: { page = 0 }, deliver }: FeedAsked, out: string | undefined): void {
  if (page > 0) {
    throw new UsageError('--since-last reads from the first page on', { hint: 'leave --page out: the bookmark knows where to go on' });
  }
  if (deliver !== undefined && out !== undefined) {
    throw new UsageError('--deliver and --out exclude each other', { hint: 'the program gets the rows: let it write the file' });
  }
}

/** Many pages go on by day where the service gives the newest first, unless they are asked for by number. */
export const readsByDay = ({ sort, wanted }: FeedAsked): boolean =>
  wanted.isMany && wanted.maxPages !== 1 && sort === undefined && wanted.page === undefined;
