/** Holds what the tools of one session share: what may be bought, who is asked, and answers that were too large to give. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { settings } from '../../config/settings.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { pluralize, UsageError } from '../../errors.ts';
import type { Bought } from '../../jobs/buy-once.ts';
import { describeUse } from '../summary.ts';
import { kindOfTool } from './listing.ts';
import { questionText, subjectOf } from './naming.ts';
import type { AskedCall, ServiceCalls } from './service-calls.ts';
import type { ToolCall } from './tool.ts';

/** It says when the person is asked. A deletion counts as charged, whatever it costs. */
export type ConfirmMode = 'always' | 'charged' | 'never';

interface SessionRules {
  readonly confirm: ConfirmMode;
  readonly allowChanges: boolean;
}

/** Large answers are few, because each one tells the agent to ask for less. */
const maxHeld = 20;
/** It is long enough to ask again, and too short for the data to be old, in milliseconds. */
const heldFor = 600_000;

export class ToolSession {
  /** It holds answers that were bought and not given, by their question: less of the same costs nothing. */
  private readonly held = new Map<string, { readonly bought: Bought<unknown>; readonly until: number }>();

  constructor(
    readonly calls: ServiceCalls,
    private readonly rules: SessionRules,
  ) {}

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
    const text = async () => questionText(endpoint, request, endpoint.billing === 'free' ? [] : await this.used());
    const label = name === undefined ? endpoint.title : `${endpoint.title}, ${name}`;
    return ask({ subject: subjectOf(endpoint, request), text, label });
  }

  /** Says what cap and budget have left. @throws PdiError if one has nothing left, so that nobody is asked in vain */
  private async used(): Promise<readonly string[]> {
    const { context, spending } = this.calls;
    const { cap, budgetUse } = spending;
    cap.reserve();
    cap.release();
    const limit = context.setting(settings.maxBillable);
    const session = limit === 'unlimited' ? [] : [`this session: ${limit - cap.left} of ${pluralize(limit, 'call')} used`];
    const uses = await budgetUse();
    const usedUp = uses.find(({ used, limit }) => used >= limit);
    if (usedUp !== undefined) throw (await import('../../money/budget.ts')).refusalOfUsedUp(usedUp);
    return [...session, ...uses.map(describeUse)];
  }

  heldFor({ endpoint, request }: AskedCall): Bought<unknown> | undefined {
    const held = this.held.get(subjectOf(endpoint, request));
    return held !== undefined && this.calls.context.now() < held.until ? held.bought : undefined;
  }

  hold({ endpoint, request }: AskedCall, bought: Bought<unknown>): void {
    this.held.set(subjectOf(endpoint, request), { bought, until: this.calls.context.now() + heldFor });
    const [oldest] = this.held.keys();
    if (this.held.size > maxHeld && oldest !== undefined) this.held.delete(oldest);
  }

  /** A change that is asked for again is made again, once its answer was given. */
  letGo({ endpoint, request }: AskedCall): void {
    if (kindOfTool(endpoint) !== 'read') this.held.delete(subjectOf(endpoint, request));
  }

  get callsLeft(): number | null {
    const { left } = this.calls.spending.cap;
    return Number.isFinite(left) ? left : null;
  }
}
