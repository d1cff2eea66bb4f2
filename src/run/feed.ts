/** `pdi feed` prints its pages; with a bookmark, only the signals that no earlier run delivered. */
import { join } from 'node:path';
import type { PagingFlags } from '../cli/paging.ts';
import { readInvestorInterest } from '../contract/feed.ts';
import { UsageError } from '../errors.ts';
import { requireShape } from '../input/identifier.ts';
import { defaultBookmark, openBookmark } from '../money/bookmark.ts';
import type { Context } from './context.ts';
import type { PagedRun } from './page-reader.ts';
import { runPages } from './run-pages.ts';

export interface FeedFlags extends PagingFlags {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
  readonly list?: string | undefined;
  readonly sort?: string | undefined;
  /** True for the flag without a name. */
  readonly sinceLast?: string | true | undefined;
}

/** @throws UsageError for contradicting flags, and what `openBookmark` and `runPages` throw */
export async function runFeed(context: Context, flags: FeedFlags): Promise<void> {
  const { after, before, search, list, sort, sinceLast } = flags;
  refuseContradictions(flags);
  const scope = {
    ...(search !== undefined && { search_id: search }),
    ...(list !== undefined && { list_id: list }),
    ...(sort !== undefined && { sort }),
    ...(after !== undefined && { signal_date_after: after }),
    ...(before !== undefined && { signal_date_before: before }),
  };
  const request = (page: object) => ({ path: {}, query: { ...scope, ...page } });
  const run = { endpoint: readInvestorInterest, request, flags };
  if (sinceLast === undefined || context.flags.dryRun === true) return runPages(context, run);
  await runWithBookmark(context, run, { search, list, sort, sinceLast });
}

/** The service would silently use only `search_id` if both are given. A bookmark must see every page. */
function refuseContradictions({ after, before, search, list, all, sinceLast }: FeedFlags): void {
  if (search !== undefined) requireShape('integer', search, '--search');
  if (list !== undefined) requireShape('uuid', list, '--list');
  if (search !== undefined && list !== undefined) {
    throw new UsageError('--search and --list exclude each other', { hint: 'the service would ignore the list: make two calls' });
  }
  if (after !== undefined && before !== undefined && after > before) {
    throw new UsageError(`--after ${after} is later than --before ${before}`, { hint: 'both days are inclusive' });
  }
  if (sinceLast !== undefined && all !== true) throw new UsageError('--since-last goes with --all', { hint: 'add --all' });
}

type FeedScope = Pick<FeedFlags, 'search' | 'list' | 'sort'> & { readonly sinceLast: string | true };

/** Only this run may use the bookmark. It moves after the output is safely written. */
async function runWithBookmark(context: Context, run: PagedRun<typeof readInvestorInterest>, scope: FeedScope): Promise<void> {
  const { search, list, sort, sinceLast } = scope;
  const { identity } = await context.service();
  const bookmark = await openBookmark({
    // A bookmark of the sandbox must not block the real one.
    directory: context.sandboxed() ? join(context.stateDirectory(), 'sandbox') : context.stateDirectory(),
    name: sinceLast === true ? defaultBookmark : sinceLast,
    scope: { baseUrl: identity, search, list, sort },
    processes: context.io.processes,
    clock: () => new Date(),
  });
  const delivered: string[] = [];
  try {
    await runPages(context, {
      ...run,
      deliveredBefore: (id) => bookmark.has(id),
      onRecord: (id) => delivered.push(id),
      afterwards: () => {
        for (const id of delivered) bookmark.deliver(id);
        bookmark.save();
      },
    });
  } finally {
    bookmark.close();
  }
}
