/** Says in a plan whether cap and budget allow its calls. The budget is read, and nothing is written. */

import type { BudgetUse } from '../book/budget.ts';
import { Cap } from '../book/cap.ts';
import { type PdiError, pluralize } from '../errors.ts';
import type { Rules } from './plan.ts';
import { knownBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';
import type { Tools } from './tools.ts';

/** `used` and `allowed` are null where it is not known whose calls count: a plan needs no key. */
type PlannedUse = Pick<BudgetUse, 'period' | 'limit'> & ({ readonly used: null; readonly allowed: null } | AllowedUse);

type AllowedUse = BudgetUse & { readonly allowed: boolean };

export interface Allowance {
  /** `limit` is null where the cap is lifted. */
  readonly cap: { readonly limit: number | null; readonly allowed: boolean };
  readonly budget?: readonly PlannedUse[];
}

export async function allowanceOf(
  rules: Rules,
  tools: Tools,
  calls: number,
): Promise<{ allowance: Allowance; refusal: PdiError | undefined }> {
  const overCap = new Cap(rules.cap).refusalOfJob(calls);
  const budget = await plannedUse(rules, tools, calls);
  const cap = { limit: rules.cap === 'unlimited' ? null : rules.cap, allowed: overCap === undefined };
  return { allowance: { cap, ...(budget.length > 0 && { budget }) }, refusal: overCap ?? (await refusalOf(budget, calls)) };
}

async function refusalOf(budget: readonly PlannedUse[], calls: number): Promise<PdiError | undefined> {
  const overrun = budget.find((use): use is AllowedUse => use.allowed === false);
  return overrun && (await import('../book/budget.ts')).refusalOfPlan(overrun, calls);
}

/** Gives nothing without a budget. If nothing may be billed, nobody is asked for a key. */
async function plannedUse(rules: Rules, tools: Tools, calls: number): Promise<readonly PlannedUse[]> {
  const budgeted = (['month', 'day'] as const).flatMap((period) => {
    const limit = rules.limits[period];
    return limit === undefined ? [] : [{ period, limit }];
  });
  if (calls === 0 || budgeted.length === 0) return [];
  const uses = await knownBudgetUse(rules, tools);
  if (uses === undefined) return budgeted.map((one) => ({ ...one, used: null, allowed: null }));
  return uses.map((use) => ({ ...use, allowed: use.used + calls <= use.limit }));
}

/** With `isWhole` the calls are all that the run makes, so that there can be enough room for them. */
export function allowanceLines({ cap, budget = [] }: Allowance, isWhole: boolean): readonly string[] {
  const verdict = (allowed: boolean): string => (!allowed ? ': too few' : isWhole ? ': enough' : '');
  const limit = cap.limit === null ? 'unlimited' : pluralize(cap.limit, 'call');
  return [
    `cap: ${limit}${cap.limit === null ? '' : verdict(cap.allowed)}`,
    ...budget.map((use) =>
      use.used === null
        ? `budget: ${pluralize(use.limit, 'call')} a ${use.period}; a key tells whose calls are used of it`
        : `${describeUse(use)}${verdict(use.allowed)}`,
    ),
  ];
}
