/** The end of a job in one line on stderr: rows, calls billed, how to resume. */
import type { Context } from '../context.ts';
import { counted } from '../counted.ts';
import type { Spent } from '../jobs/purchase.ts';
import { describeTally, isUnfinished, rowsIn, type Tally } from '../jobs/tally.ts';

export interface SummaryOptions {
  /** Whether a journal holds what was bought. */
  readonly resumable: boolean;
  /** Rows are missing from the output that have been answered. */
  readonly lost?: boolean;
  /** How to go on, where it is not the rows that tell. */
  readonly resume?: string | undefined;
}

/** Dropped by `--quiet`; one JSON object where errors are JSON. */
export function reportSummary(context: Context, tally: Tally, { billed, unknown }: Spent, options: SummaryOptions): void {
  if (context.flags.quiet === true) return;
  const resume =
    options.resume ?? (isUnfinished(tally) || options.lost === true ? howToResume(tally, options.resumable, context.flags.out) : null);
  if (context.jsonErrors()) {
    const summary = { rows: rowsIn(tally), ...tally, calls_billed: billed, calls_unknown: unknown, resume };
    context.tell(`${JSON.stringify({ summary })}\n`);
    return;
  }
  const calls = `${counted(billed, 'call')} billed${unknown > 0 ? `, ${unknown} that may have been` : ''}`;
  context.tell(`pdi: ${describeTally(tally)}; ${calls}${resume === null ? '' : `; ${resume}`}\n`);
}

function howToResume({ unknown, failed, skipped }: Tally, resumable: boolean, out: string | undefined): string {
  const unkept = out === undefined ? 'use --out FILE to make a job resumable' : 'a job is resumable where --out is a file on a disk';
  const again = resumable ? 'run the same command again: it asks only for the rest' : unkept;
  return unknown > 0 && failed + skipped === 0 ? `${again}; --retry-unknown sends again what may have been billed` : again;
}
