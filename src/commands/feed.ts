/** `pdi feed`: dated investor-interest signals, a charge for each page that is not empty. */

import { dateFlag } from '../cli/date-flag.ts';
import { allOption, countFlag, maxPagesOption, pageOption } from '../cli/paging.ts';
import { UsageError } from '../errors.ts';
import { requireShape } from '../input/shape.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addFeed(program: Program, launch: Launch): void {
  program
    .command('feed')
    .summary('investor-interest signals, newest first (charged, 1 a non-empty page)')
    .description('Read investor-interest signals, newest first: one page, or all with --all. Charged: one call a non-empty page.')
    .option('--after <date>', 'first day, YYYY-MM-DD, inclusive', dateFlag('--after'))
    .option('--before <date>', 'last day, YYYY-MM-DD, inclusive', dateFlag('--before'))
    .option('--search <id>', 'signals that match a saved search')
    .option('--list <id>', 'signals for the members of a list')
    .option('--sort <order>', 'order of results; its values are not documented, the sandbox lists its own')
    .addOption(pageOption())
    .option(
      '--limit <number>',
      'signals a page, 1 to 50 (default 50)',
      countFlag('--limit', { least: 1, most: 50, expected: 'a whole number from 1 to 50' }),
    )
    .addOption(allOption())
    .addOption(maxPagesOption())
    .option('--since-last [name]', 'with --all: only signals that no earlier run with this bookmark delivered')
    .action((flags) =>
      launch('feed', async (context) => {
        const { after, before, search, list, sort, sinceLast } = flags;
        refuseContradictions(flags);
        const [{ readInvestorInterest }, { runPages }] = await Promise.all([import('../contract/feed.ts'), import('../run/pages.ts')]);
        const scope = {
          ...(search !== undefined && { search_id: search }),
          ...(list !== undefined && { list_id: list }),
          ...(sort !== undefined && { sort }),
          ...(after !== undefined && { signal_date_after: after }),
          ...(before !== undefined && { signal_date_before: before }),
        };
        const run = { endpoint: readInvestorInterest, request: (page: object) => ({ path: {}, query: { ...scope, ...page } }), flags };
        if (sinceLast === undefined || context.flags.dryRun === true) return runPages(context, run);
        const { withBookmark } = await import('../run/bookmarked.ts');
        await withBookmark(context, { name: sinceLast, search, list, sort }, (bookmark) => runPages(context, { ...run, ...bookmark }));
      }),
    );
}

interface Contradictory {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
  readonly list?: string | undefined;
  readonly all?: boolean | undefined;
  readonly sinceLast?: string | true | undefined;
}

/** The service would silently let `search_id` win; a bookmark needs to see every page. */
function refuseContradictions({ after, before, search, list, all, sinceLast }: Contradictory): void {
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
