/** Opens the store of bought answers for a run, and says what it took from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { variable } from '../config/resolve.ts';
import { settings } from '../config/settings.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { orFailure, PdiError } from '../errors.ts';
import type { Owner } from '../money/owner.ts';
import type { AnswerStore } from '../money/store/answer-store.ts';
import type { StorePlace } from '../money/store/store-folder.ts';
import type { Context } from './context.ts';
import type { FoundBy } from './run-cost.ts';

export function storePlace(context: Context): StorePlace {
  const shared = variable(context.io.env, 'PDI_STORE');
  return shared === undefined ? { path: join(context.stateDirectory(), 'store'), shared: false } : { path: shared, shared: true };
}

/** Tells whether this run keeps what it buys. Answers of a sandbox are invented, so they are kept only if the user asks for it. */
function keepsAnswers(context: Context, { stored }: Pick<Endpoint, 'stored'>): boolean {
  const { value, source } = context.resolved(settings.maxAge);
  const isWanted = !context.sandboxed() || source === 'flag' || storePlace(context).shared;
  return stored === true && value.milliseconds > 0 && isWanted;
}

/** The store of one run, opened once: for its plan, or for its first purchase. */
export class RunStore {
  private opened: AnswerStore | undefined;

  constructor(
    private readonly context: Context,
    private readonly endpoint: Pick<Endpoint, 'stored'>,
  ) {}

  /** Gives undefined for a plan also if there is no store yet, or no key that tells whose answers those are. */
  async forPlan(): Promise<AnswerStore | undefined> {
    if (this.opened !== undefined || !this.isKept || !existsSync(storePlace(this.context).path)) return this.opened;
    const owner = await orFailure(() => this.context.owner());
    if (!(owner instanceof PdiError)) return this.open(owner);
    if (owner.code === 'auth') return undefined;
    throw owner;
  }

  get foundBy(): FoundBy {
    if (!(this.opened?.isUsable ?? this.isKept)) return 'no run';
    return this.context.flags.fresh === true ? 'runs without --fresh' : 'any run';
  }

  async forPurchases(): Promise<AnswerStore | undefined> {
    if (this.opened !== undefined || !this.isKept) return this.opened;
    return this.open(await this.context.owner());
  }

  private get isKept(): boolean {
    return keepsAnswers(this.context, this.endpoint);
  }

  private async open(owner: Owner): Promise<AnswerStore> {
    const { AnswerStore } = await import('../money/store/answer-store.ts');
    const { context } = this;
    const place = storePlace(context);
    const maxAge = context.setting(settings.maxAge);
    const { timeoutMs, maxWaitMs } = context.callSettings();
    const store = new AnswerStore({
      place,
      owner,
      maxAge: maxAge.milliseconds,
      fresh: context.flags.fresh === true,
      retryUnknown: context.flags.retryUnknown === true,
      processes: context.io.processes,
      clock: Date.now,
      longestWait: timeoutMs + maxWaitMs,
      onTrouble: (message) => context.notice(message),
      onFirstKept: () =>
        context.notice(
          `bought answers are kept in ${place.path} for ${maxAge}, and taken from there instead of being bought again; --max-age 0 or \`pdi config set max-age 0\` turns it off`,
        ),
    });
    context.onDispose(async () => store.close());
    this.opened = store;
    return store;
  }
}
