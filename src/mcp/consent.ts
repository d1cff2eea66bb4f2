/** Asks the person before a call, by elicitation: in the older protocol the server asks, in the newer one it tells the client to ask. */
import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Endpoint } from '../contract/endpoint.ts';
import { mayCost } from '../contract/price.ts';
import { pluralize, UsageError } from '../errors.ts';
import { isObject, jsonText } from '../json/exact.ts';
import { BoughtBefore, secondBill } from '../road/dry-run.ts';
import type { LookupQuestion } from '../road/lookup.ts';
import { describeUse } from '../road/summary.ts';
import { type Found, labelOf, type ToolSession } from './session.ts';
import { type ConsentQuestion, ToBeAsked } from './tool.ts';

interface Elicited {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

/** People may be away from the screen, so this is not the time limit of a network. */
const longestThought = 600_000;

const confirmation = 'confirm';

export interface Caller {
  readonly ctx: ServerContext;
  readonly era: 'legacy' | 'modern';
  /** It is what the client said of itself when it connected. The newer protocol says it with each request instead. */
  readonly capabilities: ClientCapabilities | undefined;
}

export class Consent {
  private readonly open = new Map<string, readonly string[]>();

  constructor(
    private readonly over: AbortSignal,
    private readonly session: ToolSession,
  ) {}

  /** Returns if the person agreed to all that would be sent. @throws UsageError if they did not, or cannot be asked; ToBeAsked */
  async ask(caller: Caller, question: ConsentQuestion): Promise<void> {
    const { ctx, era, capabilities } = caller;
    const reply = era === 'modern' ? this.answerIn(ctx, question) : undefined;
    if (reply !== undefined) return refuseUnlessAgreed(reply, question);
    if (!canAsk(era === 'modern' ? toldWith(ctx) : capabilities))
      throw refused(question, 'this client cannot ask the person', unable);
    if (era === 'modern')
      throw this.toBeAsked(question.subject, await questionText(question, this.session));
    refuseUnlessAgreed(await this.askNow(ctx, question), question);
  }

  /** An answer counts for what it was asked about, and once. */
  private answerIn({ mcpReq }: ServerContext, { subject }: ConsentQuestion): Elicited | undefined {
    const state = mcpReq.requestState();
    if (typeof state !== 'string' || !subject.every((key) => this.open.get(state)?.includes(key)))
      return undefined;
    const answer = inputResponse(mcpReq.inputResponses, confirmation);
    if (answer.kind !== 'elicit') return undefined;
    this.open.delete(state);
    return answer;
  }

  private async askNow(ctx: ServerContext, question: ConsentQuestion): Promise<Elicited> {
    const request = {
      method: 'elicitation/create',
      params: form(await questionText(question, this.session)),
    } as const;
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.over]);
    try {
      return await ctx.mcpReq.send(request, { timeout: longestThought, signal });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw refused(question, `the person could not be asked (${reason})`, 'nothing was sent');
    }
  }

  private toBeAsked(subject: readonly string[], text: string): ToBeAsked {
    const state = randomUUID();
    this.open.set(state, subject);
    return new ToBeAsked(
      inputRequired({
        inputRequests: { [confirmation]: inputRequired.elicit(form(text)) },
        requestState: state,
      }),
    );
  }
}

const toldWith = ({ mcpReq: { envelope } }: ServerContext): unknown =>
  isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;

/** A client that names no mode can show forms, because the first protocol had no other mode. */
function canAsk(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  return isObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Some programs accept by themselves what has no field to fill in. */
const form = (message: string): ElicitRequestFormParams => ({
  mode: 'form',
  message,
  requestedSchema: {
    type: 'object',
    properties: {
      [confirmation]: {
        type: 'boolean',
        title: 'Yes, do it',
        description: 'Nothing is sent without it.',
      },
    },
    required: [confirmation],
  },
});

function refuseUnlessAgreed({ action, content }: Elicited, question: ConsentQuestion): void {
  const ticked = isObject(content) ? content[confirmation] : undefined;
  if (action === 'accept' && ticked === true) return;
  throw refused(
    question,
    whyNot(action, content, ticked),
    'nothing was sent; do not ask again unless the person wants it',
  );
}

function whyNot(action: Elicited['action'], content: unknown, ticked: unknown): string {
  if (action === 'decline') return 'declined; if nobody was asked, the client cannot ask';
  if (action === 'cancel') return 'the person closed the question without an answer';
  if (content === undefined)
    return `the client accepted without the content of the form, so nobody answered "${confirmation}"`;
  return ticked === false
    ? `the person left "${confirmation}" unticked`
    : `the form came back without an answer to "${confirmation}"`;
}

const unable =
  'nothing was sent; use a client that supports elicitation, or let the person start the server with --confirm never, which does not ask';

const refused = ({ label, item }: ConsentQuestion, reason: string, hint: string): UsageError =>
  new UsageError(`${label}: ${reason}`, { item, hint });

const prices: Readonly<Record<Endpoint['billing'], string>> = {
  free: 'Free',
  charged: '1 call that is charged',
  unstated: '1 call that may be billed (its price is not documented)',
};

export async function questionAbout(
  question: LookupQuestion,
  session: ToolSession,
): Promise<ConsentQuestion> {
  const { endpoint, request, key } = question;
  const { title, billing } = endpoint;
  const item = labelOf(question);
  const { path, query, body } = request;
  const values = Object.entries({ ...path, ...query, ...(typeof body === 'object' && body) });
  const what = values
    .map(([name, value]) => `${name} ${valueText(value)}${knownAs(session, String(value))}`)
    .join(', ');
  const isForGood = endpoint.method === 'DELETE' ? ' It is deleted for good.' : '';
  const page = endpoint.freeIfEmpty === undefined ? '' : ' An empty page is not charged.';
  return {
    subject: [key],
    label: item === undefined ? title : `${title}, ${item}`,
    item,
    text: `${prices[billing]}${await boughtBefore([question], session)}: ${title}${what === '' ? '' : ` (${what})`}?${isForGood}${page}`,
    isFree: !mayCost(endpoint),
  };
}

/** The ids that are not missing are `known`: kept, or lost and not sent again. */
export async function questionAboutMany(
  endpoint: Endpoint,
  missing: readonly LookupQuestion[],
  found: readonly Found[],
  session: ToolSession,
): Promise<ConsentQuestion> {
  const count = pluralize(missing.length, endpoint.noun ?? 'id');
  const named = missing
    .map(({ request }) =>
      Object.values(request.path).map((id) => `${visibly(id)}${knownAs(session, id)}`),
    )
    .join(', ');
  const cost = `${pluralize(missing.length, 'call')} that ${missing.length === 1 ? 'is' : 'are'} charged`;
  const lost = found.filter(({ withheld }) => withheld === true).length;
  const more = (ids: number, why: string) =>
    ids === 0 ? '' : `; ${ids} more ${ids === 1 ? 'is' : 'are'} ${why}`;
  const kept = more(found.length - lost, 'kept already, at no cost');
  const notSent = more(lost, 'not sent again: the answer was lost, and may have been billed');
  const before = await boughtBefore(missing, session);
  return {
    subject: missing.map(({ key }) => key),
    label: count,
    text: `${cost}${before}${kept}${notSent}: ${count}: ${named}?`,
    isFree: !mayCost(endpoint),
  };
}

async function boughtBefore(
  questions: readonly LookupQuestion[],
  { plan, spending }: ToolSession,
): Promise<string> {
  const before = new BoughtBefore();
  for (const one of questions) before.add(await spending.boughtAt(one));
  const second = secondBill({ ...before.told, billable: questions.length }, plan.rules);
  return second === undefined ? '' : `; ${second}`;
}

const longestQuestion = 8000;

/** Ends with what is used of cap and budget, unless the call is free. @throws UsageError if it is too long to read */
async function questionText(
  { text, isFree }: ConsentQuestion,
  { plan, spending, tools }: ToolSession,
): Promise<string> {
  const { cap, retryUnknown } = plan.rules;
  const times = isFree || !retryUnknown ? 0 : plan.calls.retries;
  const again =
    times === 0
      ? ''
      : ` Where an answer is lost, the call is sent again, up to ${pluralize(times, 'time')}, and may be billed again.`;
  const session =
    cap === 'unlimited'
      ? []
      : [`this session: ${cap - spending.cap.left} of ${pluralize(cap, 'call')} used`];
  const used = isFree ? [] : [...session, ...(await spending.budgetUse()).map(describeUse)];
  const question = tools.say.redact(
    `pdi: ${text}${again}${used.length === 0 ? '' : ` (${used.join('; ')})`}`,
  );
  if (question.length <= longestQuestion) return question;
  const message = `the question to the person would have ${question.length} characters, and ${longestQuestion} are the most that anybody is asked to read`;
  throw new UsageError(message, {
    hint: 'nothing was sent, and the person was not asked; give fewer or shorter values in one call',
  });
}

function knownAs({ names }: ToolSession, id: string): string {
  const name = names.get(id);
  return name === undefined ? '' : ` (${visibly(name)})`;
}

const valueText = (value: unknown): string =>
  Array.isArray(value)
    ? `${pluralize(value.length, 'id')}: ${value.map(visibly).join(', ')}`
    : visibly(value);

/** These have no shape of their own, or change the order of what stands around them. A plain space is the one blank that is seen as such. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

/** A value as JSON with every character to be seen, because the person agrees to what is sent, not to what it looks like. */
function visibly(value: unknown): string {
  const escaped = (character: string) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('');
  return jsonText(value).replace(hidden, escaped);
}
