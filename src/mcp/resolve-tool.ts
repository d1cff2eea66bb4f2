/** Defines the tool that resolves identifiers. Each answer is checked against its question, so that no person is taken for another. */
import { type Classified, classify, type IdentifierName } from '../contract/person-identifier.ts';
import { resolvePeople } from '../contract/resolve.ts';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { resolveBatch } from '../road/resolve.ts';
import { StopRule } from '../road/stop-rule.ts';
import type { Outcome } from '../rows/result-row.ts';
import { fieldsArgument, listedTool, requestOf, shown } from './listing.ts';
import { questionAbout } from './question.ts';
import { type AnswerView, resultText, viewOf } from './result.ts';
import { askedCall, type ToolSession } from './session.ts';
import type { Tool, ToolWords } from './tool.ts';

export const resolveTool = (words: ToolWords, session: ToolSession): Tool => ({
  listed: listedTool(resolvePeople, words),
  call: async (call) => {
    const request = requestOf(resolvePeople, call.given);
    const items = (isObject(request.body) && Array.isArray(request.body.to_resolve) ? request.body.to_resolve : []).map(identifierIn);
    const view = viewOf(resolvePeople, call.given);
    const asked = askedCall(resolvePeople, request);
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

const kinds: Readonly<Record<string, IdentifierName>> = {
  profnet_url: 'url',
  profnet_id: 'id',
  profnet_num_id: 'num-id',
  profnet_urn: 'urn',
};

/** The identifier of one item of `resolve`. @throws UsageError unless it has exactly one, well-formed */
function identifierIn(item: unknown): Classified {
  const given = isObject(item) ? Object.entries(item) : [];
  const [name = '', value] = given[0] ?? [];
  if (given.length !== 1)
    throw mistake(`to_resolve: ${shown(item)} needs exactly one identifier`, `one of ${Object.keys(kinds).join(', ')}`);
  // JSON was read before it came here, so the digits of a larger number are lost.
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw mistake(`to_resolve: ${shown(item)} is not exact`, 'use another form');
  const found = classify(String(value), kinds[name]);
  if (!('invalid' in found)) return found;
  throw mistake(`to_resolve: ${shown(item)}: ${found.invalid}`, found.hint ?? 'correct it, or leave it out');
}

const mistake = (message: string, hint: string): UsageError => new UsageError(message, { hint: `nothing was sent; ${hint}` });
