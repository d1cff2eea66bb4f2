/** Holds answers that were paid for and did not reach the agent as it asked: too large, or the caller was gone. Both cost nothing again. */

import type { Bought } from '../book/buyer.ts';
import { PdiError } from '../errors.ts';

interface SessionAnswer {
  readonly bought: Bought<unknown>;
  readonly characters: number;
  /** The session's clock. An answer that nobody has heard yet has no end. */
  readonly until: number | undefined;
}

/** It is long enough to ask again for less, and too short for the data to be old, in milliseconds. */
const keptToAskAgain = 600_000;
/** All answers together have so many characters at most. */
const mostCharacters = 50_000_000;

export class SessionAnswers {
  private readonly answers = new Map<string, SessionAnswer>();
  private characters = 0;

  constructor(
    private readonly now: () => number,
    private readonly most = mostCharacters,
  ) {}

  answerTo(subject: string): Bought<unknown> | undefined {
    const kept = this.answers.get(subject);
    return kept === undefined || (kept.until !== undefined && this.now() >= kept.until) ? undefined : kept.bought;
  }

  /** The agent is told to ask for less of it, perhaps more than once. */
  keepToAskAgain(subject: string, bought: Bought<unknown>): void {
    this.keep(subject, bought, this.now() + keptToAskAgain);
  }

  /** The caller is gone, so the same call gets it, whenever it comes. */
  keepUntilHeard(subject: string, bought: Bought<unknown>): void {
    this.keep(subject, { ...bought, fetchedAt: bought.fetchedAt ?? new Date().toISOString() }, undefined);
  }

  heard(subject: string): void {
    if (this.answers.get(subject)?.until === undefined) this.drop(subject);
  }

  drop(subject: string): void {
    this.characters -= this.answers.get(subject)?.characters ?? 0;
    this.answers.delete(subject);
  }

  private keep(subject: string, bought: Bought<unknown>, until: number | undefined): void {
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
