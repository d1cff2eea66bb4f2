/** Defines the tool that says what was spent, what is left, and what is in the book. It makes no call. */
import { keptAnswers, spendReport, totalOf } from '../book/reports.ts';
import { isOfSandbox } from '../road/spending.ts';
import { withRest } from '../road/summary.ts';
import { monthOf } from '../rows/days.ts';
import { refuseUnknown } from './arguments.ts';
import { resultText } from './result-text.ts';
import type { ServiceCalls } from './service-calls.ts';
import type { Tool } from './tool.ts';

export const budgetTool = (calls: ServiceCalls): Tool => ({
  listed: {
    name: 'budget',
    description: 'What was spent, what cap and budget leave, what the book has. Free.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  call: async ({ given }) => {
    refuseUnknown([], given);
    const { spending } = calls;
    const { cap: allowed, maxAge } = calls.plan.rules;
    const { cap, spent, budgetUse } = spending;
    const { spent: this_month, kept: answers } = await reportsOf(calls);
    const result = {
      session: { cap: allowed, left: Number.isFinite(cap.left) ? cap.left : null, ...spent },
      budget: (await budgetUse()).map(withRest),
      this_month,
      book: { max_age: String(maxAge), answers },
    };
    return resultText(result, { billed: 'no' }, 'see `pdi store` and `pdi spend`');
  },
});

async function reportsOf({ plan, tools, spending }: ServiceCalls) {
  const now = Date.now();
  const since = `${monthOf(new Date(now).toISOString())}-01`;
  const { identity } = await tools.service();
  const file = await spending.reading();
  if (file === undefined) return { spent: totalOf([]), kept: [] };
  const spent = totalOf(await file.read(() => spendReport(file, { since, by: [], sandbox: isOfSandbox(plan.rules) })));
  // For this service alone, by operation: an agent has no use for accounts and files.
  const kept = (await keptAnswers(file, now)).filter(({ base_url }) => base_url === identity);
  return { spent, kept: kept.map(({ operation, answers, oldest, latest }) => ({ operation, answers, oldest, latest })) };
}
