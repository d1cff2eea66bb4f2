/** The flags of `pdi feed`, and which of them go with a bookmark. */
import { isManyPages, type PagingFlags } from '../cli/paging.ts';
import { UsageError } from '../errors.ts';

export interface FeedFlags extends PagingFlags {
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
export function refuseContradictions(flags: FeedFlags, out: string | undefined): void {
  if (flags.sinceLast === undefined) refuseWithoutBookmark(flags);
  else refuseWithBookmark(flags, out);
}

function refuseWithoutBookmark({ lookBack, deliver }: FeedFlags): void {
  const hint = 'add --since-last';
  if (lookBack !== undefined) throw new UsageError('--look-back goes with --since-last', { hint });
  if (deliver !== undefined) throw new UsageError('--deliver goes with --since-last', { hint: `${hint}, or use a pipe` });
}

function refuseWithBookmark({ page = 0, deliver }: FeedFlags, out: string | undefined): void {
  if (page > 0) {
    throw new UsageError('--since-last reads from the first page on', { hint: 'leave --page out: the bookmark knows where to go on' });
  }
  if (deliver !== undefined && out !== undefined) {
    throw new UsageError('--deliver and --out exclude each other', { hint: 'the program gets the rows: let it write the file' });
  }
}

/** Many pages go on by day where the service gives the newest first, unless they are asked for by number. */
export const readsByDay = ({ sort, page, ...flags }: FeedFlags): boolean =>
  isManyPages(flags) && flags.maxPages !== 1 && sort === undefined && page === undefined;
