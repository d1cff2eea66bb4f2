/** Holding the book of a home against a sandbox's bill. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { openBookFile } from '../../src/book/book-file.ts';
import { operations } from '../../src/contract/operations.ts';
import type { BillEntry } from '../../src/sandbox/world.ts';
import { askedOnce } from '../support/postgres.ts';
import type { Place } from './process.ts';
import type { Check } from './tally.ts';

/** A billed call as the book names it. */
function itemOf({ operation, item }: BillEntry): string {
  if (operation !== 'readInvestorInterest') return item;
  const asked = new URLSearchParams(item);
  const [after, before] = ['signal_date_after', 'signal_date_before'].map(
    (name) => asked.get(name) ?? '',
  );
  return `page:${asked.get('page') ?? '0'}${after === '' && before === '' ? '' : `:${after}..${before}`}`;
}

const callRow = z.object({
  operation: z.string(),
  item: z.nullable(z.string()),
  outcome: z.string(),
});

const chargedCalls: ReadonlySet<string> = new Set(
  Object.values(operations)
    .filter(({ billing }) => billing === 'charged')
    .map(({ method, path }) => `${method} ${path}`),
);

/** Of this service alone, where many share the book of a server. */
async function callsIn(home: string, server: string | undefined, baseUrl = '') {
  const sql = 'SELECT operation, item, outcome FROM';
  if (server !== undefined) {
    const ofOwner = `JOIN pdi.owner ON owner.id = owner AND base_url = '${baseUrl}'`;
    return z.parse(z.array(callRow), await askedOnce(server, `${sql} pdi.call ${ofOwner}`));
  }
  const path = join(home, 'state', 'pdi', 'book.db');
  if (!existsSync(path)) return [];
  const file = await openBookFile({ path, patienceMs: 5000, clock: Date.now, notice: () => {} });
  const calls = file.rows(callRow, `${sql} call`);
  file.close();
  return calls;
}

/**
 * Every billed call is `billed`, `lost` or `settled` in the book; what is `billed` there is on the bill, and no 404 is.
 */
export async function checkBook(
  check: Check,
  home: string,
  bill: readonly BillEntry[],
  { env, baseUrl }: Pick<Place, 'env' | 'baseUrl'> = {},
): Promise<void> {
  const counts = new Map<string, { billed: number; lost: number; onBill: number }>();
  const countOf = (item: string) => {
    const count = counts.get(item) ?? { billed: 0, lost: 0, onBill: 0 };
    counts.set(item, count);
    return count;
  };
  for (const entry of bill) countOf(itemOf(entry)).onBill += 1;
  for (const { operation, item, outcome } of await callsIn(home, env?.PDI_BOOK, baseUrl)) {
    if (!chargedCalls.has(operation)) continue;
    if (outcome === 'billed') countOf(item ?? '').billed += 1;
    // A call of a run that was killed is under way until another run looks.
    if (outcome === 'lost' || outcome === 'settled' || outcome === 'sent')
      countOf(item ?? '').lost += 1;
  }
  for (const [item, { billed, lost, onBill }] of counts) {
    check(
      billed <= onBill && onBill <= billed + lost,
      'broken',
      `${item}: ${onBill} on the bill, the book has ${billed} and ${lost} lost`,
    );
  }
}

/** The items that a part of the bill holds more than once. */
export function twiceIn(bill: readonly BillEntry[]): readonly string[] {
  const items = bill.map(itemOf);
  return items.filter((item, index) => items.indexOf(item) !== index);
}
