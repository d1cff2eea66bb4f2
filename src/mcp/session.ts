/** Holds what the tools of one session share: one cap and one book, by the same road as every command, and what was learned and kept. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { type Bought, type Item, lostFailure } from '../book/buyer.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { PdiError, pluralize, UsageError, withMoreHint } from '../errors.ts';
import type { Plan } from '../road/plan.ts';
import type { Spending } from '../road/spending.ts';
import { describeUse } from '../road/summary.ts';
import type { Tools } from '../road/tools.ts';
import { kindOfTool } from './listing.ts';
import { shortened } from './result.ts';
import { SessionAnswers, SharedCalls } from './session-answers.ts';

/** A call of the service that a tool asks for. */
export interface AskedCall {
  readonly endpoint: Endpoint;
  readonly request: RequestParts;
  /** Calls that ask the same have the same. */
  readonly subject: string;
  readonly item: Item;
  /** Names it in errors, where it has a name beside that of its operation. */
  readonly label: string | undefined;
}

/** An agent may send a name as long as a book. An id is no longer than its rule allows. */
const longestLabel = 80;

export function askedCall(endpoint: Endpoint, request: RequestParts): AskedCall {
  const { method, path } = endpoint;
  const item = itemOf(endpoint, request);
  const name = typeof item === 'string' ? item.replace(':', ' ') : shortened(item.freeText, longestLabel);
  return { endpoint, request, subject: `${method} ${path} ${JSON.stringify(request)}`, item, label: item === path ? undefined : name };
}

/** Gives the item as the commands name it: an identifier, a page, or a free text, of which the book keeps only a hash. */
function itemOf({ path: template, query: schema }: Endpoint, { path, query = {} }: RequestParts): Item {
  const [identifier] = Object.values(path);
  if (identifier !== undefined) return identifier;
  if (schema === undefined) return template;
  return 'page' in schema.shape ? `page:${Number(query.page ?? 0)}` : { freeText: String(Object.values(query)[0] ?? '') };
}

/** What came of a call of the service. Without a source it was bought now. */
export interface Found {
  readonly bought: Bought<unknown>;
  readonly source?: 'book' | 'session' | undefined;
}

/** By the subjects of the calls. */
export type FoundBySubject = ReadonlyMap<string, Found>;

/** All is there, or the client has to ask the person first. */
export type Obtained =
  | { readonly found: FoundBySubject; readonly open?: undefined }
  | { readonly found?: undefined; readonly open: InputRequiredResult };

export interface SessionRules {
  /** When the person is asked. A deletion counts as charged, whatever it costs. */
  readonly confirm: 'always' | 'charged' | 'never';
  readonly allowChanges: boolean;
}

const longestName = 100;
const mostNames = 10_000;

export class ToolSession {
  readonly kept: SessionAnswers;
  /** What `resolve` called the people of this session. */
  readonly names = new Map<string, string>();
  /** The same call at the same time is asked about once, and bought once. */
  readonly underWay = new SharedCalls<Obtained>();
  private readonly buying = new SharedCalls<Bought<unknown>>();
  /** These calls may have been billed and got no answer. An agent that repeats one may pay twice. */
  private readonly lost = new Set<string>();

  constructor(
    readonly plan: Plan,
    readonly tools: Tools,
    readonly spending: Spending,
    private readonly rules: SessionRules,
  ) {
    this.kept = new SessionAnswers(() => tools.now());
    // What was bought went to the client, so a new session buys nothing again.
    spending.runCost.foundBy = 'any run';
  }

  /** @throws UsageError for a change or a deletion that nobody allowed */
  refuseChange(endpoint: Endpoint): void {
    if (kindOfTool(endpoint) === 'read' || this.rules.allowChanges) return;
    throw new UsageError(`${endpoint.title}: this server changes nothing`, {
      hint: 'nothing was sent; the person may start the server with --allow-changes',
    });
  }

  asksFirst(endpoint: Endpoint): boolean {
    const { confirm } = this.rules;
    return confirm === 'always' || (confirm === 'charged' && (endpoint.billing !== 'free' || kindOfTool(endpoint) === 'delete'));
  }

  /** Says what cap and budget have left. @throws PdiError if one has nothing left, so that nobody is asked in vain */
  async used(): Promise<readonly string[]> {
    const { cap, budgetUse } = this.spending;
    if (cap.left < 1) throw cap.refusal();
    const limit = this.plan.rules.cap;
    const session = limit === 'unlimited' ? [] : [`this session: ${limit - cap.left} of ${pluralize(limit, 'call')} used`];
    const uses = await budgetUse();
    const usedUp = uses.find(({ used, limit }) => used >= limit);
    if (usedUp !== undefined) throw (await import('../book/budget.ts')).refusalOfUsedUp(usedUp);
    return [...session, ...uses.map(describeUse)];
  }

  /** @throws PdiError if cap or budget have no room for all of them, so that nobody is asked, and nothing bought, in vain */
  async refuseBeyondLimits(count: number): Promise<void> {
    const { cap, budgetUse } = this.spending;
    const overrun = (await budgetUse()).find(({ used, limit }) => used + count > limit);
    const refusal = cap.refusalOfJob(count) ?? (overrun && (await import('../book/budget.ts')).refusalOfPlan(overrun, count));
    if (count > 0 && refusal !== undefined) throw withMoreHint(refusal, 'or name fewer ids');
  }

  /** A name is there to be recognised: one that is too long to be read is left out. */
  learnName(item: string, name: string): void {
    if (name === '' || name.length > longestName) return;
    this.names.set(item, name);
    const [oldest] = this.names.keys();
    if (this.names.size > mostNames && oldest !== undefined) this.names.delete(oldest);
  }

  /** Gives what keeps a call from being sent: an answer of the book, or that one was lost. */
  async known(asked: AskedCall): Promise<Bought<unknown> | undefined> {
    return this.lostBefore(asked) ?? this.spending.buyer.known(asked);
  }

  async buy(asked: AskedCall, stopped: () => boolean): Promise<{ readonly value: Bought<unknown>; readonly joined: boolean }> {
    return this.buying.join(asked.subject, stopped, {
      work: async (allStopped) => {
        const bought = this.lostBefore(asked) ?? (await this.spending.buyer.buy(asked, { stopped: allStopped }));
        const isLost = bought.result instanceof PdiError && bought.result.details.billed === 'unknown';
        if (isLost && !this.plan.rules.retryUnknown) this.lost.add(asked.subject);
        return bought;
      },
    });
  }

  private lostBefore({ endpoint, subject, label }: AskedCall): Bought<unknown> | undefined {
    return this.lost.has(subject) ? { result: lostFailure(endpoint, label ?? 'the same'), withheld: true } : undefined;
  }

  get callsLeft(): number | null {
    const { left } = this.spending.cap;
    return Number.isFinite(left) ? left : null;
  }
}
