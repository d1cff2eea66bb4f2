/** Waiting: when the next request of a run may go (section "Limits" of the API document), and how long an answer is waited for. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { interruption, type PdiError } from '../errors.ts';

/** `resetMs` is clamped by `--max-wait` already. */
interface LimitNews {
  readonly limited: boolean;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetMs?: number | undefined;
}

/** A request's right to go, and by how much later the next one goes for it. */
interface Turn {
  readonly gap: number;
}

const defaultPeriodMs = 1000;
/** Sends stay this much below the learned rate, so that no window holds one send too many. */
const margin = 1.01;
/** After `patience` accepted requests the spacing shrinks: the limit may have grown, as when another job on the key ended. */
const measuredGrowth = { patience: 300, step: 0.9 };
/** A guess shrinks sooner and by more, because other jobs may have used up what the refused request asked for. */
const guessedGrowth = { patience: 4, step: 0.5 };
/** After so long without a refusal twice the pace is tried, because the job whose calls made it slow may have ended; each failure doubles the time. */
const firstPatienceMs = 40_000;
/** Requests under way when the limit is met are wasted, so at first few are; the number doubles after so many accepted ones. */
const fewAtOnce = 2;
const doublesAfter = 12;
/** While no limit is known, one request more goes so long after the last one that has no answer. */
const impatienceMs = 10;
/** A late timer is made up for, up to this part of the gap, because many short delays would add up. */
const lateness = 0.2;

/** Learns when the next request may go. Pure: the clock (milliseconds) is passed in. */
export class Pace {
  private nextAt = 0;
  private lastSentAt = 0;
  /** Requests that were sent and have no answer yet. */
  inFlight = 0;
  /** Milliseconds between two sends, learned because the kind and size of the limit are not documented; 0 while none is known. */
  private spacing = 0;
  private growth = measuredGrowth;
  private limit: number | undefined;
  private allowance = Number.POSITIVE_INFINITY;
  private asking = false;
  /** When the limit last opened; `acceptedSince` counts the accepted requests that were sent since. */
  private openedAt: number | undefined;
  private acceptedSince = 0;
  private shrunkAt = 0;
  private patienceMs = firstPatienceMs;
  private isTrying = false;
  private longestResetMs = defaultPeriodMs;

  constructor(
    private readonly rate?: number,
    private readonly mostAtOnce = Number.POSITIVE_INFINITY,
  ) {}

  /** Milliseconds until the next request may go: infinity is only after another answer. */
  delay(now: number): number {
    if (this.inFlight >= this.mostAtOnce) return Number.POSITIVE_INFINITY;
    if (this.nextAt > now) return this.nextAt - now;
    if ((this.asking || this.allowance < 1) && this.inFlight > 0) return Number.POSITIVE_INFINITY;
    if (this.spacing > 0 || Number.isFinite(this.allowance)) return 0;
    const atOnce = fewAtOnce * 2 ** Math.floor(this.acceptedSince / doublesAfter);
    return this.inFlight < atOnce ? 0 : Math.max(0, this.lastSentAt + impatienceMs - now);
  }

  /** Gives what `giveBack` takes. */
  sent(now: number): Turn {
    this.openedAt ??= now;
    this.lastSentAt = now;
    this.inFlight += 1;
    this.allowance -= 1;
    const gap = Math.max(this.rate === undefined ? 0 : (margin * 1000) / this.rate, this.spacing);
    // If the last send is long ago, the request did not wait for a timer.
    const base = now - this.nextAt < gap ? Math.max(this.nextAt, now - lateness * gap) : now;
    const before = this.nextAt;
    this.nextAt = base + gap;
    return { gap: this.nextAt - before };
  }

  /** The request is not sent after all, so that another may go at once. */
  giveBack({ gap }: Turn): void {
    this.inFlight -= 1;
    this.allowance += 1;
    // A limit that was met meanwhile stays closed.
    if (!this.asking) this.nextAt -= gap;
  }

  unanswered(): void {
    this.inFlight -= 1;
  }

  answered(now: number, sentAt: number, { limited, limit, remaining, resetMs }: LimitNews): void {
    this.inFlight -= 1;
    this.limit = limit ?? this.limit;
    // A request that was sent before the limit opened tells nothing about the time since.
    const isNew = sentAt >= (this.openedAt ?? 0);
    if (limited) {
      this.close(now + (resetMs ?? 0));
      if (isNew) this.learn(sentAt, resetMs ?? 0);
      return;
    }
    if (isNew) this.countAccepted(now);
    if (remaining !== undefined) this.left(now, sentAt, remaining, remaining < 1 ? resetMs : undefined);
  }

  private countAccepted(now: number): void {
    // The wait for this answer must not count as lateness of a timer.
    if (this.asking) this.close(now);
    this.asking = false;
    this.acceptedSince += 1;
    const { patience, step } = this.growth;
    const isDue = this.acceptedSince % patience === 0;
    const isOverdue = this.spacing > 0 && now - this.shrunkAt >= this.patienceMs;
    if (!isDue && !isOverdue) return;
    this.spacing *= isDue ? step : guessedGrowth.step;
    this.isTrying = !isDue;
    this.shrunkAt = now;
  }

  private left(now: number, sentAt: number, remaining: number, opensAfter: number | undefined): void {
    // The service's own number beats a guess.
    if (this.growth === guessedGrowth && opensAfter === undefined) this.spacing = 0;
    // The service may not have counted the requests under way, so they are subtracted.
    if (this.spacing === 0) this.allowance = remaining - this.inFlight;
    if (opensAfter === undefined) return;
    if (this.spacing > 0) {
      this.nextAt = Math.max(this.nextAt, sentAt + opensAfter);
      return;
    }
    this.close(now + opensAfter);
    this.learn(sentAt, opensAfter);
  }

  private close(until: number): void {
    this.nextAt = Math.max(this.nextAt, until);
    this.asking = true;
  }

  /** A limit allows in a period what was accepted from one opening to the next, in the time of sends. */
  private learn(sentAt: number, resetMs: number): void {
    const opensAt = sentAt + resetMs;
    this.longestResetMs = Math.max(this.longestResetMs, resetMs);
    const period = Math.max(1, opensAt - (this.openedAt ?? opensAt));
    if (this.spacing === 0) {
      // If nothing was accepted and no limit is told, it is only known when to ask again.
      const limit = this.limit ?? this.acceptedSince;
      if (limit > 0) this.spacing = margin * this.firstGuess(period, resetMs, limit);
      this.growth = this.limit === undefined ? guessedGrowth : measuredGrowth;
    } else if (this.acceptedSince > 0) {
      this.spacing = this.measured(period);
      this.growth = measuredGrowth;
    }
    if (this.isTrying) this.patienceMs *= 2;
    this.isTrying = false;
    this.shrunkAt = opensAt;
    this.openedAt = opensAt;
    this.acceptedSince = 0;
    this.allowance = Number.POSITIVE_INFINITY;
  }

  /** A window or a bucket: the faster reading is taken, because only a pace that is too fast is corrected soon. */
  private firstGuess(period: number, resetMs: number, limit: number): number {
    const window = limit / Math.max(defaultPeriodMs, resetMs);
    const bucket = (this.acceptedSince + 1 - limit) / period;
    return 1 / Math.max(window, bucket);
  }

  private measured(period: number): number {
    // Refusals that no pace avoids, such as of one server of several, would else make each period longer than the last.
    const slowest = 2 * this.longestResetMs;
    const spacing = margin * Math.min(period / this.acceptedSince, slowest);
    // The last step was too fast and is taken back; the time before it says less about the limit.
    const { patience, step } = this.growth;
    return this.acceptedSince >= patience ? Math.min(spacing, this.spacing / step) : spacing;
  }
}

/** A timer may fire a little before its time. */
const timerGrainMs = 1;
/** Longer timers overflow and fire at once, so a longer wait looks at the clock in between. */
const maxTimerMs = 2 ** 31 - 1;

export class RateLimiter {
  private readonly waiting: { readonly isGivenUp: () => boolean; readonly end: (turn: Turn | undefined) => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pace: Pace,
    private readonly stop: AbortSignal,
    private readonly now: () => number,
  ) {
    // Each pause listens to it, and Node would warn on stderr of more than ten.
    setMaxListeners(0, stop);
    stop.addEventListener('abort', () => this.pump(), { once: true });
  }

  /** Resolves when the request may go. @throws PdiError `interrupted` once it is given up or the run is stopped, as `pause` does */
  async acquire(isGivenUp = () => false): Promise<Turn> {
    const turn = await new Promise<Turn | undefined>((end) => {
      this.waiting.push({ isGivenUp, end });
      this.pump();
    });
    if (turn === undefined) throw stoppedBeforeSending();
    return turn;
  }

  giveBack(turn: Turn): void {
    this.pace.giveBack(turn);
    this.pump();
  }

  answered(sentAt: number, news: LimitNews): void {
    this.pace.answered(this.now(), sentAt, news);
    this.pump();
  }

  unanswered(): void {
    this.pace.unanswered();
    this.pump();
  }

  async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.stop }).catch(() => Promise.reject(stoppedBeforeSending()));
  }

  private pump(): void {
    clearTimeout(this.timer);
    for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
      const isSent = !this.stop.aborted && !next.isGivenUp();
      const wait = isSent ? this.pace.delay(this.now()) : 0;
      if (wait > 0) {
        if (Number.isFinite(wait)) this.timer = setTimeout(() => this.pump(), Math.min(wait + timerGrainMs, maxTimerMs));
        return;
      }
      this.waiting.shift();
      next.end(isSent ? this.pace.sent(this.now()) : undefined);
    }
  }
}

export const stoppedBeforeSending = (): PdiError => interruption('stopped before the request was sent', { billed: 'no' });

/** Milliseconds before attempt `attempt + 1` (counted from 1): they double from 250 ms to 8 s, and half of them is random. */
export function backoff(attempt: number, random: () => number): number {
  const whole = Math.min(8000, 250 * 2 ** (attempt - 1));
  return whole / 2 + (random() * whole) / 2;
}

/** `X-RateLimit-Reset` (seconds, a float) as milliseconds; undefined where it is missing or no number. */
export function resetDelay(header = ''): number | undefined {
  const seconds = header.trim() === '' ? Number.NaN : Number(header);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

const httpDate = /^[A-Z][a-z]+, .+ GMT$/;

/** `Retry-After` in the same way: whole seconds, or an HTTP date compared with the answer's `date`, else with `today` (in ms). */
export function retryAfterDelay(header = '', date = '', today: number): number | undefined {
  const told = header.trim();
  if (/^\d+$/.test(told)) return resetDelay(told);
  const until = httpDate.test(told) ? Date.parse(told) : Number.NaN;
  const since = Date.parse(date);
  return Number.isNaN(until) ? undefined : until - (Number.isNaN(since) ? today : since);
}

/** The wait runs in steps, so that a pause is noticed at any point of it. */
const maxStepMs = 1000;
const heldUpMs = 50;
/** So many turns of the event loop bring in the largest answer. */
const maxTurns = 256;

/** Calls `expired` once, but after a pause (Ctrl-Z), when all timers are due, only once the answers that have arrived are read. */
export class Deadline {
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;
  private left: number;
  /** So many milliseconds may begin anew after pauses: timers may always be late. */
  private spare: number;
  private arrivals = 0;

  constructor(
    timeoutMs: number,
    private readonly now: () => number,
    private readonly expired: () => void,
  ) {
    this.left = timeoutMs;
    this.spare = timeoutMs;
    this.nextStep();
  }

  arrived(): void {
    this.arrivals += 1;
  }

  cancel(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
  }

  private nextStep(): void {
    const step = Math.min(this.left, maxStepMs);
    const dueAt = this.now() + step;
    this.timer = setTimeout(() => {
      // The length of a pause is not known, so a late step begins anew, and the rest of an answer has time to arrive.
      if (this.now() - dueAt > heldUpMs && this.spare > 0) this.spare -= step;
      else this.left -= step;
      if (this.left > 0) this.nextStep();
      else this.readFirst(maxTurns);
    }, step);
  }

  /** Node runs timers before it reads sockets, and reads every socket in each turn: one in which nothing arrived is the last. */
  private readFirst(turns: number): void {
    const before = this.arrivals;
    this.turn = setImmediate(() => {
      if (this.arrivals !== before && turns > 0) this.readFirst(turns - 1);
      else this.expired();
    });
  }
}
