/** Rate-limited services over a clock of their own, and a client of some workers that sends as `Pace` tells it. */
import type { Pace } from '../../src/client/pace.ts';

/** What a service decides about a request that reaches it at `now` (milliseconds). */
export type Decide = (now: number) => {
  readonly limited: boolean;
  /** Undefined where the service does not tell. */
  readonly limit: number | undefined;
  readonly remaining: number;
  readonly reset: number;
};

/** A bucket of `burst` tokens that refills one by one; `reset` tells when the next comes, or when it is full again. */
export function tokenBucket(
  perSecond: number,
  burst: number,
  reset: 'next' | 'full' = 'next',
): Decide {
  let tokens = burst;
  let at = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - at) * perSecond) / 1000);
    at = now;
    const limited = tokens < 1;
    if (!limited) tokens -= 1;
    const missing = reset === 'full' ? burst - tokens : Math.max(0, 1 - tokens);
    return {
      limited,
      limit: burst,
      remaining: Math.floor(tokens),
      reset: (missing * 1000) / perSecond,
    };
  };
}

/** So many requests a window; windows lie on a grid that starts `offset` milliseconds before the first request. */
export function fixedWindow(limit: number, windowMs: number, offset = 0): Decide {
  let current = -1;
  let used = 0;
  return (now) => {
    const index = Math.floor((now + offset) / windowMs);
    if (index !== current) used = 0;
    current = index;
    const limited = used >= limit;
    if (!limited) used += 1;
    return {
      limited,
      limit,
      remaining: limit - used,
      reset: (index + 1) * windowMs - offset - now,
    };
  };
}

/** No more than `limit` in any stretch of `windowMs`. */
export function slidingWindow(limit: number, windowMs: number): Decide {
  const times: number[] = [];
  return (now) => {
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift();
    const limited = times.length >= limit;
    if (!limited) times.push(now);
    const oldest = times[0] ?? now;
    return { limited, limit, remaining: limit - times.length, reset: oldest + windowMs - now };
  };
}

/** The same for a service that does not tell its limit. */
export function untold(service: Decide): Decide {
  return (now) => ({ ...service(now), limit: undefined });
}

/** A service that others have used up: it takes nothing before `opensAt`. */
export function usedUp(service: Decide, opensAt: number): Decide {
  return (now) => {
    const decision = service(Math.max(now, opensAt));
    return now < opensAt
      ? { ...decision, limited: true, remaining: 0, reset: opensAt - now }
      : decision;
  };
}

export const unlimited: Decide = () => ({ limited: false, limit: 0, remaining: 0, reset: 0 });

export interface Course {
  readonly service: Decide;
  readonly pace: Pace;
  readonly requests: number;
  readonly atOnce: number;
  readonly latencyMs: number;
  /** Which answers carry the three headers. */
  readonly headers: 'always' | 'on429' | 'never';
  /** Every so many answers one is lost. */
  readonly loseEvery?: number;
}

export interface Outcome {
  readonly endedAt: number;
  readonly wasted: number;
  readonly sentAt: readonly number[];
  /** The most times that one request met a 429. */
  readonly worst: number;
}

/** Plays a course to its end. @throws Error where everybody waits for an answer and none is due */
export function play(course: Course): Outcome {
  return new Play(course).run();
}

/** Jobs wait in order of arrival; a timer is a little late, as the gate's is. */
class Play {
  private now = 0;
  private readonly queue: { refusals: number }[] = [];
  private readonly events: { at: number; act: () => void }[] = [];
  private started = 0;
  private done = 0;
  private wasted = 0;
  private worst = 0;
  private answers = 0;
  private readonly sentAt: number[] = [];

  constructor(private readonly course: Course) {}

  run(): Outcome {
    for (let worker = 0; worker < this.course.atOnce; worker += 1) this.startNext();
    while (this.done < this.course.requests) {
      const wake = this.pump();
      const event = this.nextEvent(wake);
      if (event === undefined)
        throw new Error(`deadlock after ${this.done} requests at ${this.now} ms`);
      if (this.sentAt.length > 50 * this.course.requests) throw new Error('the service is flooded');
      this.now = event.at;
      event.act();
    }
    return { endedAt: this.now, wasted: this.wasted, sentAt: this.sentAt, worst: this.worst };
  }

  private startNext(): void {
    if (this.started >= this.course.requests) return;
    this.started += 1;
    this.queue.push({ refusals: 0 });
  }

  /** Sends what may go; gives the time to look again. */
  private pump(): number {
    for (;;) {
      const [job] = this.queue;
      if (job === undefined) return Number.POSITIVE_INFINITY;
      const delay = this.course.pace.delay(this.now);
      if (delay > 0) return this.now + delay + 1;
      this.course.pace.sent(this.now);
      this.queue.shift();
      this.send(job);
    }
  }

  private nextEvent(wake: number): { at: number; act: () => void } | undefined {
    this.events.sort((a, b) => a.at - b.at);
    const [first] = this.events;
    if (first !== undefined && first.at <= wake) return this.events.shift();
    return Number.isFinite(wake) ? { at: wake, act: () => {} } : undefined;
  }

  private send(job: { refusals: number }): void {
    const sentAt = this.now;
    const { latencyMs, service } = this.course;
    this.sentAt.push(sentAt);
    this.events.push({
      at: sentAt + latencyMs / 2,
      act: () => {
        const decision = service(this.now);
        this.events.push({ at: sentAt + latencyMs, act: () => this.answer(job, sentAt, decision) });
      },
    });
  }

  private answer(job: { refusals: number }, sentAt: number, decision: ReturnType<Decide>): void {
    this.answers += 1;
    const { pace, headers, loseEvery } = this.course;
    if (loseEvery !== undefined && this.answers % loseEvery === 0) {
      pace.unanswered();
      this.queue.unshift(job);
      return;
    }
    const { limited, limit, remaining, reset } = decision;
    const spoken = headers === 'always' || (headers === 'on429' && limited);
    // Without a header the client makes up a wait of its own.
    const news: Parameters<Pace['answered']>[2] = spoken
      ? { limited, limit, remaining, resetMs: reset }
      : { limited, ...(limited && { resetMs: 400 }) };
    pace.answered(this.now, sentAt, news);
    if (limited) {
      this.wasted += 1;
      job.refusals += 1;
      this.worst = Math.max(this.worst, job.refusals);
      this.queue.unshift(job);
      return;
    }
    this.done += 1;
    this.startNext();
  }
}
