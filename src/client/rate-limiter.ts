/** Makes requests wait for the pace in order of arrival, and lets none through once the run is stopped. */
import { PdiError } from '../errors.ts';
import type { LimitNews, Pace } from './pace.ts';

/** A timer may fire a little before its time. */
const timerGrainMs = 1;
/** Longer timers overflow and fire at once, so a longer wait looks at the clock in between. */
const maxTimerMs = 2 ** 31 - 1;

export class RateLimiter {
  private readonly waiting: (() => void)[] = [];
  private readonly pauses = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pace: Pace,
    private readonly stop: AbortSignal,
    private readonly now: () => number,
  ) {
    const letGo = () => {
      this.pump();
      for (const end of this.pauses) end();
    };
    stop.addEventListener('abort', letGo, { once: true });
  }

  /** Resolves when a request may go, with the time it went. @throws PdiError `interrupted` once the run is stopped */
  async acquire(): Promise<number> {
    const hurdle = this.stop.aborted || this.waiting.length > 0 ? Number.POSITIVE_INFINITY : this.pace.delay(this.now());
    if (hurdle > 0) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
        this.pump();
      });
    }
    if (this.stop.aborted) throw stoppedBeforeSending();
    const sentAt = this.now();
    if (hurdle === 0) this.pace.sent(sentAt);
    return sentAt;
  }

  answered(sentAt: number, news: LimitNews): void {
    this.pace.answered(this.now(), sentAt, news);
    this.pump();
  }

  unanswered(): void {
    this.pace.unanswered();
    this.pump();
  }

  /** @throws PdiError `interrupted` as soon as the run is stopped */
  async pause(milliseconds: number): Promise<void> {
    if (this.stop.aborted) throw stoppedBeforeSending();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), milliseconds);
      const end = () => {
        clearTimeout(timer);
        this.pauses.delete(end);
        resolve();
      };
      this.pauses.add(end);
    });
    if (this.stop.aborted) throw stoppedBeforeSending();
  }

  private pump(): void {
    clearTimeout(this.timer);
    while (this.waiting.length > 0) {
      const wait = this.stop.aborted ? 0 : this.pace.delay(this.now());
      if (wait > 0) {
        if (Number.isFinite(wait)) this.timer = setTimeout(() => this.pump(), Math.min(wait + timerGrainMs, maxTimerMs));
        return;
      }
      if (!this.stop.aborted) this.pace.sent(this.now());
      this.waiting.shift()?.();
    }
  }
}

/** A call that was not sent when its run was stopped ends with this. */
export const stoppedBeforeSending = (): PdiError =>
  new PdiError('interrupted', 'stopped before the request was sent', { billed: 'no', retryable: true });
