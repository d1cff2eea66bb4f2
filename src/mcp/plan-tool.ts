/** Defines the tool that says what many ids would cost, by the book, the cap and the budget. It makes no call. */
import type { Endpoint } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { findInvestors } from '../contract/investors.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { classify } from '../contract/person-identifier.ts';
import { UsageError } from '../errors.ts';
import { planJob } from '../road/dry-run.ts';
import { investorQuestion } from '../road/investors.ts';
import { type LookupKind, type LookupQuestion, lookupJob } from '../road/lookup.ts';
import { resolveJob } from '../road/resolve.ts';
import { withRest } from '../road/summary.ts';
import type { InputRow } from '../rows/input-row.ts';
import { digitsOf, refuseUnknown, shown } from './arguments.ts';
import { kindOfTool } from './listing.ts';
import { resultText } from './result-text.ts';
import type { ServiceCalls } from './service-calls.ts';
import type { GivenArguments, Tool } from './tool.ts';

/** `names`: the tools that ask about one id a call, by their operations. */
export const planTool = (calls: ServiceCalls, names: ReadonlyMap<string, OperationName>): Tool => ({
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
    refuseUnknown(['tool', 'ids'], given);
    const operation = names.get(String(given.tool));
    if (operation === undefined) {
      throw new UsageError(`tool: there is no plan for ${shown(given.tool)}`, {
        item: 'tool',
        hint: `one of ${[...names.keys()].join(', ')}`,
      });
    }
    const plan = await planOf(calls, operation, idsIn(given));
    const { cap, budgetUse } = calls.spending;
    const budget = (await budgetUse()).map(withRest);
    const allowed = plan.billable <= cap.left && budget.every(({ left }) => plan.billable <= left);
    const { in_journal, ...counts } = plan;
    return resultText(
      { ...counts, calls_left: Number.isFinite(cap.left) ? cap.left : null, budget, allowed },
      { billed: 'no' },
      'name fewer ids',
    );
  },
});

export const isPlanned = (operation: OperationName): boolean => {
  const endpoint: Endpoint = operations[operation];
  const asksOne = Object.keys(endpoint.pathParameters ?? {}).length === 1 && kindOfTool(endpoint) === 'read';
  return asksOne || operation === 'findInvestors' || operation === 'resolvePeople';
};

async function planOf(calls: ServiceCalls, operation: OperationName, ids: readonly string[]) {
  const rows = [ids.map((text, index): InputRow => ({ line: index + 1, text: text.trim() || undefined }))];
  const input = (async function* () {
    yield* rows;
  })();
  if (operation === 'resolvePeople')
    return (
      await planJob(
        resolveJob((text) => classify(text)),
        { input, keep: 0 },
      )
    ).plan;
  const endpoint: Endpoint = operations[operation];
  return operation === 'findInvestors'
    ? lookupPlan(calls, { endpoint: findInvestors, identifierColumns: [], ask: investorQuestion }, input)
    : lookupPlan(calls, { endpoint, identifierColumns: [], ask: pathQuestion(endpoint) }, input);
}

async function lookupPlan<E extends Endpoint>(calls: ServiceCalls, kind: LookupKind<E>, input: AsyncIterable<readonly InputRow[]>) {
  const { endpoint } = kind;
  const inBook = async ({ request }: LookupQuestion<E>) => calls.spending.inBook({ endpoint, request });
  return (await planJob(lookupJob(kind), { input, inBook, keep: 0 })).plan;
}

function pathQuestion({ pathParameters = {} }: Endpoint) {
  const [[name, { shape }] = ['', { shape: 'company' }] as const] = Object.entries(pathParameters);
  return (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: { path: { [name]: found.text } } };
  };
}

function idsIn({ ids }: GivenArguments): readonly string[] {
  const texts = Array.isArray(ids) ? ids.map((id) => (typeof id === 'string' ? id : digitsOf(id))) : [undefined];
  if (texts.every((text) => text !== undefined)) return texts;
  throw new UsageError('ids: expected a list of texts', { item: 'ids', hint: 'such as ["per_1", "per_2"]' });
}
