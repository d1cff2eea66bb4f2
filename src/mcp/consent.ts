/** Asks the person before a call, by elicitation. In the older protocol the server asks; in the newer one it tells the client to ask. */
import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { type ConsentQuestion, ToBeAsked } from './tool.ts';

type Action = 'accept' | 'decline' | 'cancel';

/** People may be away from the screen, so this is not the time limit of a network. */
const longestThought = 600_000;

const asked = 'confirm';

/** Who asks a call of a tool. */
export interface Caller {
  readonly ctx: ServerContext;
  readonly era: 'legacy' | 'modern';
  /** It is what the client said of itself when it connected. The newer protocol says it with each request instead. */
  readonly capabilities: ClientCapabilities | undefined;
}

export class Consent {
  private readonly open = new Map<string, string>();

  constructor(private readonly over: AbortSignal) {}

  /** Returns if the person agreed to exactly this call. @throws UsageError if they did not, or cannot be asked; ToBeAsked */
  async ask(caller: Caller, question: ConsentQuestion): Promise<void> {
    const { ctx, era, capabilities } = caller;
    const action = era === 'modern' ? this.answerIn(ctx, question) : undefined;
    if (action !== undefined) return refuseUnlessAgreed(action, question);
    if (!canAsk(era === 'modern' ? toldWith(ctx) : capabilities)) throw refused(question, 'this client cannot ask the person', unable);
    if (era === 'modern') throw this.toBeAsked(question.subject, await question.text());
    refuseUnlessAgreed(await askNow(ctx, question, this.over), question);
  }

  /** An answer counts for the call that it was asked for, and once. */
  private answerIn({ mcpReq }: ServerContext, { subject }: ConsentQuestion): Action | undefined {
    const state = mcpReq.requestState();
    if (typeof state !== 'string' || this.open.get(state) !== subject) return undefined;
    const answer = inputResponse(mcpReq.inputResponses, asked);
    if (answer.kind !== 'elicit') return undefined;
    this.open.delete(state);
    return answer.action;
  }

  private toBeAsked(subject: string, text: string): ToBeAsked {
    const state = randomUUID();
    this.open.set(state, subject);
    return new ToBeAsked(inputRequired({ inputRequests: { [asked]: inputRequired.elicit(form(text)) }, requestState: state }));
  }
}

const toldWith = ({ mcpReq: { envelope } }: ServerContext): unknown =>
  isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;

/** A client that names no mode can show forms, because the first protocol had no other mode. */
function canAsk(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  return isObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The form has no fields, because to accept it is to agree. */
const form = (message: string): ElicitRequestFormParams => ({ mode: 'form', message, requestedSchema: { type: 'object', properties: {} } });

async function askNow(ctx: ServerContext, question: ConsentQuestion, over: AbortSignal): Promise<Action> {
  const text = await question.text();
  const signal = AbortSignal.any([ctx.mcpReq.signal, over]);
  try {
    const request = { method: 'elicitation/create', params: form(text) } as const;
    return (await ctx.mcpReq.send(request, { timeout: longestThought, signal })).action;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refused(question, `the person could not be asked (${reason})`, 'nothing was sent');
  }
}

function refuseUnlessAgreed(action: Action, question: ConsentQuestion): void {
  if (action === 'accept') return;
  const reason = action === 'decline' ? 'the person said no' : 'the person closed the question without an answer';
  throw refused(question, reason, 'nothing was sent; do not ask again unless the person wants it');
}

const unable =
  'nothing was sent; use a client that supports elicitation, or let the person start the server with --confirm never, which asks nobody';

const refused = ({ label }: ConsentQuestion, reason: string, hint: string): UsageError => new UsageError(`${label}: ${reason}`, { hint });
