/** Nothing is paid for twice in a session: calls that are under way are shared, and answers that did not reach the agent are kept. */
import type { Bought } from '../book/buyer.ts';
import { PdiError } from '../errors.ts';

interface SessionAnswer {
  readonly bought: Bought<unknown>;
  readonly characters: number;
  /** The session's clock. An answer that nobody has heard yet has no end. */
  readonly until: number;
}

/** It is long enough to ask again for less, and too short for the data to be old, in milliseconds. */
const keptToAskAgain = 600_000;
/** All answers together have so many characters at most. */
const mostCharacters = 50_000_000;

/** Holds answers that were paid for and did not reach the agent as it asked: too large, or the caller was gone. Both cost nothing again. */
export class SessionAnswers {
  private readonly answers = new Map<string, SessionAnswer>();
  private characters = 0;

  constructor(
    private readonly now: () => number,
    private readonly most = mostCharacters,
  ) {}

  answerTo(subject: string): Bought<unknown> | undefined {
    const kept = this.answers.get(subject);
    return kept !== undefined && this.now() < kept.until ? kept.bought : undefined;
  }

  /** The agent is told to ask for less of it, perhaps more than once. */
  keepToAskAgain(subject: string, bought: Bought<unknown>): void {
    this.keep(subject, bought, this.now() + keptToAskAgain);
  }

  /** The caller is gone, so the same call gets it, whenever it comes. */
  keepUntilHeard(subject: string, bought: Bought<unknown>): void {
    this.keep(subject, { ...bought, fetchedAt: bought.fetchedAt ?? new Date().toISOString() }, Number.POSITIVE_INFINITY);
  }

  /** A change that is asked for again is made again, once its answer was given. */
  heard(subject: string, isChange: boolean): void {
    if (isChange || this.answers.get(subject)?.until === Number.POSITIVE_INFINITY) this.drop(subject);
  }

  private drop(subject: string): void {
    this.characters -= this.answers.get(subject)?.characters ?? 0;
    this.answers.delete(subject);
  }

  private keep(subject: string, bought: Bought<unknown>, until: number): void {
    if (bought.result instanceof PdiError) return;
    this.drop(subject);
    const characters = bought.result.record.text.length;
    this.answers.set(subject, { bought, characters, until });
    this.characters += characters;
    for (const oldest of this.answers.keys()) {
      if (this.characters <= this.most) break;
      this.drop(oldest);
    }
  }
}

/** It tells whether the caller went away. */
type IsGone = () => boolean;

interface SharedWork<T> {
  /** It is told to stop when all who wait for it are gone. */
  readonly work: (stopped: IsGone) => Promise<T>;
  /** It gets what came when all were gone. */
  readonly whenUnheard?: (value: T) => void;
  /** Of these values each caller wants one of its own. */
  readonly isForOne?: (value: T) => boolean;
}

/** Makes one call for all who ask the same at the same time. */
export class SharedCalls<T> {
  private readonly underWay = new Map<string, { readonly end: Promise<T>; readonly callers: IsGone[] }>();

  /**
   * What is `joined` is an earlier caller's, who was asked about it, and pays for it. If that one went away before, another one begins anew.
   * @throws what the work throws
   */
  async join(
    subject: string,
    caller: IsGone,
    { work, whenUnheard, isForOne }: SharedWork<T>,
  ): Promise<{ readonly value: T; readonly joined: boolean }> {
    for (let shared = this.underWay.get(subject); shared !== undefined; shared = this.underWay.get(subject)) {
      shared.callers.push(caller);
      try {
        const value = await shared.end;
        if (isForOne?.(value) !== true) return { value, joined: true };
      } catch (error) {
        const [first] = shared.callers;
        if (first?.() !== true || caller()) throw error;
      }
    }
    const callers = [caller];
    const areGone = () => callers.every((isGone) => isGone());
    // In one step, so that nobody can join in between.
    const ended = async (): Promise<T> => {
      try {
        const value = await work(areGone);
        if (areGone()) whenUnheard?.(value);
        return value;
      } finally {
        this.underWay.delete(subject);
      }
    };
    const end = ended();
    this.underWay.set(subject, { end, callers });
    return { value: await end, joined: false };
  }
}
