/** Sets up what a run may buy: the cap, the ledger, and the purchase that every call goes through. */

import { settings } from '../config/settings.ts';
import { orFailure, PdiError } from '../errors.ts';
import { type Buyer, createPurchase, type Purchase, type Spent } from '../jobs/purchase.ts';
import type { BudgetUse } from '../money/budget.ts';
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
  /** A call with a lost answer is repeated so often: 0 unless `--retry-unknown` is given. */
  readonly retriesOfUnknown: number;
  readonly budgetUse: () => Promise<readonly BudgetUse[]>;
}

/** A bad setting ends a run, and its plan, before the first call: not after the last row. @throws UsageError */
export function refuseBadSettings(context: Context): void {
  context.setting(settings.maxBillable);
  context.setting(settings.budget);
  context.setting(settings.account);
  context.callSettings();
}

/** The ledger opens at the first call that may be billed. Calls of the sandbox are marked in it. */
export async function openSpending(context: Context): Promise<Spending> {
  refuseBadSettings(context);
  const cap = new Cap(context.setting(settings.maxBillable));
  const { baseUrl } = await context.service();
  const ledger = memoize(() => openContextLedger(context));
  const buyer = memoize(() => buyerOf(context));
  const { purchase, spent } = createPurchase({
    cap,
    ledger,
    buyer,
    profile: context.selectedProfile().value,
    command: context.command,
    baseUrl,
    sandbox: context.sandboxed(),
  });
  const runCost: RunCost = { spent, foundBy: 'no run' };
  context.runCost = runCost;
  const retriesOfUnknown = context.flags.retryUnknown === true ? context.setting(settings.retries) : 0;
  const budgetUse = async () => (await buyer()).budget?.useAt(new Date().toISOString()) ?? [];
  return { cap, purchase, spent, runCost, retriesOfUnknown, budgetUse };
}

/** The sandbox has an owner of its own, so that its calls count against no other budget. */
async function buyerOf(context: Context): Promise<Buyer> {
  const { ownerName } = await import('../money/owner.ts');
  const owner = ownerName(await context.owner());
  const limits = context.setting(settings.budget);
  if (limits.month === undefined && limits.day === undefined) return { owner, budget: undefined };
  const [{ Budget }, { ledgerPath }] = await Promise.all([import('../money/budget.ts'), import('../money/ledger-file.ts')]);
  const budget = new Budget({ limits, owner, fileOf: (at) => ledgerPath(context.stateDirectory(), at) });
  context.onDispose(async () => budget.close());
  // A ledger that cannot be counted stops the run before it writes a line.
  budget.useAt(new Date().toISOString());
  return { owner, budget };
}

/** Gives the use of the budget for reports and plans; undefined if it is not known whose calls count, as without a key. */
export async function knownBudgetUse(context: Context): Promise<readonly BudgetUse[] | undefined> {
  const buyer = await orFailure(() => buyerOf(context));
  return buyer instanceof PdiError ? undefined : (buyer.budget?.useAt(new Date().toISOString()) ?? []);
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
