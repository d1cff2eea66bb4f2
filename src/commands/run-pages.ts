/** A run over the pages of a list, to the output. */
import type { Context } from '../context.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { pages } from '../jobs/pages.ts';
import { type Progress, startProgress } from '../jobs/progress.ts';
import { refuseEmpty } from './call.ts';
import { type Delivered, openOutput } from './deliver.ts';
import { printPlan } from './dry-run.ts';
import type { PagingFlags } from './paging.ts';
import { showsProgress } from './shows-progress.ts';
import { openSpending } from './spending.ts';
import { reportSummary } from './summary.ts';

export interface PagedRun<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: (page: { page?: number; limit?: number }) => RequestOf<E>;
  readonly flags: PagingFlags;
  readonly deliveredBefore?: (identity: string) => boolean;
  /** Told of each record's identity as it is handed out. */
  readonly onRecord?: (record: unknown) => void;
  /** Called once the output is safely written. */
  readonly afterwards?: () => void;
}

/** Reads one page, or all of them, to the output. */
export async function runPages<E extends Endpoint>(context: Context, run: PagedRun<E>): Promise<void> {
  const { endpoint, request, flags } = run;
  const { page, limit, all = false, maxPages } = flags;
  const many = all || maxPages !== undefined;
  if (context.flags.dryRun === true) {
    return printPlan(context, [
      { endpoint, request: request({ ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) }) },
    ]);
  }
  let progress: Progress | undefined;
  const output = await openOutput(context, {
    columns: endpoint.columns,
    picture: endpoint.picture,
    one: false,
    job: false,
    onRow: () => progress?.row(),
  });
  const { purchase, spent } = await openSpending(context);
  const rows = async function* () {
    const client = await context.client();
    const most = many ? (maxPages ?? Number.POSITIVE_INFINITY) : 1;
    for await (const rows of pages({
      client,
      purchase,
      endpoint,
      request,
      page,
      limit,
      maxPages: most,
      deliveredBefore: run.deliveredBefore,
    })) {
      for (const { record } of rows) run.onRecord?.(record);
      yield rows;
    }
  };
  progress = await startProgress({ io: context.io, wanted: many && showsProgress(context), total: undefined, spent });
  const delivered = await output.deliver(rows()).finally(() => progress?.end());
  if (many && !delivered.cut) reportSummary(context, delivered.tally, spent, { resumable: false });
  conclude(context, run, delivered);
}

function conclude<E extends Endpoint>(context: Context, run: PagedRun<E>, { records, failure, cut }: Delivered): void {
  if (!cut) run.afterwards?.();
  if (failure !== undefined) throw failure.reason;
  if (records === 0 && !cut) refuseEmpty(context);
}
