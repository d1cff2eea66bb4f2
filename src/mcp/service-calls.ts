/** Makes the calls of a session: one cap and one book, by the same road as every command. */

import type { Bought, Item } from '../book/buyer.ts';
import { lostFailure } from '../book/buyer.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { PdiError } from '../errors.ts';
import type { Plan } from '../road/plan.ts';
import { openSpending, type Spending } from '../road/spending.ts';
import type { Tools } from '../road/tools.ts';
import { subjectOf } from './naming.ts';

export interface AskedCall {
  readonly endpoint: Endpoint;
  readonly request: RequestParts;
  readonly item: Item;
  readonly name: string | undefined;
}

export class ServiceCalls {
  /** These calls may have been billed and got no answer. An agent that repeats one may pay twice. */
  private readonly lost = new Set<string>();

  private constructor(
    readonly plan: Plan,
    readonly tools: Tools,
    readonly spending: Spending,
  ) {}

  /** @throws UsageError for a bad setting, or where there is no service */
  static async open(plan: Plan, tools: Tools): Promise<ServiceCalls> {
    // A server without a service is refused at its start.
    await tools.service();
    const spending = await openSpending(plan, tools);
    // What was bought went to the client, so a new session buys nothing again.
    spending.runCost.foundBy = 'any run';
    return new ServiceCalls(plan, tools, spending);
  }

  async known({ endpoint, request, item, name }: AskedCall): Promise<Bought<unknown> | undefined> {
    return this.lostBefore({ endpoint, request, item, name }) ?? this.spending.buyer.known({ endpoint, request, item, label: name });
  }

  async bought(asked: AskedCall, stopped: () => boolean): Promise<Bought<unknown>> {
    const { endpoint, request, item, name } = asked;
    const lost = this.lostBefore(asked);
    if (lost !== undefined) return lost;
    const bought = await this.spending.buyer.buy({ endpoint, request, item, label: name }, { stopped });
    const isLost = bought.result instanceof PdiError && bought.result.details.billed === 'unknown';
    if (isLost && !this.plan.rules.retryUnknown) this.lost.add(subjectOf(endpoint, request));
    return bought;
  }

  private lostBefore({ endpoint, request, name }: AskedCall): Bought<unknown> | undefined {
    if (!this.lost.has(subjectOf(endpoint, request))) return undefined;
    return { result: lostFailure(endpoint, name ?? 'the same'), withheld: true };
  }
}
