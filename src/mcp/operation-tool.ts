/** Defines a tool for each operation: arguments are checked, the person is asked, the answer is bought or taken from the book. */
import { endOfAnswer, type Purchased } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { notAsAsked } from '../road/lists.ts';
import { comparedWith } from '../road/lookup.ts';
import { isPagedHere, listedTool, manyIdsOf, requestOf } from './listing.ts';
import { manyIdsIn, wantedByIds } from './many-ids.ts';
import { answerTo } from './obtain.ts';
import { questionAbout } from './question.ts';
import { type AnswerView, membersPage, pageOf, resultText, viewOf, warningOf, wayOnWithFields } from './result.ts';
import { type AskedCall, askedCall, type Found, type ToolSession } from './session.ts';
import type { GivenArguments, Tool, ToolWords } from './tool.ts';

export function operationTool(operation: OperationName, words: ToolWords, session: ToolSession): Tool {
  const endpoint: Endpoint = operations[operation];
  const one = manyIdsOf(endpoint);
  const askedFor = (given: GivenArguments): AskedCall => {
    const typed = requestOf(endpoint, given);
    return askedCall(endpoint, endpoint.check?.(typed, (parameter) => parameter) ?? typed);
  };
  return {
    listed: listedTool(endpoint, words),
    call: async (call) => {
      const ids = one === undefined ? undefined : manyIdsIn(call.given, one);
      if (one !== undefined && ids !== undefined) {
        const rows = ids.map((input) => ({ input, asked: askedFor({ [one]: input }) }));
        return answerTo(session, wantedByIds(session, endpoint, rows, viewOf(endpoint, call.given)), call);
      }
      const asked = askedFor(call.given);
      const view = viewOf(endpoint, call.given);
      session.refuseChange(endpoint);
      const wanted = {
        endpoint,
        calls: new Map([[asked.subject, asked]]),
        question: () => questionAbout(asked, session),
        textOf: (found: ReadonlyMap<string, Found>) => answerText(session, asked, view, found.get(asked.subject)),
      };
      return answerTo(session, wanted, call);
    },
  };
}

/** @throws PdiError what kept it from being answered */
function answerText(session: ToolSession, asked: AskedCall, view: AnswerView, found: Found | undefined): string {
  if (found === undefined) throw new Error('a call has no answer');
  const { bought } = found;
  const { result, fetchedAt } = bought;
  if (result instanceof PdiError) throw result;
  const { endpoint } = asked;
  const isFree = endpoint.billing === 'free';
  const source = isFree ? undefined : found.source;
  const shown = shownOf(asked, view, result);
  // The members that follow are in this answer, so the next page needs no other call.
  if (isPagedHere(endpoint) && endpoint.members !== undefined && shown.next_page !== undefined)
    session.kept.keepToAskAgain(asked.subject, bought);
  const facts = {
    billed: source !== undefined || isFree ? 'no' : endOfAnswer(endpoint, result.body).billed,
    source,
    // Another call has just brought it.
    fetched_at: fetchedAt ?? (source === 'session' ? new Date().toISOString() : undefined),
    calls_left: isFree ? undefined : session.callsLeft,
    next_page: shown.next_page,
    warning: warningOf(result.trouble ?? complaintAbout(asked, result)),
  } as const;
  return resultText(shown.result, facts, wayOnWithFields(endpoint));
}

function shownOf({ endpoint, request }: AskedCall, view: AnswerView, { body, record, records }: Purchased<unknown>) {
  if (endpoint.result === 'list') return pageOf(endpoint, view, records);
  if (isPagedHere(endpoint)) return membersPage(endpoint, view, record);
  // The documents say nothing of what a deletion answers, so its result is pdi's own.
  const deleted = endpoint.method === 'DELETE' ? { list_id: Object.values(request.path)[0], deleted: true } : undefined;
  return { result: body === undefined || body === null ? deleted : view.content(record), next_page: undefined };
}

/** What was paid for is given all the same. */
function complaintAbout(asked: AskedCall, { record }: Purchased<unknown>): PdiError | undefined {
  const { error } = comparedWith(asked.endpoint, asked, { status: 'ok', record });
  return error === undefined
    ? complaintAboutChange(asked.request.body, record.value)
    : new PdiError('partial', error, { hint: 'it was paid for; look before you use it' });
}

/** Undefined for an answer to anything but a change of people. */
function complaintAboutChange(change: unknown, answer: unknown): PdiError | undefined {
  if (!isObject(change) || !isObject(answer) || !Array.isArray(answer.people)) return undefined;
  const people = answer.people.flatMap((person: unknown) => (isObject(person) ? [{ person_id: String(person.person_id) }] : []));
  return notAsAsked({ people }, { add: textsIn(change.add_ids), remove: textsIn(change.delete_ids) });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
