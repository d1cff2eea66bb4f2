/** Waiting: when the next request of a run may go (section "Limits" of the API document), and how long an answer is waited for. */
import { interruption, type PdiError } from '../errors.ts';
import {
  defaultPeriodMs,
  growthOf,
  guessedGrowth,
  isLimited,
  nothingLearned,
  type PaceState,
  stateIn,
  stateText,
} from './pace-state.ts';

/** `resetMs` is clamped by `--max-wait` already. */
interface LimitNews {
  readonly limited: boolean;
  /** The service can do no more at the moment, whatever the limit is. */
  readonly overloaded?: boolean;
  /** It found a fault with the request, which says nothing of how many it takes at once. */
  readonly faulted?: boolean;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetMs?: number | undefined;
}

/** A request's right to go, and by how much later the next one goes for it. */
export interface Turn {
  readonly gap: number;
  readonly ownGap: number;
}

/** Sends stay this much below the learned rate, so that no window holds one send too many. */
const margin = 1.01;
/** Requests under way when the limit is met are wasted, so at first few are; the number doubles after so many accepted ones. */
const fewAtOnce = 2;
const doublesAfter = 12;
/** After so many accepted ones runs need not share a pace before one of them meets a limit. */
const soonShared = 4 * doublesAfter;
/** While no limit is known, one request more goes so long after the last one that has no answer. */
const impatienceMs = 10;
/** A late timer is made up for, up to this part of the gap, because many short delays would add up. */
const lateness = 0.2;
/** What other runs have under way counts so long after their last word: a run that was killed holds up nobody. */
const partMs = 2000;
/** What nobody has touched for so long, and nobody waits for, says nothing of the service any more. */
const staleMs = 5000;

interface OwnPart {
  /** From so many at once, one more a round trip up to the most, half as many where the service refuses. */
  readonly startsWith?: number | undefined;
  /** Names what this run has under way among runs that share what they learn. */
  readonly name?: string;
}

/** Learns when the next request may go. Pure: the clock (milliseconds) is passed in. */
export class Pace {
  private state = nothingLearned();
  /** Requests that were sent and have no answer yet. */
  inFlight = 0;
  private nextOwnAt = 0;
  private atOnce: number;
  private narrowedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly rate?: number,
    private readonly mostAtOnce = Number.POSITIVE_INFINITY,
    private readonly own: OwnPart = {},
  ) {
    this.atOnce = own.startsWith ?? mostAtOnce;
  }

  /** So many requests may be under way. */
  get most(): number {
    return Math.floor(this.atOnce);
  }

  /** Milliseconds until the next request may go: infinity is only after another answer. */
  delay(now: number): number {
    const { nextAt, asking, allowance, spacing, acceptedSince, lastSentAt } = this.state;
    if (this.inFlight >= this.most) return Number.POSITIVE_INFINITY;
    const earliest = Math.max(nextAt, this.nextOwnAt);
    if (earliest > now) return earliest - now;
    const underWay = this.inFlight + this.othersUnderWay(now);
    if ((asking || (allowance !== undefined && allowance < 1)) && underWay > 0)
      return Number.POSITIVE_INFINITY;
    if (spacing > 0 || allowance !== undefined) return 0;
    if (underWay < fewAtOnce * 2 ** Math.floor(acceptedSince / doublesAfter)) return 0;
    // Each of several runs would be impatient with the others' requests.
    return underWay > this.inFlight
      ? Number.POSITIVE_INFINITY
      : Math.max(0, lastSentAt + impatienceMs - now);
  }

  /** Gives what `giveBack` takes. */
  sent(now: number): Turn {
    const { state, rate } = this;
    state.openedAt ??= now;
    state.lastSentAt = now;
    this.inFlight += 1;
    if (state.allowance !== undefined) state.allowance -= 1;
    const before = [state.nextAt, this.nextOwnAt] as const;
    state.nextAt = following(state.nextAt, state.spacing, now);
    this.nextOwnAt = following(
      this.nextOwnAt,
      rate === undefined ? 0 : (margin * 1000) / rate,
      now,
    );
    return { gap: state.nextAt - before[0], ownGap: this.nextOwnAt - before[1] };
  }

  /** The request is not sent after all, so that another may go at once. */
  giveBack({ gap, ownGap }: Turn): void {
    this.inFlight -= 1;
    const { state } = this;
    if (state.allowance !== undefined) state.allowance += 1;
    // A limit that was met meanwhile stays closed.
    if (!state.asking) state.nextAt -= gap;
    this.nextOwnAt -= ownGap;
  }

  unanswered(): void {
    this.inFlight -= 1;
  }

  answered(
    now: number,
    sentAt: number,
    { limited, overloaded = false, faulted = false, limit, remaining, resetMs }: LimitNews,
  ): void {
    const { state } = this;
    this.inFlight -= 1;
    state.limit = limit ?? state.limit;
    // A request that was sent before the limit opened tells nothing about the time since.
    const isNew = sentAt >= (state.openedAt ?? 0);
    if (limited || overloaded) this.narrow(now, sentAt);
    if (limited) {
      this.close(now + (resetMs ?? 0));
      if (isNew) this.learn(sentAt, resetMs ?? 0);
      return;
    }
    if (!overloaded) {
      state.acceptedAt = now;
      if (!faulted) this.widen();
    }
    if (isNew) this.countAccepted(now);
    if (remaining !== undefined)
      this.left(now, sentAt, remaining, remaining < 1 ? resetMs : undefined);
  }

  /** Whether the service took a request of any run that shares this so short a time ago. */
  hasAccepted(now: number, withinMs: number): boolean {
    const { acceptedAt } = this.state;
    return acceptedAt !== undefined && now - acceptedAt < withinMs;
  }

  copy(): Pace {
    return Object.assign(new Pace(), this, { state: { ...this.state } });
  }

  /** This run with what all runs have learned, unless that is stale; `ahead` is by how much their clock is ahead of this one's. */
  joined(kept: string | undefined, now: number, ahead: number): Pace | undefined {
    const state = kept === undefined ? undefined : stateIn(kept, ahead);
    if (
      state === undefined ||
      state.at > now + staleMs ||
      now - Math.max(state.at, state.nextAt) > staleMs
    )
      return undefined;
    // This run has just met the limit that the others have not.
    if (!isLimited(state) && isLimited(this.state)) return undefined;
    if (state.parts[this.own.name ?? ''] === undefined) this.meet(state, now);
    return Object.assign(new Pace(), this, { state });
  }

  /** Others did not know of what this run sent, and measured too little: from now on it is measured together. */
  private meet(state: PaceState, now: number): void {
    if (this.state.spacing > 0) state.spacing = Math.min(state.spacing, this.state.spacing);
    if (this.inFlight === 0 && this.state.openedAt === undefined) return;
    state.openedAt = now;
    state.acceptedSince = 0;
  }

  /** This run, which knows nothing any more of what others have under way. */
  alone(): Pace {
    this.state.parts = {};
    return this;
  }

  /** Whether it is of use to others. */
  get isWorthSharing(): boolean {
    return isLimited(this.state) || this.state.acceptedSince < soonShared;
  }

  /** What the runs that share it keep. */
  kept(now: number, ahead: number): string {
    const { state, own, inFlight } = this;
    const parts = {
      ...Object.fromEntries(this.others(now)),
      [own.name ?? '']: { calls: inFlight, at: now },
    };
    return stateText({ ...state, at: now, parts }, ahead);
  }

  private others(now: number) {
    return Object.entries(this.state.parts).filter(
      ([name, { at }]) => name !== this.own.name && now - at < partMs,
    );
  }

  private othersUnderWay(now: number): number {
    return this.others(now).reduce((sum, [, { calls }]) => sum + calls, 0);
  }

  /** The first calls tell little: a limit that is met by few at once wastes few. */
  private widen(): void {
    if (this.own.startsWith !== undefined && this.state.acceptedSince >= doublesAfter)
      this.atOnce = Math.min(this.mostAtOnce, this.atOnce + 1 / this.atOnce);
  }

  /** Requests that went out together are refused together, which counts once. */
  private narrow(now: number, sentAt: number): void {
    if (this.own.startsWith === undefined || sentAt < this.narrowedAt) return;
    this.atOnce = Math.max(1, this.atOnce / 2);
    this.narrowedAt = now;
  }

  private countAccepted(now: number): void {
    const { state } = this;
    // The wait for this answer must not count as lateness of a timer.
    if (state.asking) this.close(now);
    state.asking = false;
    state.acceptedSince += 1;
    const { patience, step } = growthOf(this.state);
    const isDue = state.acceptedSince % patience === 0;
    const isOverdue = state.spacing > 0 && now - state.shrunkAt >= state.patienceMs;
    if (!isDue && !isOverdue) return;
    state.spacing *= isDue ? step : guessedGrowth.step;
    state.isTrying = !isDue;
    state.shrunkAt = now;
  }

  private left(
    now: number,
    sentAt: number,
    remaining: number,
    opensAfter: number | undefined,
  ): void {
    const { state } = this;
    // The service's own number beats a guess.
    if (state.isGuess && opensAfter === undefined) state.spacing = 0;
    // The service may not have counted the requests under way, so they are subtracted.
    if (state.spacing === 0) state.allowance = remaining - this.inFlight - this.othersUnderWay(now);
    if (opensAfter === undefined) return;
    if (state.spacing > 0) {
      state.nextAt = Math.max(state.nextAt, sentAt + opensAfter);
      return;
    }
    this.close(now + opensAfter);
    this.learn(sentAt, opensAfter);
  }

  /** Nothing goes until then, and then one request asks. */
  close(until: number): void {
    this.state.nextAt = Math.max(this.state.nextAt, until);
    this.state.asking = true;
  }

  /** A limit allows in a period what was accepted from one opening to the next, in the time of sends. */
  private learn(sentAt: number, resetMs: number): void {
    const { state } = this;
    const opensAt = sentAt + resetMs;
    state.longestResetMs = Math.max(state.longestResetMs, resetMs);
    const period = Math.max(1, opensAt - (state.openedAt ?? opensAt));
    if (state.spacing === 0) {
      // If nothing was accepted and no limit is told, it is only known when to ask again.
      const limit = state.limit ?? state.acceptedSince;
      if (limit > 0) state.spacing = margin * this.firstGuess(period, resetMs, limit);
      state.isGuess = state.limit === undefined;
    } else if (state.acceptedSince > 0) {
      state.spacing = this.measured(period);
      state.isGuess = false;
    }
    if (state.isTrying) state.patienceMs *= 2;
    state.isTrying = false;
    state.shrunkAt = opensAt;
    state.openedAt = opensAt;
    state.acceptedSince = 0;
    state.allowance = undefined;
  }

  /** A window or a bucket: the faster reading is taken, because only a pace that is too fast is corrected soon. */
  private firstGuess(period: number, resetMs: number, limit: number): number {
    const window = limit / Math.max(defaultPeriodMs, resetMs);
    const bucket = (this.state.acceptedSince + 1 - limit) / period;
    return 1 / Math.max(window, bucket);
  }

  private measured(period: number): number {
    const { longestResetMs, acceptedSince, spacing: before } = this.state;
    // Refusals that no pace avoids, such as of one server of several, would else make each period longer than the last.
    const slowest = 2 * longestResetMs;
    const spacing = margin * Math.min(period / acceptedSince, slowest);
    // The last step was too fast and is taken back; the time before it says less about the limit.
    const { patience, step } = growthOf(this.state);
    return acceptedSince >= patience ? Math.min(spacing, before / step) : spacing;
  }
}

/** If the last send is long ago, the request did not wait for a timer. */
function following(nextAt: number, gap: number, now: number): number {
  return (now - nextAt < gap ? Math.max(nextAt, now - lateness * gap) : now) + gap;
}

export const stoppedBeforeSending = (): PdiError =>
  interruption('stopped before the request was sent', { billed: 'no' });

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
