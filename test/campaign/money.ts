/** Holding the ledger of a home against a sandbox's bill. */
import { join } from 'node:path';
import { operations } from '../../src/contract/operations.ts';
import { readLedger } from '../../src/money/ledger-reading.ts';
import type { BillEntry } from '../../src/sandbox/world.ts';
import type { Check } from './tally.ts';

/** A billed call as the ledger names it. */
function itemOf({ operation, item }: BillEntry): string {
  if (operation !== 'readInvestorInterest') return item;
  const asked = new URLSearchParams(item);
  const [after, before] = ['signal_date_after', 'signal_date_before'].map((name) => asked.get(name) ?? '');
  return `page:${asked.get('page') ?? '0'}${after === '' && before === '' ? '' : `:${after}..${before}`}`;
}

const chargedCalls: ReadonlySet<string> = new Set(
  Object.values(operations)
    .filter(({ billing }) => billing === 'charged')
    .map(({ method, path }) => `${method} ${path}`),
);

/**
 * Every billed call is `billed`, `lost` or `settled` in the ledger; what is `billed` there is on the bill, and no 404 is. No line is damaged, but for as many as
 * a full disk may have cut off.
 */
export async function checkLedger(check: Check, home: string, bill: readonly BillEntry[], cutOff = 0): Promise<void> {
  const counts = new Map<string, { billed: number; lost: number; onBill: number }>();
  const countOf = (item: string) => {
    const count = counts.get(item) ?? { billed: 0, lost: 0, onBill: 0 };
    counts.set(item, count);
    return count;
  };
  for (const entry of bill) countOf(itemOf(entry)).onBill += 1;
  const reading = readLedger(join(home, 'state', 'pdi'));
  for (const { operation, item = '', outcome } of reading) {
    if (!chargedCalls.has(operation)) continue;
    if (outcome === 'billed') countOf(item).billed += 1;
    if (outcome === 'lost' || outcome === 'settled') countOf(item).lost += 1;
  }
  check(reading.skippedLines <= cutOff, 'broken', `${reading.skippedLines} ledger lines are damaged`);
  for (const [item, { billed, lost, onBill }] of counts) {
    check(
      billed <= onBill && onBill <= billed + lost,
      'broken',
      `${item}: ${onBill} on the bill, the ledger has ${billed} and ${lost} lost`,
    );
  }
}

/** The items that a part of the bill holds more than once. */
export function twiceIn(bill: readonly BillEntry[]): readonly string[] {
  const items = bill.map(itemOf);
  return items.filter((item, index) => items.indexOf(item) !== index);
}
