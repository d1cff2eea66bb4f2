/** Later runs and other processes take from the store what one run buys (contract, "Bought once"). */
import { hash } from 'node:crypto';
import { gather } from '../../files/gather.ts';
import type { AnswerContent, Asked, StoredAnswer } from './answer-line.ts';
import type { Claim } from './claims.ts';
import type { FoundAnswer } from './segments.ts';
import { beginStore } from './store-folder.ts';
import { StoreInUse, type StoreInUseOptions } from './store-in-use.ts';

export interface StoreOptions extends StoreInUseOptions {
  /** `--fresh` takes only what was bought since this run began. */
  readonly fresh: boolean;
  readonly retryUnknown: boolean;
  readonly onFirstKept: () => void;
  /** A run waits so many milliseconds for another process that is buying an answer. */
  readonly longestWait: number;
}

/** `lost`: an earlier call may have been billed without an answer. `late`: another process has not got the answer in time. */
type Taken = { readonly answer: StoredAnswer } | { readonly purchase: StoredPurchase } | 'lost' | 'late';

/** Whoever has the right to buy one answer must end it with one of these. */
export interface StoredPurchase {
  keep(content: AnswerContent, at: number): Promise<void>;
  /** Nothing was billed. */
  release(): void;
  /** It may have been billed, and there is no answer. */
  lose(): void;
}

/** Another process is asked about after so many milliseconds: soon at first, then more rarely. */
const shortestPause = 10;
const longestPause = 250;

/** No method throws. Where the store fails, answers go out and are not kept, and what it holds is still read. */
export class AnswerStore {
  private readonly startedAt: number;
  private readonly store: StoreInUse;
  private readonly refreshed = gather((keys: readonly string[]) => {
    this.store.attempt(({ segments }) => segments.refresh());
    return keys;
  });
  private readonly kept = gather((answers: readonly StoredAnswer[]) => {
    this.keepAll(answers);
    return answers;
  });

  constructor(private readonly options: StoreOptions) {
    this.startedAt = options.clock();
    this.store = new StoreInUse(options);
  }

  get isUsable(): boolean {
    return !this.store.hasFailed;
  }

  answerTo(asked: Asked): StoredAnswer | undefined {
    return this.find(keyOf(asked));
  }

  /** A request will not be bought if it is answered, or if its answer was lost. */
  async knows(asked: Asked): Promise<'answered' | 'lost' | undefined> {
    const key = keyOf(asked);
    if (this.find(key) !== undefined) return 'answered';
    return (await this.isLost(key)) ? 'lost' : undefined;
  }

  /** Gives the answer, or the right to buy it. It waits while another process is buying it, but not once `stopped`. */
  async take(asked: Asked, stopped: () => boolean): Promise<Taken> {
    const key = keyOf(asked);
    let pause = 0;
    for (let waited = 0; ; waited += pause) {
      const known = this.find(key);
      if (known !== undefined) return { answer: known };
      const claim = this.store.hasFailed
        ? undefined
        : await this.store.attemptAsync(({ claims }) => claims.take(key, { pastLost: this.options.retryUnknown }));
      if (claim === undefined) return (await this.isLost(key)) ? 'lost' : { purchase: this.purchaseWithoutStore() };
      // If another process kept the answer before it gave its claim back, the answer is there now.
      await this.refreshed(key);
      const kept = this.find(key);
      if (kept !== undefined) {
        if (typeof claim !== 'string') this.store.orGiveUp(() => claim.release());
        return { answer: kept };
      }
      if (claim === 'lost') return 'lost';
      if (claim !== 'held') return { purchase: this.purchase(asked, key, claim) };
      if (waited >= this.options.longestWait || stopped()) return 'late';
      pause = Math.min(waited + shortestPause, longestPause);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  close(): void {
    this.store.close();
  }

  private find(key: string): StoredAnswer | undefined {
    return this.store.attempt(({ segments }) => segments.find(key, (answer) => this.isWanted(answer))?.read());
  }

  private async isLost(key: string): Promise<boolean> {
    return !this.options.retryUnknown && (await this.store.attemptAsync(({ claims }) => claims.isLost(key))) === true;
  }

  /** A clock that was set back makes answers of the future. They are as good as new, but this run did not see them bought. */
  private isWanted({ at, maxAge }: Pick<FoundAnswer, 'at' | 'maxAge'>): boolean {
    const now = this.options.clock();
    if (this.options.fresh) return at >= this.startedAt && at <= now;
    return now - at < Math.min(maxAge, this.options.maxAge);
  }

  private purchase(asked: Asked, key: string, claim: Claim): StoredPurchase {
    return {
      keep: async (content, at) => {
        await this.kept({ ...asked, key, at, content });
        // If it could not be kept, no other run may buy it a second time unasked.
        this.store.orGiveUp(() => (this.store.hasFailed ? claim.lose() : claim.settle()));
        this.store.tellTrouble();
      },
      release: () => this.store.orGiveUp(() => claim.release()),
      lose: () => {
        this.store.attempt(() => claim.lose());
        this.store.tellTrouble();
      },
    };
  }

  private purchaseWithoutStore(): StoredPurchase {
    return { keep: async () => this.store.tellTrouble(), release: () => undefined, lose: () => this.store.tellTrouble() };
  }

  private keepAll(answers: readonly StoredAnswer[]): void {
    const { options } = this;
    if (this.store.hasFailed) return;
    const isFirst = this.store.attempt((opened) => {
      const { segments, modes } = opened;
      // Somebody may have purged the store while the calls were under way.
      segments.refresh();
      segments.addAll(answers, options.maxAge);
      if (opened.isBegun) return false;
      opened.isBegun = true;
      return beginStore(options.place.path, modes);
    });
    if (isFirst === true) options.onFirstKept();
  }
}

/** Names a request in the files of the store. It is short, because a run that wants one answer reads an index of them. */
export const keyOf = ({ operation, item }: Asked): string => hash('sha256', `${operation}\n${item}`, 'base64url').slice(0, 14);
