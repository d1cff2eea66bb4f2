/** Makes the calls of a session: one cap, one ledger, one budget and one store, by the same road as every command. */
import type { Endpoint, RequestParts } from '../../contract/endpoint.ts';
import { PdiError } from '../../errors.ts';
import { type Bought, buyOnce, lostFailure } from '../../jobs/buy-once.ts';
import type { Item } from '../../jobs/purchase.ts';
import { pausing, retryUnknown } from '../../jobs/retry-unknown.ts';
import type { AnswerStore } from '../../money/store/answer-store.ts';
import type { Context } from '../context.ts';
import { memoize } from '../memoize.ts';
import { RunStore } from '../open-store.ts';
import { openSpending, type Spending } from '../spending.ts';
import { subjectOf } from './naming.ts';

export interface AskedCall {
  readonly endpoint: Endpoint;
  readonly request: RequestParts;
  readonly item: Item;
  readonly name: string | undefined;
}

const withheld = new PdiError('usage', 'not asked yet');

export class ServiceCalls {
  /** One store serves all operations whose answers are kept, because a store that is opened twice would wait for itself. */
  readonly store = memoize((): Promise<AnswerStore | undefined> => new RunStore(this.context, { stored: true }).forPurchases());

  /** These calls may have been billed and got no answer. An agent that repeats one may pay twice. */
  private readonly lost = new Set<string>();

  private constructor(
    readonly context: Context,
    readonly spending: Spending,
  ) {}

  /** @throws UsageError for a bad setting, or where there is no service */
  static async open(context: Context): Promise<ServiceCalls> {
    const spending = await openSpending(context);
    // What was bought went to the client, so a new session buys nothing again.
    spending.runCost.foundBy = 'any run';
    return new ServiceCalls(context, spending);
  }

  async known(asked: AskedCall, stopped: () => boolean): Promise<Bought<unknown> | undefined> {
    const bought = await this.take(asked, stopped, () => Promise.resolve(withheld));
    return bought.result === withheld ? undefined : bought;
  }

  async bought(asked: AskedCall, stopped: () => boolean): Promise<Bought<unknown>> {
    const { purchase, retriesOfUnknown: times } = this.spending;
    const { endpoint, request, item, name } = asked;
    const client = await this.context.client();
    const buy = (before: number) => purchase(endpoint, item, () => client.call(endpoint, request, { item: name, before }), stopped);
    return this.take(asked, stopped, () => retryUnknown(buy, { times, goesOn: pausing(client) }));
  }

  private async take(
    { endpoint, request, name }: AskedCall,
    stopped: () => boolean,
    buy: () => ReturnType<Purchasing>,
  ): Promise<Bought<unknown>> {
    const subject = subjectOf(endpoint, request);
    if (this.lost.has(subject)) return { result: lostFailure(endpoint, name ?? 'the same'), withheld: true };
    const store = endpoint.stored === true ? await this.store() : undefined;
    const bought = await buyOnce<Endpoint>({ store, endpoint, request, label: name, stopped }, buy);
    const isLost = bought.result instanceof PdiError && bought.result.details.billed === 'unknown';
    if (isLost && this.spending.retriesOfUnknown === 0) this.lost.add(subject);
    return bought;
  }
}

type Purchasing = Parameters<typeof buyOnce<Endpoint>>[1];
