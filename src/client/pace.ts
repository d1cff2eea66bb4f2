/**
 * When the next request may go: one pacing for all requests of a run. Arithmetic over a clock that is passed in
 * (milliseconds), so that it is tested without waiting. Section "Limits" of the API document.
 *
 * What kind of limit stands behind the three headers (a bucket, a window) and how large it is are not documented, so one
 * number is learned, whatever the kind: the time between two sends. Each time the limit is reached, the service says when
 * it opens again, and what it accepted from one opening to the next is what it allows in that time.
 */

/** What one answer says of the limit; times in milliseconds, `resetMs` already clamped by `--max-wait`. */
export interface LimitNews {
  /** True for a 429. */
  readonly limited: boolean;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetMs?: number | undefined;
}

/** Until measured, a limit is taken to hold for a second or longer, the usual kind. */
const defaultPeriodMs = 1000;
/** Sends keep this much below what was learned: a window's first and last send must not meet. */
const margin = 1.01;
/**
 * So many accepted without reaching the limit: perhaps it grew (another job on the key ended), so sends go a step faster. Much
 * sooner, and by more, where the spacing is a guess: others may have used up what the refused request asked for.
 */
const measuredGrowth = { patience: 300, step: 0.9 };
const guessedGrowth = { patience: 4, step: 0.5 };
/**
 * Before anything is known of a limit so few are under way, and twice as many each time so many were accepted: what is under
 * way when the limit is met is wasted. One more goes all the same where no answer comes in the time after that.
 */
const fewAtOnce = 2;
const doublesAfter = 12;
const impatienceMs = 10;
/** A timer that fires late, by so much of the gap, is made up for: many short waits would add up. */
const lateness = 0.2;

export class Pace {
  private nextAt = 0;
  private lastSentAt = 0;
  private inFlight = 0;
  /** Learned: milliseconds between two sends; 0 while no limit was met, or nothing is known of it. */
  private spacing = 0;
  /** Whether the spacing rests on no more than what was accepted before the first refusal. */
  private guessed = false;
  /** The latest `Limit` of any answer. */
  private limit: number | undefined;
  /** Sends left by the latest `Remaining`, until a spacing is learned. */
  private allowance = Number.POSITIVE_INFINITY;
  /** After a 429 one request asks whether the limit is open. */
  private asking = false;
  /** When the limit last opened, and what was accepted of the requests sent since. */
  private openedAt: number | undefined;
  private acceptedSince = 0;

  /** `rate`: requests a second at most, as `--rate` sets it. */
  constructor(private readonly rate?: number) {}

  /** Milliseconds until the next request may go: 0 for now, infinity for "not before another answer". */
  delay(now: number): number {
    if (this.nextAt > now) return this.nextAt - now;
    const mustHear = this.asking || this.allowance < 1;
    return mustHear && this.inFlight > 0 ? Number.POSITIVE_INFINITY : this.caution(now);
  }

  /** What to wait although no limit is known. */
  private caution(now: number): number {
    if (this.spacing > 0 || Number.isFinite(this.allowance)) return 0;
    const atOnce = fewAtOnce * 2 ** Math.floor(this.acceptedSince / doublesAfter);
    return this.inFlight < atOnce ? 0 : Math.max(0, this.lastSentAt + impatienceMs - now);
  }

  /** Call when a request goes. */
  sent(now: number): void {
    this.openedAt ??= now;
    this.lastSentAt = now;
    this.inFlight += 1;
    this.allowance -= 1;
    const gap = Math.max(this.rate === undefined ? 0 : (margin * 1000) / this.rate, this.spacing);
    // Nobody waited for a timer where the last send is long ago.
    const base = now - this.nextAt < gap ? Math.max(this.nextAt, now - lateness * gap) : now;
    this.nextAt = base + gap;
  }

  /** Call when a request ended without any answer. */
  unanswered(): void {
    this.inFlight -= 1;
  }

  /** Call with every answer; `sentAt` is when its request went. */
  answered(now: number, sentAt: number, news: LimitNews): void {
    this.inFlight -= 1;
    this.limit = news.limit ?? this.limit;
    // Sent before the limit opened: it tells nothing of the time since.
    const isNew = sentAt >= (this.openedAt ?? 0);
    if (news.limited) this.refused(now, sentAt, isNew, news);
    else this.accepted(now, sentAt, isNew, news);
  }

  private refused(now: number, sentAt: number, isNew: boolean, { resetMs = 0 }: LimitNews): void {
    this.close(now + resetMs);
    if (isNew) this.learn(sentAt + resetMs, resetMs);
  }

  private accepted(now: number, sentAt: number, isNew: boolean, { remaining, resetMs }: LimitNews): void {
    if (isNew) this.countAccepted(now);
    if (remaining === undefined) return;
    const exhausted = remaining < 1 && resetMs !== undefined;
    // What the service says it has left is worth more than a guess.
    if (this.guessed && !exhausted) this.spacing = 0;
    if (this.spacing === 0) {
      // Counted before the requests under way, perhaps: taking them off errs on the careful side.
      this.allowance = remaining - this.inFlight;
      if (!exhausted) return;
      this.close(now + resetMs);
      this.learn(sentAt + resetMs, resetMs);
    } else if (exhausted) {
      // The requests under way take what opens first.
      this.nextAt = Math.max(this.nextAt, sentAt + resetMs + this.inFlight * this.spacing);
    }
  }

  private countAccepted(now: number): void {
    // The wait for this answer was no lateness of a timer.
    if (this.asking) this.close(now);
    this.asking = false;
    this.acceptedSince += 1;
    const { patience, step } = this.growth;
    if (this.acceptedSince % patience === 0) this.spacing *= step;
  }

  private close(until: number): void {
    this.nextAt = Math.max(this.nextAt, until);
    this.asking = true;
  }

  private get growth() {
    return this.guessed ? guessedGrowth : measuredGrowth;
  }

  /** The limit is reached and opens `opensAt`, by the clock of sends: a request sent then would be accepted. */
  private learn(opensAt: number, resetMs: number): void {
    const period = Math.max(1, opensAt - (this.openedAt ?? opensAt));
    if (this.spacing === 0) {
      // Nothing accepted and no limit told: all that is known is when to ask again.
      const limit = this.limit ?? this.acceptedSince;
      if (limit > 0) this.spacing = margin * this.firstGuess(period, resetMs, limit);
      this.guessed = this.limit === undefined;
    } else if (this.acceptedSince > 0) {
      this.spacing = this.measured(period);
      this.guessed = false;
    }
    this.openedAt = opensAt;
    this.acceptedSince = 0;
    this.allowance = Number.POSITIVE_INFINITY;
  }

  /**
   * The faster of two readings of the first refusal, because only a pace that is too fast is corrected soon: a window of
   * `limit` sends that ends with the reset, or a bucket of that size, from which the refill is what went beyond it.
   */
  private firstGuess(period: number, resetMs: number, limit: number): number {
    const window = limit / Math.max(defaultPeriodMs, resetMs);
    const bucket = (this.acceptedSince + 1 - limit) / period;
    return 1 / Math.max(window, bucket);
  }

  private measured(period: number): number {
    const spacing = (margin * period) / this.acceptedSince;
    // The step that was too fast is taken back; the time before it says less of the limit.
    const { patience, step } = this.growth;
    return this.acceptedSince >= patience ? Math.min(spacing, this.spacing / step) : spacing;
  }
}
