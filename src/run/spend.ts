/** `pdi spend` counts the calls in the book. */
import { openBookIfThere } from '../book/book-file.ts';
import type { BudgetUse } from '../book/budget.ts';
import { type SpendCounts, type SpendKey, type SpendQuestion, spendCounts, spendReport, totalOf } from '../book/reports.ts';
import { selectProfile } from '../config/read-config.ts';
import { settings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import { bar } from '../output/bar.ts';
import type { Context } from './context.ts';
import { wantsPictures } from './open-output.ts';
import { printRows } from './print.ts';
import { failureOfEmpty } from './run-call.ts';
import { bookPlace, knownBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';

type SpendFlags = Pick<SpendQuestion, 'since' | 'until' | 'by'>;

/** @throws PdiError `not_found` with `--fail-if-empty` if there are no calls of that time, UsageError for a profile that never was */
export async function runSpend(context: Context, { since, until, by }: SpendFlags): Promise<void> {
  if (since !== undefined && until !== undefined && until < since) {
    throw new UsageError(`--until ${until} is before --since ${since}`, { item: '--until' });
  }
  const { value: name, source } = context.selectedProfile();
  const profile = source === 'flag' ? name : undefined;
  const file = await openBookIfThere(bookPlace(context));
  const question = { since, until, by, profile, sandbox: context.sandboxed() };
  const rows = file === undefined ? [] : await file.read(() => spendReport(file, question)).finally(() => file.close());
  if (rows.length === 0) selectProfile(context.config(), context.selectedProfile());
  const uses = await budgetUse(context);
  await printReport(context, by, rows);
  for (const use of uses) context.notice(describeUse(use));
  if (rows.length > 0) return;
  const failure = context.flags.failIfEmpty === true ? failureOfEmpty(context) : undefined;
  if (failure !== undefined) throw failure;
  context.notice('the book holds no such calls');
}

/** Gives nothing without a budget, or if it is not known whose calls count, because a report needs no key. */
async function budgetUse(context: Context): Promise<readonly BudgetUse[]> {
  const { month, day } = context.setting(settings.budget);
  if (context.sandboxed() || (month === undefined && day === undefined)) return [];
  return (await knownBudgetUse(context)) ?? [];
}

/** Only a table ends with a total, because other formats are read by programs that add up themselves. */
async function printReport(context: Context, by: readonly SpendKey[], rows: readonly SpendCounts[]): Promise<void> {
  const columns = [
    ...by.map((name) => ({ name, kind: name === 'day' ? 'date' : 'id', inTable: true }) as const),
    ...spendCounts.map((name) => ({ name, kind: 'count', inTable: true }) as const),
  ];
  if (context.format() !== 'table') return printRows(context, columns, rows);
  const total =
    rows.length === 0 ? [] : [{ ...Object.fromEntries(by.map((key, index) => [key, index === 0 ? 'total' : ''])), ...totalOf(rows) }];
  if (wantsPictures(context)) await printRows(context, [...columns, chartColumn], [...withBars(rows), ...total]);
  else await printRows(context, columns, [...rows, ...total]);
}

/** Bars on a terminal compare the calls that were billed or may have been. */
const chartColumn = { name: 'calls', kind: 'text', inTable: true } as const;

const mayCost = ({ billed, lost, settled, unpriced }: SpendCounts): number => billed + lost + settled + unpriced;

function withBars(rows: readonly SpendCounts[]): readonly object[] {
  const most = Math.max(0, ...rows.map(mayCost));
  return rows.map((row) => ({ ...row, [chartColumn.name]: bar(mayCost(row), { least: 0, most }) }));
}
