/** Gives requests their turns, in order: by the pace of this run alone, or by one that runs share. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { orFailure, PdiError } from '../errors.ts';
import { type Pace, stoppedBeforeSending, type Turn } from './pace.ts';

/** Where runs keep the pace that they share. */
export interface SharedPace {
  /** What is kept, at a glance. */
  look(): string | undefined;
  /** Keeps the text that `work` makes of it; `done` is called once it is kept. @throws PdiError where it cannot be used now */
  change(
    work: (kept: string | undefined) => { readonly text: string; readonly done: () => void },
  ): Promise<void>;
}

interface Waiting {
  readonly isGivenUp: () => boolean;
  readonly end: (turn: Turn | undefined) => void;
}

/** A timer may fire a little before its time. */
const timerGrainMs = 1;
/** Longer timers overflow and fire at once, so a longer wait looks at the clock in between. */
const maxTimerMs = 2 ** 31 - 1;
/** Nobody tells of an answer that another run has got. */
const lookAgainMs = 25;
/** After so long the shared pace is tried again, where it could not be used. */
const aloneMs = 5000;

export class RateLimiter {
  /** Without a book, one is begun only once a limit is met. */
  private isPrepared = false;
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private shared: SharedPace | undefined;
  /** A limit was met, by this run or another one, so that all go by one pace. */
  private isShared = false;
  private isPumping = false;
  private isDue = false;
  private aloneUntil = 0;
  private closedUntil = 0;
  /** How many were asked for. */
  turns = 0;

  constructor(
    private pace: Pace,
    private readonly stop: AbortSignal,
    private readonly now: () => number,
    private readonly open: (mayCreate: boolean) => Promise<SharedPace | undefined>,
  ) {
    // Each pause listens to it, and Node would warn on stderr of more than ten.
    setMaxListeners(0, stop);
    stop.addEventListener('abort', () => this.pump(), { once: true });
  }

  get atOnce(): number {
    return this.pace.most;
  }

  get inFlight(): number {
    return this.pace.inFlight;
  }

  /** For so long the limit is closed that this run has met itself: who passes on what others met would keep it closed. */
  get closedForMs(): number {
    return Math.max(0, this.closedUntil - this.now());
  }

  /** Another machine has met it. */
  close(milliseconds: number): void {
    if (milliseconds > 0) this.tell((pace, now) => pace.close(now + milliseconds));
  }

  /**
   * Resolves when the request may go. One that goes again is before those that never went, so that no request meets many refusals.
   * @throws PdiError `interrupted` once it is given up or the run is stopped, as `pause` does
   */
  async acquire(isAgain: boolean, isGivenUp = () => false): Promise<Turn> {
    this.turns += 1;
    const turn = await new Promise<Turn | undefined>((end) => {
      this.waiting[isAgain ? 'unshift' : 'push']({ isGivenUp, end });
      this.pump();
    });
    if (turn === undefined) throw stoppedBeforeSending();
    return turn;
  }

  giveBack(turn: Turn): void {
    this.tell((pace) => pace.giveBack(turn));
  }

  /** A call without a key has nothing in common with others of the key. */
  answered(sentAt: number, news: Parameters<Pace['answered']>[2], hasKey: boolean): void {
    this.isShared ||= news.limited && this.shared !== undefined;
    if (news.limited) this.closedUntil = this.now() + (news.resetMs ?? 0);
    this.tell((pace, now) => pace.answered(now, sentAt, news));
    if (news.limited && hasKey && !this.isShared) void this.share();
  }

  unanswered(): void {
    this.tell((pace) => pace.unanswered());
  }

  /** Whether the service took a request, of any run that shares the pace, so short a time ago. */
  hasAccepted(withinMs: number): boolean {
    return this.pace.hasAccepted(this.now(), withinMs);
  }

  async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.stop }).catch(() =>
      Promise.reject(stoppedBeforeSending()),
    );
  }

  /** From now on what other runs have learned is seen before each turn. */
  async prepare(mayCreate: boolean): Promise<void> {
    if (this.shared !== undefined || (this.isPrepared && !mayCreate)) return;
    this.isPrepared = true;
    const shared = await orFailure(() => this.open(mayCreate));
    if (!(shared instanceof PdiError)) this.shared = shared;
  }

  private async share(): Promise<void> {
    await this.prepare(true);
    if (this.shared === undefined) return;
    this.isShared = true;
    this.tell(() => undefined);
  }

  private tell(work: (pace: Pace, now: number) => void): void {
    void this.change(work).then(() => this.pump());
  }

  /** Where the shared pace cannot be used, this run goes by what it knows. */
  private async change<T>(work: (pace: Pace, now: number) => T): Promise<T> {
    const { shared } = this;
    if (shared === undefined || !this.isShared || this.now() < this.aloneUntil)
      return work(this.pace, this.now());
    let made: { readonly result: T } | undefined;
    const changed = await orFailure(() =>
      shared.change((kept) => {
        const now = this.now();
        const ahead = Date.now() - now;
        const pace = this.pace.joined(kept, now, ahead) ?? this.pace.copy();
        const result = work(pace, now);
        const done = () => {
          this.pace = pace;
          made = { result };
        };
        return { text: pace.kept(now, ahead), done };
      }),
    );
    if (changed instanceof PdiError) this.aloneUntil = this.now() + aloneMs;
    return made === undefined ? work(this.pace, this.now()) : made.result;
  }

  private pump(): void {
    clearTimeout(this.timer);
    this.isDue = true;
    if (!this.isPumping) void this.pumpAll();
  }

  private async pumpAll(): Promise<void> {
    this.isPumping = true;
    while (this.isDue) {
      this.isDue = false;
      const wait = Math.min(
        (await this.handOut()) + timerGrainMs,
        this.shared === undefined ? maxTimerMs : lookAgainMs,
      );
      clearTimeout(this.timer);
      if (this.waiting.length > 0) this.timer = setTimeout(() => this.pump(), wait);
    }
    this.isPumping = false;
  }

  /** Gives their turns to those who may go, and tells how long the next one waits. */
  private async handOut(): Promise<number> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      const { isGivenUp, end } = next;
      const isOver = () => this.stop.aborted || isGivenUp();
      const turn = isOver() ? undefined : await this.turn();
      if (typeof turn === 'number') {
        this.waiting.unshift(next);
        return turn;
      }
      const isTooLate = turn !== undefined && isOver();
      if (isTooLate) this.giveBack(turn);
      end(isTooLate ? undefined : turn);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** A glance is cheaper than a change, and holds up no other run. */
  private async turn(): Promise<Turn | number> {
    if (this.shared !== undefined) {
      const now = this.now();
      const joined = this.pace.joined(this.shared.look(), now, Date.now() - now);
      const pace = joined ?? this.pace;
      this.isShared = pace.isWorthSharing;
      // Each goes by its own from here on, and what the others had under way would be waited for in vain.
      if (!this.isShared) this.pace = pace.alone();
      const wait = this.isShared ? pace.delay(now) : 0;
      if (wait > 0) return wait;
    }
    return this.change((pace, now) => {
      const wait = pace.delay(now);
      return wait > 0 ? wait : pace.sent(now);
    });
  }
}
