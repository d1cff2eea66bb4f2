/** Holds what the tools of one session share: what may be bought, who is asked, what is under way, and answers that were not given. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { Bought } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { pluralize, UsageError, withMoreHint } from '../errors.ts';
import { describeUse } from '../road/summary.ts';
import type { ObtainedMany } from './id-rows.ts';
import { kindOfTool } from './listing.ts';
import { questionText, subjectOf } from './naming.ts';
import type { AskedCall, ServiceCalls } from './service-calls.ts';
import { SessionAnswers } from './session-answers.ts';
import { type Shared, SharedCalls } from './shared-calls.ts';
import type { ToolCall } from './tool.ts';

/** It says when the person is asked. A deletion counts as charged, whatever it costs. */
export type ConfirmMode = 'always' | 'charged' | 'never';

/** A call is bought, or its client has to ask the person first. */
export type Obtained =
  | { readonly bought: Bought<unknown>; readonly open?: undefined }
  | { readonly bought?: undefined; readonly open: InputRequiredResult };

interface SessionRules {
  readonly confirm: ConfirmMode;
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
  readonly manyUnderWay = new SharedCalls<ObtainedMany>();
  private readonly buying = new SharedCalls<Bought<unknown>>();

  constructor(
    readonly calls: ServiceCalls,
    private readonly rules: SessionRules,
  ) {
    this.kept = new SessionAnswers(() => calls.tools.now());
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

  /** Gives undefined if the person agreed. @throws PdiError if they did not, or if the cap has no room for the call */
  ask({ endpoint, request, name }: AskedCall, { ask }: ToolCall): Promise<InputRequiredResult | undefined> {
    const text = async () => {
      const used = endpoint.billing === 'free' ? [] : await this.used();
      return questionText(endpoint, request, { used, names: this.names });
    };
    const label = name === undefined ? endpoint.title : `${endpoint.title}, ${name}`;
    return ask({ subject: subjectOf(endpoint, request), text, label });
  }

  /** Says what cap and budget have left. @throws PdiError if one has nothing left, so that nobody is asked in vain */
  async used(): Promise<readonly string[]> {
    const { plan, spending } = this.calls;
    const { cap, budgetUse } = spending;
    if (cap.left < 1) throw cap.refusal();
    const limit = plan.rules.cap;
    const session = limit === 'unlimited' ? [] : [`this session: ${limit - cap.left} of ${pluralize(limit, 'call')} used`];
    const uses = await budgetUse();
    const usedUp = uses.find(({ used, limit }) => used >= limit);
    if (usedUp !== undefined) throw (await import('../book/budget.ts')).refusalOfUsedUp(usedUp);
    return [...session, ...uses.map(describeUse)];
  }

  /** @throws PdiError if cap or budget have no room for all of them, so that nobody is asked, and nothing bought, in vain */
  async refuseBeyondLimits(count: number): Promise<void> {
    const { cap, budgetUse } = this.calls.spending;
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

  /** What was paid for is kept if nobody is left to hear it. */
  async buy(asked: AskedCall, stopped: () => boolean): Promise<Shared<Bought<unknown>>> {
    const subject = subjectOf(asked.endpoint, asked.request);
    return this.buying.join(subject, stopped, {
      work: (allStopped) => this.calls.bought(asked, allStopped),
      whenUnheard: (bought) => {
        if (asked.endpoint.billing !== 'free') this.kept.keepUntilHeard(subject, bought);
      },
    });
  }

  get callsLeft(): number | null {
    const { left } = this.calls.spending.cap;
    return Number.isFinite(left) ? left : null;
  }
}
