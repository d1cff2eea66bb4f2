/** `pdi spend` counts the calls in the ledger. */
import { readLedger, type SpendKey, type SpendRow, summarise } from '../money/spend.ts';
import { bar } from '../output/bar.ts';
import type { Context } from './context.ts';
import { wantsPictures } from './open-output.ts';
import { printRows } from './print.ts';
import { failureOfEmpty } from './run-call.ts';

export interface SpendFlags {
  /** First day, YYYY-MM-DD. */
  readonly since?: string | undefined;
  readonly by: SpendKey;
}

/** @throws PdiError `not_found` with `--fail-if-empty` if there are no calls of that time */
export async function runSpend(context: Context, flags: SpendFlags): Promise<void> {
  const { since, by } = flags;
  const ledger = readLedger(context.stateDirectory());
  const rows = await summarise(ledger, { since, by });
  const columns = [by, 'billed', 'unknown', 'not_billed'].map(
    (name) => ({ name, kind: name === by ? 'id' : 'count', inTable: true }) as const,
  );
  if (context.format() === 'table' && wantsPictures(context)) await printRows(context, [...columns, chartColumn], withBars(rows));
  else await printRows(context, columns, rows);
  if (ledger.skippedLines > 0) context.notice(`${ledger.skippedLines} lines of the ledger could not be read and are not counted`);
  if (rows.length > 0) return;
  const failure = context.flags.failIfEmpty === true ? failureOfEmpty(context) : undefined;
  if (failure !== undefined) throw failure;
  context.notice('the ledger holds no calls of that time');
}

/** Bars on a terminal compare the calls that were billed or may have been. */
const chartColumn = { name: 'calls', kind: 'text', inTable: true } as const;

function withBars(rows: readonly SpendRow[]): readonly object[] {
  const most = Math.max(0, ...rows.map(({ billed, unknown }) => billed + unknown));
  return rows.map((row) => ({ ...row, [chartColumn.name]: bar(row.billed + row.unknown, { least: 0, most }) }));
}
