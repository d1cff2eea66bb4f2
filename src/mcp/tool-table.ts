/** Defines the tools: one for each operation, and `plan` and `budget`, which make no call. */
import type { Purchased } from '../book/buyer.ts';
import { totalOf } from '../book/reports.ts';
import { object, text, texts } from '../contract/columns.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { notSent } from '../contract/identifier.ts';
import {
  isOperation,
  type OperationName,
  type OperationWords,
  operations,
} from '../contract/operations.ts';
import { type Classified, classify, identifierForms } from '../contract/person-identifier.ts';
import { fateOf, mayCost } from '../contract/price.ts';
import { identifierKinds, resolvePeople } from '../contract/resolve.ts';
import { PdiError, UsageError } from '../errors.ts';
import { isObject, type JsonObject } from '../json/exact.ts';
import { planJob } from '../road/dry-run.ts';
import { argumentInput } from '../road/input-source.ts';
import { namesPeople, notAsAsked, peopleUnknown } from '../road/lists.ts';
import {
  comparedWith,
  investorQuestion,
  type LookupQuestion,
  pathQuestion,
} from '../road/lookup.ts';
import { Batches, resolveJob } from '../road/resolve.ts';
import { StopRule, statusOf } from '../road/stop-rule.ts';
import { withRest } from '../road/summary.ts';
import { monthOf } from '../rows/days.ts';
import type { Outcome } from '../rows/row.ts';
import { questionAbout, questionAboutMany } from './consent.ts';
import {
  fieldsArgument,
  isChange,
  isPagedHere,
  listedTool,
  manyIdsIn,
  requestOf,
  requireIdentifier,
  shown,
  toolTaking,
} from './listing.ts';
import { type AnswerView, resultText, type ToldBilled, viewOf, warningOf } from './result.ts';
import type { Found, ToolSession, WantedAnswers } from './session.ts';
import { type McpRules, type Tool, toolNameOf } from './tool.ts';

export function toolTable(
  words: OperationWords,
  session: ToolSession,
  { readOnly, tools: wanted }: McpRules,
): ReadonlyMap<string, Tool> {
  const all = Object.keys(words).filter(isOperation);
  const nameOfTool = (operation: OperationName): string => toolNameOf(words[operation].words);
  const mayBeListed = all.filter(
    (operation) => readOnly !== true || !isChange(operations[operation]),
  );
  // Their records answer the rows of a job.
  const planned = new Map(
    all
      .filter((operation) => 'askedBy' in operations[operation])
      .map((operation) => [nameOfTool(operation), operation]),
  );
  const toolOf = (operation: OperationName): Tool =>
    operation === 'resolvePeople'
      ? resolveTool(words, session)
      : operationTool(operation, words, session);
  const tools = [...mayBeListed.map(toolOf), planTool(session, planned), budgetTool(session)];
  return new Map(
    tools
      .map((tool) => [tool.listed.name, tool] as const)
      .filter(([name]) => wanted?.includes(name) !== false),
  );
}

/** Calls that ask the same have one key. */
function askedCall(endpoint: Endpoint, request: RequestParts): LookupQuestion {
  const { method, path } = endpoint;
  return { key: `${method} ${path} ${JSON.stringify(request)}`, endpoint, request };
}

function operationTool(
  operation: OperationName,
  words: OperationWords,
  session: ToolSession,
): Tool {
  const endpoint: Endpoint = operations[operation];
  const questionFor = (input: JsonObject): LookupQuestion => {
    const typed = requestOf(endpoint, input);
    return askedCall(endpoint, endpoint.check?.(typed, (parameter) => parameter) ?? typed);
  };
  return {
    ...listedTool(endpoint, words[operation]),
    call: async (call) => {
      const rows = manyIdsIn(call.input, endpoint)?.map(({ input, given }) => ({
        input,
        question: questionFor(given),
      }));
      const view = viewOf(endpoint, call.input);
      if (rows !== undefined) {
        const calls = [...new Map(rows.map(({ question }) => [question.key, question])).values()];
        const question: WantedAnswers['question'] = (missing, found) =>
          questionAboutMany(endpoint, missing, found, session);
        return session.answer(
          { endpoint, calls, question, textOf: (found) => rowsText(session, view, rows, found) },
          call,
        );
      }
      const asked = questionFor(call.input);
      session.refuseChange(endpoint);
      const question = () => questionAbout(asked, session);
      return session.answer(
        {
          endpoint,
          calls: [asked],
          question,
          textOf: ([found]) => answerText(session, view, found),
        },
        call,
      );
    },
  };
}

function answerText(session: ToolSession, view: AnswerView, found: Found | undefined): string {
  if (found === undefined) throw new Error('a call has no answer');
  const { question, result, source, fetchedAt } = found;
  if (result instanceof PdiError) throw result;
  const { endpoint, request } = question;
  const isFree = !mayCost(endpoint);
  const shown = view.shown(result);
  // What follows is in this answer, so the next page needs no other call.
  if (isPagedHere(endpoint) && shown.next_page !== undefined) session.keepToAskAgain([found]);
  const facts = {
    billed: billedFor(found),
    source: isFree ? undefined : source,
    fetched_at: isFree ? undefined : fetchedAt,
    calls_left: isFree ? undefined : session.callsLeft,
    next_page: shown.next_page,
    warning: warningOf(result.trouble ?? complaintAbout(question, result)),
  } as const;
  // The documents say nothing of what a deletion answers, so its result is pdi's own.
  const deleted =
    endpoint.method === 'DELETE'
      ? { list_id: Object.values(request.path)[0], deleted: true }
      : undefined;
  return resultText(shown.result ?? deleted, facts, view.wayOn);
}

/** What was paid for is given all the same. */
function complaintAbout(question: LookupQuestion, { record }: Purchased): PdiError | undefined {
  const { error } = comparedWith(question, { status: 'ok', record });
  if (error !== undefined)
    return new PdiError('partial', error, { hint: 'it was paid for; look before you use it' });
  if (question.endpoint === operations.modifyPeopleList && !namesPeople(record.value))
    return new PdiError('partial', peopleUnknown, { hint: 'look before you rely on it' });
  return notAsAsked(record.value, question.request.body);
}

function billedFor({ question: { endpoint }, result, source }: Found): ToldBilled {
  const { billed } =
    source === undefined || result instanceof PdiError
      ? fateOf(endpoint, result)
      : { billed: 'no' as const };
  if (billed !== 'unknown') return billed;
  return result instanceof PdiError ? 'answer lost' : 'price unknown';
}

type AskedIds = readonly { readonly input: string; readonly question: LookupQuestion }[];

/** @throws TooLargeResult, with `fields` as the way on; PdiError what kept every id from being sent */
function rowsText(
  { callsLeft }: ToolSession,
  view: AnswerView,
  ids: AskedIds,
  found: readonly Found[],
): string {
  const failures = found.flatMap(({ result }) => (result instanceof PdiError ? [result] : []));
  if (
    failures.length === found.length &&
    failures.every((failure) => statusOf(failure) === 'skipped')
  )
    throw failures.find(({ code }) => code !== 'interrupted') ?? failures[0];
  const byKey = new Map(found.map((one) => [one.question.key, one]));
  const told = new Set<string>();
  const rows = ids.flatMap(({ input, question: { key } }) => {
    const one = byKey.get(key);
    if (one === undefined) return [];
    // An id that is named twice is bought once.
    const billed = told.has(key) ? 'no' : billedFor(one);
    told.add(key);
    const { status, error, record } = outcomeOf(one);
    // Only an answer has a source: what was not sent has none.
    const source = one.source ?? (one.fetchedAt === undefined ? undefined : 'service');
    const result = record && view.content({ record, status: 'ok' });
    return [
      {
        input,
        pdi_status: status,
        pdi_error: error,
        billed,
        source,
        fetched_at: one.fetchedAt,
        result,
      },
    ];
  });
  const billed =
    (['yes', 'answer lost'] as const).find((word) => rows.some((row) => row.billed === word)) ??
    'no';
  const troubles = found.map(({ result }) =>
    result instanceof PdiError ? undefined : result.trouble,
  );
  const warning = warningOf(troubles.find((trouble) => trouble !== undefined));
  return resultText(rows, { billed, calls_left: callsLeft, warning }, view.wayOn);
}

function outcomeOf({ question, result }: Found): Outcome {
  if (result instanceof PdiError)
    return { status: statusOf(result), error: result.details.reason ?? result.message };
  return comparedWith(question, { status: 'ok', record: result.record });
}

const resolveTool = (words: OperationWords, session: ToolSession): Tool => ({
  ...listedTool(resolvePeople, words.resolvePeople),
  call: async (call) => {
    const { to_resolve } = call.input;
    const items = (Array.isArray(to_resolve) ? to_resolve : []).map(identifierIn);
    const view = viewOf(resolvePeople, call.input);
    const asked = askedCall(resolvePeople, {
      path: {},
      body: { to_resolve: items.map(({ identifier }) => identifier) },
    });
    if (session.asksFirst(resolvePeople)) await call.ask(await questionAbout(asked, session));
    const { client, stop } = session.tools;
    const run = {
      client: await client(),
      stopRule: new StopRule({ interrupt: stop, stopOnError: false }),
    };
    const outcomes = await new Batches(run).outcomesOf(items);
    const failure = outcomes.every(({ failure }) => failure !== undefined)
      ? outcomes[0]?.failure
      : undefined;
    if (failure !== undefined) throw failure;
    for (const { record } of outcomes) learnNames(session, record?.value);
    const rows = outcomes.map((outcome, place) =>
      view.content({ ...outcome, input: items[place]?.input ?? '' }),
    );
    return resultText(rows, { billed: 'no' }, `name fewer identifiers, or ${fieldsArgument}`);
  },
});

const longestName = 100;

/** The question about a person says who that is. */
function learnNames(session: ToolSession, group: unknown): void {
  const matches = isObject(group) && Array.isArray(group.matches) ? group.matches : [];
  for (const match of matches) {
    const { person_id: id, full_name: name } = isObject(match) ? match : {};
    if (
      typeof id === 'string' &&
      typeof name === 'string' &&
      name !== '' &&
      name.length <= longestName
    )
      session.names.set(id, name);
  }
}

/** @throws UsageError unless the item has exactly one identifier, well-formed */
function identifierIn(item: unknown): Classified & { readonly input: string } {
  const given = isObject(item) ? Object.entries(item) : [];
  const [name = '', value] = given[0] ?? [];
  if (given.length !== 1)
    throw notSent(
      `to_resolve: ${shown(item)} needs exactly one identifier`,
      `one of ${identifierKinds.join(', ')}`,
    );
  const input = String(value);
  const kind = identifierForms.find(({ field }) => field === name)?.as;
  return { ...requireIdentifier(input, `to_resolve: ${shown(item)}`, kind), input };
}

/** `names`: the tools that ask about one id a call, by their operations. */
const planTool = (session: ToolSession, names: ReadonlyMap<string, OperationName>): Tool => ({
  ...toolTaking(object({ tool: text({ enum: [...names.keys()] }), ids: texts() }), {
    name: 'plan',
    description:
      'What a tool would cost for many ids, before any call: calls that may be billed, ids in the book, cap and budget. Free.',
    annotations: { readOnlyHint: true },
  }),
  call: async ({ input: { tool, ids } }) => {
    const operation = names.get(String(tool));
    if (operation === undefined) {
      const hint = `one of ${[...names.keys()].join(', ')}`;
      throw new UsageError(`tool: there is no plan for ${shown(tool)}`, { item: 'tool', hint });
    }
    const { in_journal, ...counts } = (
      await planOf(session, operation, Array.isArray(ids) ? ids.map(String) : [])
    ).plan;
    const budget = (await session.spending.budgetUse()).map(withRest);
    const allowed = (await session.spending.refusalOf(counts.billable)) === undefined;
    return resultText(
      { ...counts, calls_left: session.callsLeft, budget, allowed },
      { billed: 'no' },
      'name fewer ids',
    );
  },
});

async function planOf({ spending }: ToolSession, operation: OperationName, ids: readonly string[]) {
  const input = argumentInput(ids).batches;
  const resolving = resolveJob((text) => classify(text));
  if (operation === 'resolvePeople') return planJob(resolving, { input, keep: 0 });
  const endpoint: Endpoint = operations[operation];
  const ask = operation === 'findInvestors' ? investorQuestion : pathQuestion(endpoint);
  return planJob(
    { endpoint, ask, perRequest: 1 },
    { input, keep: 0, fate: spending.inBook, boughtAt: spending.boughtAt },
  );
}

const budgetTool = (session: ToolSession): Tool => ({
  ...toolTaking(object({}), {
    name: 'budget',
    description: 'What was spent, what cap and budget leave, what the book has. Free.',
    annotations: { readOnlyHint: true },
  }),
  call: async () => {
    const { cap, maxAge } = session.plan.rules;
    const { runCost, budgetUse } = session.spending;
    const { spent: this_month, kept: answers } = await reportsOf(session);
    const { billed, unknown, lost } = runCost.spent;
    const result = {
      session: {
        cap,
        left: session.callsLeft,
        billed,
        unknown,
        price_unknown: unknown - lost,
        answer_lost: lost,
      },
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
  const book = await tools.book.ifThere();
  if (book === undefined) return { spent: totalOf([]), kept: [] };
  const { reports } = book;
  const spent = totalOf(await reports.spend({ since, by: [], sandbox: tools.isSandbox }));
  // For this service alone, by operation: an agent has no use for accounts and files.
  const kept = (await reports.keptAnswers(now)).filter(({ base_url }) => base_url === identity);
  return {
    spent,
    kept: kept.map(({ operation, answers, oldest, latest }) => ({
      operation,
      answers,
      oldest,
      latest,
    })),
  };
}
