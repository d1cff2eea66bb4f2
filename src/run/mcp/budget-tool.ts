/** Defines the tool that says what was spent, what is left, and what is in the store. It makes no call. */
import { settings } from '../../config/settings.ts';
import { readLedger } from '../../money/ledger-reading.ts';
import { summarise, totalOf } from '../../money/spend.ts';
import { StoreContents } from '../../money/store/contents.ts';
import { monthOf } from '../../rows/days.ts';
import type { Context } from '../context.ts';
import { storePlace } from '../open-store.ts';
import { withRest } from '../summary.ts';
import { refuseUnknown } from './arguments.ts';
import { resultText } from './result-text.ts';
import type { ServiceCalls } from './service-calls.ts';
import type { Tool } from './tool.ts';

export const budgetTool = (calls: ServiceCalls): Tool => ({
  listed: {
    name: 'budget',
    description: 'What was spent, what cap and budget leave, what the store has. Free.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  call: async ({ given }) => {
    refuseUnknown([], given);
    const { context, spending } = calls;
    const { cap, spent, budgetUse } = spending;
    const result = {
      session: { cap: context.setting(settings.maxBillable), left: Number.isFinite(cap.left) ? cap.left : null, ...spent },
      budget: (await budgetUse()).map(withRest),
      this_month: monthSpent(context),
      store: { max_age: String(context.setting(settings.maxAge)), answers: await keptAnswers(context) },
    };
    return resultText(result, { billed: 'no' }, 'see `pdi store` and `pdi spend`');
  },
});

function monthSpent(context: Context) {
  const since = `${monthOf(new Date().toISOString())}-01`;
  const calls = readLedger(context.stateDirectory(), { since });
  return totalOf(summarise(calls, { since, by: [], sandbox: context.sandboxed() }));
}

/** Counts by operation, for this service alone, because an agent has no use for folders and accounts. */
async function keptAnswers(context: Context): Promise<readonly object[]> {
  const { identity } = await context.service();
  const kept = new StoreContents(storePlace(context), context.io.processes).list();
  return kept
    .filter((answers) => answers.base_url === identity)
    .map(({ operation, answers, oldest, latest }) => ({ operation, answers, oldest, latest }));
}
