import {
  type SpendCounts,
  type SpendKey,
  type SpendQuestion,
  spendCounts,
  totalOf,
} from '../book/reports.ts';
import type { Column } from '../contract/columns.ts';
import { bareName } from '../contract/identifier.ts';
import { bar } from '../output/display.ts';
import { printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Rules, Show } from './plan.ts';
import { wantsPictures } from './shape.ts';
import { knownBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';
import type { Tools } from './tools.ts';

/** @throws PdiError `not_found` with `--fail-if-empty` if there are no calls of that time, UsageError for a profile that never was */
export async function runSpend(
  show: Show,
  tools: Tools,
  { id, ...question }: Omit<SpendQuestion, 'about'> & { readonly id?: string | undefined },
  limits: Rules['limits'],
  refuseUnknownProfile: () => void,
  price?: number,
): Promise<void> {
  const { by } = question;
  const book = await tools.book.ifThere();
  const about = id === undefined ? [] : [id, bareName(id)];
  const rows = (await book?.reports.spend({ ...question, about })) ?? [];
  if (rows.length === 0 && id === undefined) refuseUnknownProfile();
  const uses = question.sandbox ? [] : ((await knownBudgetUse(limits, tools)) ?? []);
  const shown = await printReport(show, tools, by, rows, price);
  for (const use of uses) tools.say.notice(describeUse(use));
  refuseEmpty(show, shown);
  if (rows.length === 0) tools.say.notice('no calls yet');
}

/** Only a table ends with a total, because other formats are read by programs that add up themselves. */
function printReport(
  show: Show,
  tools: Tools,
  by: readonly SpendKey[],
  counted: readonly SpendCounts[],
  price: number | undefined,
): Promise<number> {
  const priced = <C extends SpendCounts>(counts: C) =>
    price === undefined ? counts : { ...counts, ...moneyOf(counts, price) };
  const columns: readonly Column[] = [
    ...by.map(keyColumn),
    ...spendCounts.map((name) => ({ name, kind: 'count', inTable: true }) as const),
    ...(price === undefined ? [] : moneyColumns),
  ];
  const rows = counted.map(priced);
  const total = {
    ...Object.fromEntries(by.map((key, index) => [key, index === 0 ? 'total' : ''])),
    ...priced(totalOf(rows)),
  };
  // What `--where` drops would be in it.
  const last =
    show.format !== 'table' || rows.length === 0 || show.where !== undefined ? [] : [total];
  const isDrawn = wantsPictures(show) && show.format === 'table';
  const drawn = isDrawn ? withBars(rows) : rows;
  return printRows(show, tools, isDrawn ? [...columns, chartColumn] : columns, async () => [
    ...drawn,
    ...last,
  ]);
}

const keyColumn = (name: SpendKey): Column =>
  name === 'at'
    ? { name, kind: 'date', dateTime: 'utc', inTable: true }
    : { name, kind: name === 'day' ? 'date' : name === 'file' ? 'text' : 'id', inTable: true };

const moneyColumns = reportColumns({ money: 'number', money_at_most: 'number' });

/** What is billed for sure, and with all that may have been billed. Sums of fractions would show digits that nobody typed. */
function moneyOf(counts: SpendCounts, price: number) {
  const times = (calls: number): number => Number((calls * price).toPrecision(15));
  return { money: times(counts.billed), money_at_most: times(mayCost(counts)) };
}

const chartColumn = { name: 'calls', kind: 'text', inTable: true } as const;

const mayCost = ({ billed, lost, settled, unpriced }: SpendCounts): number =>
  billed + lost + settled + unpriced;

function withBars(rows: readonly SpendCounts[]): readonly object[] {
  const most = Math.max(0, ...rows.map(mayCost));
  return rows.map((row) => ({ ...row, [chartColumn.name]: bar(mayCost(row), { least: 0, most }) }));
}
