/** Defines a tool for each operation: arguments are checked, the person is asked, the answer is bought or taken from the book. */
import { type Bought, endOfAnswer, type Purchased } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { type Billed, PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { notAsAsked } from '../road/lists.ts';
import { comparedWith } from '../road/lookup.ts';
import { fieldsArgument, namesIn, refuseUnknown, requestOf } from './arguments.ts';
import { idsArgument, isPagedHere, kindOfTool, listedTool, manyIdsOf, pageArguments } from './listing.ts';
import { answerMany, manyIdsIn } from './many-ids.ts';
import { itemOf, nameOf, subjectOf } from './naming.ts';
import { resultText, TooLargeResult, warningOf } from './result-text.ts';
import type { AskedCall } from './service-calls.ts';
import type { GivenArguments, Tool, ToolAnswer, ToolCall } from './tool.ts';
import type { Obtained, ToolSession } from './tool-session.ts';
import type { ToolWords } from './tool-words.ts';
import { type AnswerView, membersPage, pageOf, viewOf, wayOnWithFields } from './view.ts';

export function operationTool(operation: OperationName, words: ToolWords, session: ToolSession): Tool {
  const endpoint: Endpoint = operations[operation];
  const names = namesIn(endpoint);
  const here = isPagedHere(endpoint) ? Object.keys(pageArguments) : [];
  const fields = kindOfTool(endpoint) === 'delete' ? [] : [fieldsArgument];
  const one = manyIdsOf(endpoint);
  const many = one === undefined ? [] : [idsArgument];
  const known = [...names.path, ...many, ...names.query, ...names.body, ...here, ...fields];
  const askedFor = (given: GivenArguments): AskedCall => {
    const typed = requestOf(endpoint, given);
    const request = endpoint.check?.(typed, (parameter) => parameter) ?? typed;
    const item = itemOf(endpoint, request);
    return { endpoint, request, item, name: nameOf(item, endpoint) };
  };
  return {
    listed: listedTool(endpoint, words),
    call: async (call) => {
      refuseUnknown(known, call.given);
      const inputs = one === undefined ? undefined : manyIdsIn(call.given, one);
      if (one !== undefined && inputs !== undefined) {
        const rows = inputs.map((id) => askedFor({ [one]: id }));
        return answerMany(session, { endpoint, rows, inputs }, viewOf(endpoint, call.given), call);
      }
      const asked = askedFor(call.given);
      const view = viewOf(endpoint, call.given);
      session.refuseChange(endpoint);
      return answer(session, asked, view, call);
    },
  };
}

async function answer(session: ToolSession, asked: AskedCall, view: AnswerView, call: ToolCall): Promise<ToolAnswer> {
  const { endpoint, request } = asked;
  const subject = subjectOf(endpoint, request);
  const kept = session.kept.answerTo(subject);
  if (kept !== undefined) {
    const text = given(session, asked, view, kept, 'session');
    if (!call.stopped()) session.kept.heard(subject);
    call.ifUnheard(() => session.kept.keepUntilHeard(subject, kept));
    // A change that is asked for again is made again, once its answer was given.
    if (kindOfTool(endpoint) !== 'read') session.kept.drop(subject);
    return text;
  }
  const { value, joined } = await session.underWay.join(subject, call.stopped, {
    work: (stopped) => obtained(session, asked, { ...call, stopped }),
    isForOne: ({ open }) => open !== undefined,
  });
  if (value.bought === undefined) return value.open;
  const { bought } = value;
  const source = bought.source === 'book' ? 'book' : joined && endpoint.billing !== 'free' ? 'session' : undefined;
  if (endpoint.billing !== 'free' && source !== 'book') call.ifUnheard(() => session.kept.keepUntilHeard(subject, bought));
  return given(session, asked, view, bought, source);
}

async function obtained(session: ToolSession, asked: AskedCall, call: ToolCall): Promise<Obtained> {
  if (session.asksFirst(asked.endpoint)) {
    const known = await session.calls.known(asked);
    if (known !== undefined) return { bought: known };
    const open = await session.ask(asked, call);
    if (open !== undefined) return { open };
  }
  return { bought: (await session.buy(asked, call.stopped)).value };
}

/** A large answer that was paid for is kept for the next call, which asks for less of it. */
function given(
  session: ToolSession,
  asked: AskedCall,
  view: AnswerView,
  bought: Bought<unknown>,
  source: 'book' | 'session' | undefined,
): string {
  const { result, fetchedAt } = bought;
  if (result instanceof PdiError) throw result;
  const { endpoint } = asked;
  const shown = shownOf(asked, view, result);
  // The members that follow are in this answer, so the next page needs no other call.
  if (isPagedHere(endpoint) && endpoint.members !== undefined && shown.next_page !== undefined)
    session.kept.keepToAskAgain(subjectOf(endpoint, asked.request), bought);
  const facts = {
    billed: source === undefined ? billedFor(endpoint, result.body) : 'no',
    source,
    // Another call has just brought it.
    fetched_at: fetchedAt ?? (source === 'session' ? new Date().toISOString() : undefined),
    calls_left: endpoint.billing === 'free' ? undefined : session.callsLeft,
    next_page: shown.next_page,
    warning: warningOf(result.trouble ?? complaintAbout(asked, result)),
  } as const;
  try {
    return resultText(shown.result, facts, wayOnWithFields(endpoint));
  } catch (error) {
    if (error instanceof TooLargeResult && endpoint.billing !== 'free')
      session.kept.keepToAskAgain(subjectOf(endpoint, asked.request), bought);
    throw error;
  }
}

const billedFor = (endpoint: Endpoint, body: unknown): Billed => (endpoint.billing === 'free' ? 'no' : endOfAnswer(endpoint, body).billed);

function shownOf({ endpoint, request }: AskedCall, view: AnswerView, { body, record, records }: Purchased<unknown>) {
  if (endpoint.result === 'list') return pageOf(endpoint, view, records);
  if (isPagedHere(endpoint)) return membersPage(endpoint, view, record);
  // The documents say nothing of what a deletion answers, so its result is pdi's own.
  const deleted = endpoint.method === 'DELETE' ? { list_id: Object.values(request.path)[0], deleted: true } : undefined;
  return { result: body === undefined || body === null ? deleted : view.content(record), next_page: undefined };
}

/** What was paid for is given all the same. */
function complaintAbout(asked: AskedCall, { record }: Purchased<unknown>): PdiError | undefined {
  const { endpoint, request } = asked;
  const { error } = comparedWith(endpoint, asked, { status: 'ok', record });
  return error === undefined
    ? complaintAboutChange(request.body, record.value)
    : new PdiError('partial', error, { hint: 'it was paid for; look before you use it' });
}

/** Undefined for an answer to anything but a change of people. */
function complaintAboutChange(change: unknown, answer: unknown): PdiError | undefined {
  if (!isObject(change) || !isObject(answer) || !Array.isArray(answer.people)) return undefined;
  const people = answer.people.flatMap((person: unknown) => (isObject(person) ? [{ person_id: String(person.person_id) }] : []));
  return notAsAsked({ people }, { add: textsIn(change.add_ids), remove: textsIn(change.delete_ids) });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
