/**
 * Defines the tools that go no common way: `resolve` is free, and checks each answer against its question; `plan` says what many ids would
 * cost; `budget` what was spent and what is left.
 */
import { keptAnswers, spendReport, totalOf } from '../book/reports.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { type OperationName, type OperationWords, operations } from '../contract/operations.ts';
import { type Classified, classify, identifierForms } from '../contract/person-identifier.ts';
import { identifierKinds, resolvePeople } from '../contract/resolve.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import type { Keyed } from '../road/ask.ts';
import { planJob } from '../road/dry-run.ts';
import { argumentInput } from '../road/input-source.ts';
import { investorQuestion } from '../road/investors.ts';
import { pathQuestion } from '../road/lookup.ts';
import { resolveBatch, resolveJob } from '../road/resolve.ts';
import { StopRule } from '../road/stop-rule.ts';
import { withRest } from '../road/summary.ts';
import { monthOf } from '../rows/days.ts';
import type { Outcome } from '../rows/row.ts';
import { questionAbout } from './consent.ts';
import { fieldsArgument, idTexts, listedTool, requestOf, shown } from './listing.ts';
import { type AnswerView, resultText, viewOf } from './result.ts';
import { askedCall, type ToolSession } from './session.ts';
import type { GivenArguments, Tool } from './tool.ts';

export const resolveTool = (words: OperationWords, session: ToolSession): Tool => ({
  listed: listedTool(resolvePeople, words.resolvePeople),
  call: async (call) => {
    const { body } = requestOf(resolvePeople, call.given);
    const items = (isObject(body) && Array.isArray(body.to_resolve) ? body.to_resolve : []).map(identifierIn);
    const view = viewOf(resolvePeople, call.given);
    const asked = askedCall(resolvePeople, { path: {}, body: { to_resolve: items.map(({ identifier }) => identifier) } });
    if (session.asksFirst(resolvePeople)) await call.ask(questionAbout(asked, session));
    const { client, stop } = session.tools;
    const run = { client: await client(), stopRule: new StopRule({ interrupt: stop, stopOnError: false }) };
    const outcomes = await resolveBatch(run, items);
    const failure = outcomes.every(({ failure }) => failure !== undefined) ? outcomes[0]?.failure : undefined;
    if (failure !== undefined) throw failure;
    for (const { record } of outcomes) learnNames(session, record?.value);
    const rows = outcomes.map((outcome, place) => rowOf(outcome, view, items[place]?.key));
    return resultText(rows, { billed: 'no' }, `name fewer identifiers, or ${fieldsArgument}`);
  },
});

/** The question about a person says who that is. */
function learnNames(session: ToolSession, group: unknown): void {
  const matches = isObject(group) && Array.isArray(group.matches) ? group.matches : [];
  for (const match of matches) {
    const { person_id: id, full_name: name } = isObject(match) ? match : {};
    if (typeof id === 'string' && typeof name === 'string') session.learnName(id, name);
  }
}

/** An identifier that the service refused gets a row in the words of a job. */
const rowOf = ({ record, status, error }: Outcome, { content }: AnswerView, input: string | undefined): unknown =>
  record === undefined ? { input, pdi_status: status, pdi_error: error } : content(record);

/** The identifier of one item of `resolve`. @throws UsageError unless it has exactly one, well-formed */
function identifierIn(item: unknown): Classified {
  const given = isObject(item) ? Object.entries(item) : [];
  const [name = '', value] = given[0] ?? [];
  if (given.length !== 1) throw mistake(`to_resolve: ${shown(item)} needs exactly one identifier`, `one of ${identifierKinds.join(', ')}`);
  // JSON was read before it came here, so the digits of a larger number are lost.
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw mistake(`to_resolve: ${shown(item)} is not exact`, 'use another form');
  const found = classify(String(value), identifierForms.find(({ field }) => field === name)?.as);
  if (!('invalid' in found)) return found;
  throw mistake(`to_resolve: ${shown(item)}: ${found.invalid}`, found.hint ?? 'correct it, or leave it out');
}

const mistake = (message: string, hint: string): UsageError => new UsageError(message, { hint: `nothing was sent; ${hint}` });

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
    const { in_journal, ...counts } = (await planOf(session, operation, idsIn(given))).plan;
    const budget = (await session.spending.budgetUse()).map(withRest);
    const allowed = (await session.refusalOf(counts.billable)) === undefined;
    return resultText({ ...counts, calls_left: session.callsLeft, budget, allowed }, { billed: 'no' }, 'name fewer ids');
  },
});

/** The operations whose records answer the rows of a job. */
export const isPlanned = (operation: OperationName): boolean => 'askedBy' in operations[operation];

async function planOf({ spending }: ToolSession, operation: OperationName, ids: readonly string[]) {
  const input = argumentInput(ids).batches;
  if (operation === 'resolvePeople')
    return planJob(
      resolveJob((text) => classify(text)),
      { input, keep: 0 },
    );
  const endpoint: Endpoint = operations[operation];
  const ask = operation === 'findInvestors' ? investorQuestion : pathQuestion(endpoint);
  return planJob<Keyed & { readonly request: RequestParts }>(
    { endpoint, ask, perRequest: 1 },
    { input, keep: 0, known: ({ request }) => spending.inBook({ endpoint, request }) },
  );
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
