/** What a run may buy and where it is written down: the cap, the ledger, and the purchase every call goes through. */

import { settings } from '../config/settings.ts';
import { createPurchase, type Purchase, type Spent } from '../jobs/purchase.ts';
import { Cap } from '../money/cap.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Context } from './context.ts';
import { memoize } from './memoize.ts';
import type { RunCost } from './run-cost.ts';

export interface Spending {
  readonly cap: Cap;
  readonly purchase: Purchase;
  readonly spent: Spent;
  readonly runCost: RunCost;
  /** How often a call is made again whose answer was lost: 0 unless `--retry-unknown`. */
  readonly retriesOfUnknown: number;
}

/** The ledger is opened with the first call that may be billed, not before; the sandbox has a profile of its own in it. */
export async function openSpending(context: Context): Promise<Spending> {
  const cap = new Cap(context.setting(settings.maxBillable));
  const { baseUrl } = await context.service();
  const ledger = memoize(() => openContextLedger(context));
  const profile = context.sandboxed() ? 'sandbox' : context.selectedProfile().value;
  const { purchase, spent } = createPurchase({ cap, ledger, profile, command: context.command, baseUrl });
  const runCost = { spent, kept: false };
  context.runCost = runCost;
  const retriesOfUnknown = context.flags.retryUnknown === true ? context.setting(settings.retries) : 0;
  return { cap, purchase, spent, runCost, retriesOfUnknown };
}

async function openContextLedger(context: Context): Promise<Ledger> {
  const { openLedger } = await import('../money/ledger.ts');
  const ledger = await openLedger({
    directory: context.stateDirectory(),
    redact: context.redact,
  });
  context.onDispose(async () => ledger.close());
  return ledger;
}
