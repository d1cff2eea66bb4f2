/** Later runs and other processes take from the store what one run buys (contract, "Bought once"). */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PdiError, systemCodeOf } from '../../errors.ts';
import { gather } from '../../files/gather.ts';
import { ownParticulars, type ProcessTable } from '../../files/liveness.ts';
import { type Write, writeToDisk } from '../../files/private.ts';
import { mendingOf, reasonOf } from '../../files/system-reasons.ts';
import type { Owner } from '../owner.ts';
import type { AnswerContent, Asked, StoredAnswer } from './answer-line.ts';
import { type Claim, Claims } from './claims.ts';
import { type FoundAnswer, Segments } from './segments.ts';
import { beginStore, openStoreFolder, openStorePart, type StoreModes, type StorePlace } from './store-folder.ts';

export interface StoreOptions {
  readonly place: StorePlace;
  readonly owner: Owner;
  /** Answers are kept for so many milliseconds, and one that is taken is no older. */
  readonly maxAge: number;
  /** `--fresh` takes only what was bought since this run began. */
  readonly fresh: boolean;
  readonly retryUnknown: boolean;
  readonly processes: ProcessTable;
  readonly clock: () => number;
  /** It is told once why answers are not kept, when the first one is not. */
  readonly onTrouble: (message: string) => void;
  readonly onFirstKept: () => void;
  /** A run waits so many milliseconds for another process that is buying an answer. */
  readonly longestWait: number;
  readonly write?: Write;
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
  private opened: OpenStore | undefined;
  private failed = false;
  /** It says why the store is not used any more, until that was told. */
  private trouble: string | undefined;
  private isBegun = false;
  private readonly refreshed = gather((keys: readonly string[]) => {
    this.attempt(({ segments }) => segments.refresh());
    return keys;
  });
  private readonly kept = gather((answers: readonly StoredAnswer[]) => {
    this.keepAll(answers);
    return answers;
  });

  constructor(private readonly options: StoreOptions) {
    this.startedAt = options.clock();
    this.open();
  }

  get isUsable(): boolean {
    return !this.failed;
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
      const claim = this.failed ? undefined : await this.using(({ claims }) => claims.take(key, { pastLost: this.options.retryUnknown }));
      if (claim === undefined) return (await this.isLost(key)) ? 'lost' : { purchase: this.purchaseWithoutStore() };
      // If another process kept the answer before it gave its claim back, the answer is there now.
      await this.refreshed(key);
      const kept = this.find(key);
      if (kept !== undefined) {
        if (typeof claim !== 'string') this.orGiveUp(() => claim.release());
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
    const { opened } = this;
    // Also where the store has failed: what this run holds open must go.
    if (opened !== undefined) this.orGiveUp(() => closeStore(opened));
  }

  private find(key: string): StoredAnswer | undefined {
    return this.attempt(({ segments }) => segments.find(key, (answer) => this.isWanted(answer))?.read());
  }

  private async isLost(key: string): Promise<boolean> {
    return !this.options.retryUnknown && (await this.using(({ claims }) => claims.isLost(key))) === true;
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
        this.orGiveUp(() => (this.failed ? claim.lose() : claim.settle()));
        this.tellTrouble();
      },
      release: () => this.orGiveUp(() => claim.release()),
      lose: () => {
        this.attempt(() => claim.lose());
        this.tellTrouble();
      },
    };
  }

  private purchaseWithoutStore(): StoredPurchase {
    return { keep: async () => this.tellTrouble(), release: () => undefined, lose: () => this.tellTrouble() };
  }

  private keepAll(answers: readonly StoredAnswer[]): void {
    const { options } = this;
    if (this.failed) return;
    const isFirst = this.attempt(({ segments, modes }) => {
      // Somebody may have purged the store while the calls were under way.
      segments.refresh();
      segments.addAll(answers, options.maxAge);
      if (this.isBegun) return false;
      this.isBegun = true;
      return beginStore(options.place.path, modes);
    });
    if (isFirst === true) options.onFirstKept();
  }

  private open(): void {
    this.isBegun = false;
    this.orGiveUp(() => {
      this.opened = openStore(this.options);
    });
  }

  private orGiveUp(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.giveUp(error);
    }
  }

  private attempt<T>(work: (store: OpenStore) => T): T | undefined {
    try {
      return this.opened === undefined ? undefined : work(this.opened);
    } catch (error) {
      return this.isGone(error) ? this.attempt(work) : this.giveUp(error);
    }
  }

  private async using<T>(work: (store: OpenStore) => Promise<T>): Promise<T | undefined> {
    try {
      return this.opened === undefined ? undefined : await work(this.opened);
    } catch (error) {
      return this.isGone(error) ? this.using(work) : this.giveUp(error);
    }
  }

  /** Somebody may have purged the whole store. Then it is begun anew. */
  private isGone(error: unknown): boolean {
    const { opened } = this;
    if (opened === undefined || systemCodeOf(error) !== 'ENOENT' || existsSync(opened.path)) return false;
    closeStore(opened);
    this.opened = undefined;
    this.open();
    return true;
  }

  private giveUp(error: unknown): undefined {
    if (this.failed) return;
    this.failed = true;
    const { place } = this.options;
    const what = error instanceof PdiError ? error.message : `cannot use the store ${place.path}: ${reasonOf(error)}`;
    const { hint = `${mendingOf(error)}, or name another folder (PDI_STORE)` } = error instanceof PdiError ? error.details : {};
    this.trouble = `${what}; answers go out and are not kept: ${hint}`;
  }

  private tellTrouble(): void {
    if (this.trouble !== undefined) this.options.onTrouble(this.trouble);
    this.trouble = undefined;
  }
}

interface OpenStore {
  readonly path: string;
  readonly modes: StoreModes;
  readonly segments: Segments;
  readonly claims: Claims;
}

/** @throws the system's error, and PdiError `internal` for a store of a newer version */
function openStore({ place, owner, maxAge, processes, clock, write = writeToDisk }: StoreOptions): OpenStore {
  const modes = openStoreFolder(place);
  const { path } = openStorePart(place.path, owner, modes);
  const claimsPath = join(path, 'claims');
  modes.makeFolder(claimsPath);
  const segments = new Segments({ path, modes, appender: appenderOf(processes), clock, write });
  segments.removeExpired();
  segments.refresh();
  const claims = new Claims({ path: claimsPath, modes, processes, maxAge, clock, write });
  claims.sweep();
  return { path, modes, segments, claims };
}

function closeStore({ claims, segments }: OpenStore): void {
  claims.close();
  segments.close();
}

/** Names a request in the files of the store. It is short, because a run that wants one answer reads an index of them. */
export const keyOf = ({ operation, item }: Asked): string => hash('sha256', `${operation}\n${item}`, 'base64url').slice(0, 14);

/** Names who appends to a segment. One running kernel keeps appends in order; its next start or another machine does not. */
export const appenderOf = (processes: ProcessTable): string => hash('sha256', ownParticulars(processes).boot ?? hostname()).slice(0, 12);
