/** Holds what the tools of one session share: cap and book, and the paid answers that did not reach the agent as it asked. */
import { askedBy, type Bought, lostFailure } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { mayCost } from '../contract/price.ts';
import { PdiError, UsageError, withMoreHint } from '../errors.ts';
import type { LookupQuestion } from '../road/lookup.ts';
import type { Plan } from '../road/plan.ts';
import type { Spending } from '../road/spending.ts';
import { StopRule } from '../road/stop-rule.ts';
import type { Tools } from '../road/tools.ts';
import { isChange } from './listing.ts';
import { shortened, TooLargeResult } from './result.ts';
import { type ConsentQuestion, type McpRules, ToBeAsked, type ToolCall } from './tool.ts';

/** An agent may send a name as long as a book. An id is no longer than its rule allows. */
const longestLabel = 80;

export function labelOf(question: LookupQuestion): string | undefined {
  const { label } = askedBy(question);
  return label && shortened(label, longestLabel);
}

/** What came of a call of the service. `session`: another call of the session bought it. Without a source it was bought now. */
export interface Found extends Omit<Bought, 'source'> {
  readonly question: LookupQuestion;
  readonly source?: 'book' | 'session';
}

export interface WantedAnswers {
  readonly endpoint: Endpoint;
  /** What is named twice is asked for once. */
  readonly calls: readonly LookupQuestion[];
  readonly question: (
    missing: readonly LookupQuestion[],
    known: readonly Found[],
  ) => Promise<ConsentQuestion>;
  /** @throws PdiError where nothing came of it; TooLargeResult, and then what was paid for is kept for the next call */
  readonly textOf: (found: readonly Found[]) => string;
}

/** An answer that another call of the session bought, and pays for. */
const ofSession = (found: Found): Found =>
  found.result instanceof PdiError
    ? found
    : { source: 'session', fetchedAt: new Date().toISOString(), ...found };

/** It is long enough to ask again for less, and too short for the data to be old, in milliseconds. */
const keptToAskAgain = 600_000;

export class ToolSession {
  /** Of people, by their ids, as resolve gave them. */
  readonly names = new Map<string, string>();
  private readonly underWay = new Map<
    string,
    { readonly end: Promise<readonly Found[]>; readonly callers: (() => boolean)[] }
  >();
  /** Paid answers that were too large, or whose caller was gone. */
  private readonly kept = new Map<string, { readonly found: Found; readonly until: number }>();
  /** These calls may have been billed and got no answer. An agent that repeats one may pay twice. */
  private readonly lost = new Set<string>();

  constructor(
    readonly plan: Plan,
    readonly tools: Tools,
    readonly spending: Spending,
    private readonly rules: McpRules,
  ) {
    // What was bought went to the client, so a new session buys nothing again.
    spending.runCost.foundBy = 'any run';
  }

  get callsLeft(): number | null {
    const { left } = this.spending.cap;
    return Number.isFinite(left) ? left : null;
  }

  refuseChange(endpoint: Endpoint): void {
    if (!isChange(endpoint) || this.rules.allowChanges === true) return;
    throw new UsageError(`${endpoint.title}: this server changes nothing`, {
      hint: 'nothing was sent; the person may start the server with --allow-changes',
    });
  }

  asksFirst(endpoint: Endpoint): boolean {
    const { confirm = 'charged' } = this.rules;
    return (
      confirm === 'always' ||
      (confirm === 'charged' && (mayCost(endpoint) || endpoint.method === 'DELETE'))
    );
  }

  async answer(order: WantedAnswers, call: ToolCall): Promise<string> {
    const key = order.calls.map(({ key }) => key).join(' ');
    const found = await this.together(key, call.stopped, async (areGone) => {
      const found = await this.obtained(order, { ...call, stopped: areGone });
      if (areGone()) this.keepUntil(Number.POSITIVE_INFINITY, found);
      return found;
    });
    try {
      const text = order.textOf(found);
      call.ifUnheard(() => this.keepUntil(Number.POSITIVE_INFINITY, found));
      if (!call.stopped()) for (const { question } of found) this.heard(question);
      return text;
    } catch (error) {
      if (error instanceof TooLargeResult) this.keepToAskAgain(found);
      throw error;
    }
  }

  keepToAskAgain(found: readonly Found[]): void {
    this.keepUntil(performance.now() + keptToAskAgain, found);
  }

  /** What the book has, it will give again. Without an end, an answer is kept until the same call has heard it. */
  private keepUntil(end: number, found: readonly Found[]): void {
    const now = performance.now();
    for (const [key, { until }] of this.kept) if (until <= now) this.kept.delete(key);
    for (const one of found) {
      const { question, source, result } = one;
      if (mayCost(question.endpoint) && source !== 'book' && !(result instanceof PdiError))
        this.kept.set(question.key, { found: ofSession(one), until: end });
    }
  }

  /** A change that is asked for again is made again, once its answer was given. */
  private heard({ endpoint, key }: LookupQuestion): void {
    if (isChange(endpoint) || this.kept.get(key)?.until === Number.POSITIVE_INFINITY)
      this.kept.delete(key);
  }

  /** What was kept of a list is old once the list is changed: an earlier change may be wanted again. */
  private forgetList({ request }: LookupQuestion): void {
    for (const [key, { found }] of this.kept)
      if (found.question.request.path.listId === request.path.listId) this.kept.delete(key);
  }

  /** Calls that ask the same at the same time are one: the first caller is asked, and pays. If that one goes away, another begins anew. */
  private async together(
    key: string,
    isGone: () => boolean,
    work: (areGone: () => boolean) => Promise<readonly Found[]>,
  ) {
    for (
      let shared = this.underWay.get(key);
      shared !== undefined;
      shared = this.underWay.get(key)
    ) {
      shared.callers.push(isGone);
      try {
        return (await shared.end).map(ofSession);
      } catch (error) {
        const [first] = shared.callers;
        // Where the client asks the person, it does so for each call; and each call says how much it shows.
        const isOfOneCall = error instanceof ToBeAsked || error instanceof TooLargeResult;
        if (!isOfOneCall && (first?.() !== true || isGone())) throw error;
      }
    }
    const callers = [isGone];
    const end = work(() => callers.every((isGone) => isGone())).finally(() =>
      this.underWay.delete(key),
    );
    this.underWay.set(key, { end, callers });
    return end;
  }

  private async obtained(
    { endpoint, calls, question, textOf }: WantedAnswers,
    call: ToolCall,
  ): Promise<readonly Found[]> {
    const looked = await Promise.all(calls.map((asked) => this.find(asked)));
    const known = looked.filter((found) => found !== undefined);
    const missing = calls.filter((_, at) => looked[at] === undefined);
    if (missing.length === 0) return known;
    // What is there already may be too much by itself.
    if (known.length > 0) textOf(known);
    const { refusalOf } = this.spending;
    const refusal = mayCost(endpoint) ? await refusalOf(missing.length) : undefined;
    if (refusal !== undefined) {
      const mayBeFewer = missing.length > 1 && (await refusalOf(1)) === undefined;
      throw mayBeFewer ? withMoreHint(refusal, 'or name fewer ids') : refusal;
    }
    if (this.asksFirst(endpoint)) await call.ask(await question(missing, known));
    if (isChange(endpoint)) for (const asked of missing) this.forgetList(asked);
    return [...known, ...(await this.bought(missing, call))];
  }

  /** Gives what keeps a call from being sent: an answer of the session or the book, or that one was lost. */
  private async find(question: LookupQuestion): Promise<Found | undefined> {
    const { endpoint, key } = question;
    const kept = this.kept.get(key);
    if (kept !== undefined && performance.now() < kept.until) return kept.found;
    // Another run may have bought since what this session lost.
    const found = await this.spending.buyer.find(question);
    if (found !== undefined) return { question, ...found };
    return this.lost.has(key) && !(await this.spending.buyer.isCleared(question))
      ? {
          question: question,
          result: lostFailure(endpoint, labelOf(question) ?? 'the same'),
          withheld: true,
        }
      : undefined;
  }

  private async bought(
    missing: readonly LookupQuestion[],
    call: ToolCall,
  ): Promise<readonly Found[]> {
    const stopRule = new StopRule({ interrupt: this.tools.stop, stopOnError: false });
    const stopped = () => stopRule.stopped || call.stopped();
    const found: Found[] = [];
    const rest = missing.entries();
    const buy = async (question: LookupQuestion): Promise<Bought> => {
      if (stopRule.stopped)
        return {
          result: new PdiError('interrupted', stopRule.skipped.error ?? 'not sent', {
            billed: 'no',
          }),
        };
      const bought = await this.spending.buyer.buy(question, { stopped, isGivenUp: call.stopped });
      const { result } = bought;
      stopRule.bought(bought);
      const isLost = result instanceof PdiError && result.details.billed === 'unknown';
      if (isLost && !this.plan.rules.retryUnknown) this.lost.add(question.key);
      return bought;
    };
    const buyInTurn = async () => {
      for (const [at, asked] of rest) found[at] = { question: asked, ...(await buy(asked)) };
    };
    await Promise.all(Array.from({ length: this.plan.calls.concurrency }, buyInTurn));
    return found;
  }
}
