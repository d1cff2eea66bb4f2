/** Defines the tools that make no call: `plan` says what many ids would cost, `budget` what was spent and what is left. */
import { keptAnswers, spendReport, totalOf } from '../book/reports.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { findInvestors } from '../contract/investors.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { classify } from '../contract/person-identifier.ts';
import { UsageError } from '../errors.ts';
import { planJob } from '../road/dry-run.ts';
import { investorQuestion } from '../road/investors.ts';
import { type LookupKind, lookupJob } from '../road/lookup.ts';
import { resolveJob } from '../road/resolve.ts';
import { withRest } from '../road/summary.ts';
import { monthOf } from '../rows/days.ts';
import type { InputRow } from '../rows/input-row.ts';
import { idTexts, kindOfTool, shown } from './listing.ts';
import { resultText } from './result.ts';
import type { ToolSession } from './session.ts';
import type { GivenArguments, Tool } from './tool.ts';

/** `names`: the tools that ask about one id a call, by their operations. */
export const planTool = (session: ToolSession, names: ReadonlyMap<string, OperationName>): Tool => ({
  listed: {
    name: 'plan',
    description: 'What a tool would cost for many ids, before any call: calls that may be billed, ids in the book, cap and budget. Free.',
    inputSchema: {
      type: 'object',
      properties: { tool: { type: 'string', enum: [...names.keys()] }, ids: { type: 'array', items: { type: 'string' } } },
      required: ['tool', 'ids'],
    },
    annotations: { readOnlyHint: true },
  },
  call: async ({ given }) => {
    const operation = names.get(String(given.tool));
    if (operation === undefined) {
      const hint = `one of ${[...names.keys()].join(', ')}`;
      throw new UsageError(`tool: there is no plan for ${shown(given.tool)}`, { item: 'tool', hint });
    }
    const { in_journal, ...counts } = await planOf(session, operation, idsIn(given));
    const { cap, budgetUse } = session.spending;
    const budget = (await budgetUse()).map(withRest);
    const allowed = counts.billable <= cap.left && budget.every(({ left }) => counts.billable <= left);
    return resultText({ ...counts, calls_left: session.callsLeft, budget, allowed }, { billed: 'no' }, 'name fewer ids');
  },
});

export const isPlanned = (operation: OperationName): boolean => {
  const endpoint: Endpoint = operations[operation];
  const asksOne = Object.keys(endpoint.pathParameters ?? {}).length === 1 && kindOfTool(endpoint) === 'read';
  return asksOne || operation === 'findInvestors' || operation === 'resolvePeople';
};

async function planOf(session: ToolSession, operation: OperationName, ids: readonly string[]) {
  const rows = ids.map((text, index): InputRow => ({ line: index + 1, text: text.trim() || undefined }));
  const input = (async function* () {
    yield rows;
  })();
  if (operation === 'resolvePeople')
    return (
      await planJob(
        resolveJob((text) => classify(text)),
        { input, keep: 0 },
      )
    ).plan;
  if (operation === 'findInvestors') return lookupPlan(session, findInvestors, investorQuestion, input);
  const endpoint: Endpoint = operations[operation];
  return lookupPlan(session, endpoint, pathQuestion(endpoint), input);
}

async function lookupPlan<E extends Endpoint>(
  { spending }: ToolSession,
  endpoint: E,
  ask: LookupKind<E>['ask'],
  input: AsyncIterable<readonly InputRow[]>,
) {
  const job = lookupJob({ endpoint, identifierColumns: [], ask });
  return (await planJob(job, { input, inBook: ({ request }) => spending.inBook({ endpoint, request }), keep: 0 })).plan;
}

function pathQuestion({ pathParameters = {} }: Endpoint) {
  const [[name, { shape }] = ['', { shape: 'company' }] as const] = Object.entries(pathParameters);
  return (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: { path: { [name]: found.text } } };
  };
}

function idsIn({ ids }: GivenArguments): readonly string[] {
  const texts = idTexts(ids);
  if (texts !== undefined) return texts;
  throw new UsageError('ids: expected a list of texts', { item: 'ids', hint: 'such as ["per_1", "per_2"]' });
}

export const budgetTool = (session: ToolSession): Tool => ({
  listed: {
    name: 'budget',
    description: 'What was spent, what cap and budget leave, what the book has. Free.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  call: async () => {
    const { cap, maxAge } = session.plan.rules;
    const { runCost, budgetUse } = session.spending;
    const { spent: this_month, kept: answers } = await reportsOf(session);
    const result = {
      session: { cap, left: session.callsLeft, ...runCost.spent },
      budget: (await budgetUse()).map(withRest),
      this_month,
      book: { max_age: String(maxAge), answers },
    };
    return resultText(result, { billed: 'no' }, 'see `pdi store` and `pdi spend`');
  },
});

async function reportsOf({ tools }: ToolSession) {
  const now = Date.now();
  const since = `${monthOf(new Date(now).toISOString())}-01`;
  const { identity } = await tools.service();
  const file = await tools.book.ifThere();
  if (file === undefined) return { spent: totalOf([]), kept: [] };
  const spent = totalOf(await file.read(() => spendReport(file, { since, by: [], sandbox: tools.isSandbox })));
  // For this service alone, by operation: an agent has no use for accounts and files.
  const kept = (await keptAnswers(file, now)).filter(({ base_url }) => base_url === identity);
  return { spent, kept: kept.map(({ operation, answers, oldest, latest }) => ({ operation, answers, oldest, latest })) };
}
