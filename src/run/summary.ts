/** Prints the end of a job as one line on stderr: rows, billed calls, and how to resume. */

import { pluralize } from '../errors.ts';
import type { Spent } from '../jobs/purchase.ts';
import { describeTally, isUnfinished, rowsIn, type Tally } from '../jobs/tally.ts';
import type { BudgetUse } from '../money/budget.ts';
import type { Context } from './context.ts';
import type { OriginCounts } from './origins.ts';
import { costOfNewRun } from './run-cost.ts';

export interface SummaryOptions {
  /** Whether a journal holds what was bought. */
  readonly resumable: boolean;
  /** Whether answered rows are missing from the output. */
  readonly lost?: boolean;
  readonly resume?: string | undefined;
  /** Of jobs: rows that were bought before. */
  readonly origins?: OriginCounts;
  readonly budget?: readonly BudgetUse[];
  /** Whether the rows are the signals that no earlier run delivered. */
  readonly onlyNew?: boolean;
}

/** Prints nothing with `--quiet`, and one JSON object if errors are JSON. */
export function reportSummary(context: Context, tally: Tally, spent: Spent, options: SummaryOptions): void {
  if (context.flags.quiet === true) return;
  const { billed, unknown } = spent;
  const { from_store = 0, from_journal = 0 } = options.origins ?? {};
  const isWhole = !isUnfinished(tally) && options.lost !== true;
  const resume = options.resume ?? (isWhole ? null : howToResume(tally, spent, options.resumable, context.flags.out));
  if (context.jsonErrors()) {
    const summary = {
      rows: rowsIn(tally),
      ...(options.onlyNew === true && { new_signals: tally.ok }),
      ...tally,
      ...options.origins,
      calls_billed: billed,
      calls_unknown: unknown,
      resume,
      ...budgetFields(options.budget),
    };
    context.writeStderr(`${JSON.stringify({ summary })}\n`);
    return;
  }
  const before = `${from_store > 0 ? `; ${from_store} from the store` : ''}${from_journal > 0 ? `; ${from_journal} from the journal` : ''}`;
  const budget = options.budget?.map((use) => `; ${describeUse(use)}`).join('') ?? '';
  const calls = `${pluralize(billed, 'call')} billed${unknown > 0 ? `, ${unknown} that may have been` : ''}`;
  const rows = options.onlyNew === true ? pluralize(tally.ok, 'new signal') : describeTally(tally);
  context.writeStderr(`pdi: ${rows}${before}; ${calls}${resume === null ? '' : `; ${resume}`}${budget}\n`);
}

/** `budget: 60 of 500 calls a month used, 440 left`. */
export function describeUse({ period, limit, used }: BudgetUse): string {
  return `budget: ${used} of ${pluralize(limit, 'call')} a ${period} used, ${Math.max(0, limit - used)} left`;
}

const budgetFields = (budget: readonly BudgetUse[] = []) => (budget.length === 0 ? {} : { budget });

function howToResume({ unknown, failed, skipped }: Tally, spent: Spent, resumable: boolean, out: string | undefined): string {
  if (resumable) {
    const again = 'run the same command again: it asks only for the rest';
    const second = `--retry-unknown sends again what may have been billed: up to ${pluralize(unknown, 'call')}`;
    return unknown > 0 && failed + skipped === 0 ? `${again}; ${second}` : again;
  }
  if (spent.billed + spent.unknown > 0) return `${costOfNewRun(spent)}; with --out FILE, a file on a disk, a job goes on where it ended`;
  return out === undefined ? 'use --out FILE to make a job resumable' : 'a job is resumable where --out is a file on a disk';
}
