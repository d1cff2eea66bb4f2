/** Defines a tool for each operation: arguments are checked, the person is asked, the answer is bought or taken from the book. */
import { endOfAnswer, type Purchased } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, type OperationWords, operations } from '../contract/operations.ts';
import { type Billed, PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { notAsAsked } from '../road/lists.ts';
import { comparedWith, type LookupQuestion } from '../road/lookup.ts';
import { statusOf } from '../road/stop-rule.ts';
import type { Outcome } from '../rows/row.ts';
import { questionAbout, questionAboutMany } from './consent.ts';
import { isPagedHere, listedTool, manyIdsIn, requestOf } from './listing.ts';
import { type AnswerView, resultText, viewOf, warningOf, wayOnWithFields } from './result.ts';
import { askedCall, type Found, type FoundByKey, type ToolSession, type WantedAnswers } from './session.ts';
import type { GivenArguments, Tool } from './tool.ts';

export function operationTool(operation: OperationName, words: OperationWords, session: ToolSession): Tool {
  const endpoint: Endpoint = operations[operation];
  const askedFor = (given: GivenArguments): LookupQuestion => {
    const typed = requestOf(endpoint, given);
    return askedCall(endpoint, endpoint.check?.(typed, (parameter) => parameter) ?? typed);
  };
  return {
    listed: listedTool(endpoint, words[operation]),
    call: async (call) => {
      const rows = manyIdsIn(call.given, endpoint)?.map(({ input, given }) => ({ input, asked: askedFor(given) }));
      const wanted =
        rows === undefined
          ? wantedOnce(session, askedFor(call.given), viewOf(endpoint, call.given))
          : wantedByIds(session, endpoint, rows, viewOf(endpoint, call.given));
      session.refuseChange(endpoint);
      return session.answer(wanted, call);
    },
  };
}

const wantedOnce = (session: ToolSession, asked: LookupQuestion, view: AnswerView): WantedAnswers => ({
  endpoint: asked.endpoint,
  calls: new Map([[asked.key, asked]]),
  question: () => questionAbout(asked, session),
  textOf: (found) => answerText(session, asked, view, found.get(asked.key)),
});

/** @throws PdiError what kept it from being answered */
function answerText(session: ToolSession, asked: LookupQuestion, view: AnswerView, found: Found | undefined): string {
  if (found === undefined) throw new Error('a call has no answer');
  const { result, source, fetchedAt } = found;
  if (result instanceof PdiError) throw result;
  const { endpoint, request } = asked;
  const isFree = endpoint.billing === 'free';
  const shown = view.shown(result);
  // The members that follow are in this answer, so the next page needs no other call.
  if (isPagedHere(endpoint) && endpoint.members !== undefined && shown.next_page !== undefined)
    session.keepToAskAgain(endpoint, new Map([[asked.key, found]]));
  const facts = {
    billed: billedFor(endpoint, found),
    source: isFree ? undefined : source,
    fetched_at: isFree ? undefined : fetchedAt,
    calls_left: isFree ? undefined : session.callsLeft,
    next_page: shown.next_page,
    warning: warningOf(result.trouble ?? complaintAbout(asked, result)),
  } as const;
  // The documents say nothing of what a deletion answers, so its result is pdi's own.
  const deleted = endpoint.method === 'DELETE' ? { list_id: Object.values(request.path)[0], deleted: true } : undefined;
  return resultText(shown.result ?? deleted, facts, wayOnWithFields(endpoint));
}

/** What was paid for is given all the same. */
function complaintAbout(asked: LookupQuestion, { record }: Purchased<unknown>): PdiError | undefined {
  const { error } = comparedWith(asked, { status: 'ok', record });
  return error === undefined
    ? complaintAboutChange(asked.request.body, record.value)
    : new PdiError('partial', error, { hint: 'it was paid for; look before you use it' });
}

/** Undefined for an answer to anything but a change of people. */
function complaintAboutChange(change: unknown, answer: unknown): PdiError | undefined {
  if (!isObject(change) || !isObject(answer)) return undefined;
  return notAsAsked(answer, { add: textsIn(change.add_ids), remove: textsIn(change.delete_ids) });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function billedFor(endpoint: Endpoint, { result, source }: Found): Billed {
  if (result instanceof PdiError) return result.details.billed ?? 'no';
  return source !== undefined || endpoint.billing === 'free' ? 'no' : endOfAnswer(endpoint, result.body).billed;
}

/** Many ids in one call: a row for each, in the order in which they were named. */
interface IdRow {
  readonly input: string;
  readonly asked: LookupQuestion;
}

const wantedByIds = (session: ToolSession, endpoint: Endpoint, rows: readonly IdRow[], view: AnswerView): WantedAnswers => ({
  endpoint,
  calls: new Map(rows.map(({ asked }) => [asked.key, asked])),
  question: (missing, known) => questionAboutMany(endpoint, missing, known, session),
  textOf: (found) => rowsText(session, endpoint, rows, view, found),
});

/** @throws TooLargeResult, with `fields` as the way on; PdiError what kept every id from being sent */
function rowsText({ callsLeft }: ToolSession, endpoint: Endpoint, rows: readonly IdRow[], view: AnswerView, found: FoundByKey): string {
  const failures = [...found.values()].flatMap(({ result }) => (result instanceof PdiError ? [result] : []));
  if (failures.length === found.size && failures.every((failure) => statusOf(failure) === 'skipped'))
    throw failures.find(({ code }) => code !== 'interrupted') ?? failures[0];
  const told = new Set<string>();
  const shownRows = rows.flatMap(({ input, asked }) => {
    const one = found.get(asked.key);
    if (one === undefined) return [];
    // An id that is named twice is bought once.
    const billed = told.has(asked.key) ? 'no' : billedFor(endpoint, one);
    told.add(asked.key);
    const { status, error, record } = outcomeOf(asked, one);
    // Only an answer has a source: what was not sent has none.
    const source = one.source ?? (one.fetchedAt === undefined ? undefined : 'service');
    const result = record && view.content(record);
    return [{ input, pdi_status: status, pdi_error: error, billed, source, fetched_at: one.fetchedAt, result }];
  });
  const billed = (['yes', 'unknown'] as const).find((word) => shownRows.some((row) => row.billed === word)) ?? 'no';
  const troubles = [...found.values()].map(({ result }) => (result instanceof PdiError ? undefined : result.trouble));
  const warning = warningOf(troubles.find((trouble) => trouble !== undefined));
  return resultText(shownRows, { billed, calls_left: callsLeft, warning }, wayOnWithFields(endpoint));
}

function outcomeOf(asked: LookupQuestion, { result }: Found): Outcome {
  if (result instanceof PdiError) return { status: statusOf(result), error: result.details.reason ?? result.message };
  return comparedWith(asked, { status: 'ok', record: result.record });
}
