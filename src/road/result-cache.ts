/** Holds the results of a run by item, so that identical items are asked for once; with a journal, those of earlier runs too. */

import type { JobFile } from '../book/job-file.ts';
import { orFailure, PdiError } from '../errors.ts';
import { readRecord } from '../rows/record.ts';
import type { Outcome } from '../rows/result-row.ts';
import type { StopRule } from './stop-rule.ts';

/** One request, under way or answered, stands for all its items, so that a million of them cost little memory. */
export class PendingRequest {
  readonly items: string[] = [];
  /** It is being sent or was sent, so what waits for it waits for nothing else. */
  isUnderWay = false;
  private isSaved = false;
  private outcomes: Remembered | undefined;
  private failure: { readonly reason: unknown } | undefined;
  private readonly waiting: { readonly resolve: (outcomes: Remembered) => void; readonly reject: (reason: unknown) => void }[] = [];

  /** `pass` tells apart the passes of a job that asks its rows several times. */
  constructor(readonly pass = 1) {}

  /**
   * A journal has the outcomes, so only those who wait already get them from here. A map's former tables hold for long what was deleted
   * from it, and the garbage collector would take each answer for one that lives.
   */
  leaveToJournal(): void {
    this.isSaved = true;
  }

  settle(outcomes: readonly Outcome[]): void {
    if (this.isSaved && this.waiting.length === 0) return;
    const told = outcomes.map(remembered);
    if (!this.isSaved) this.outcomes = told;
    for (const { resolve } of this.waiting.splice(0)) resolve(told);
  }

  /** Passes on why there will be no outcomes, because a bug must not leave the rows that ask the same waiting for ever. */
  fail(reason: unknown): void {
    this.failure = { reason };
    for (const { reject } of this.waiting.splice(0)) reject(reason);
  }

  /** Rejects with what `fail` was told. */
  async outcomeOf(item: string): Promise<Outcome> {
    if (this.failure !== undefined) throw this.failure.reason;
    const outcomes = this.outcomes ?? (await new Promise<Remembered>((resolve, reject) => this.waiting.push({ resolve, reject })));
    const outcome = outcomes[this.items.indexOf(item)];
    if (outcome === undefined) throw new Error('an item without an outcome');
    return typeof outcome === 'string' ? { status: 'ok', record: readRecord(outcome) } : outcome;
  }
}

type Remembered = readonly (Outcome | string)[];

/** A record's text takes less memory than its value, and few items come again. A failure is ten times as large as its words. */
function remembered({ failure: _, ...outcome }: Outcome): Outcome | string {
  const isPlain = outcome.status === 'ok' && outcome.fetchedAt === undefined;
  return isPlain && outcome.record !== undefined ? outcome.record.text : outcome;
}

interface ResultCacheOptions {
  readonly journal?: JobFile | undefined;
  /**
   * Once more items than this come, the latest of them are kept, at least a quarter. A free item that comes again later is asked again, at
   * no cost. Charged items are kept without bound, or until they are in a journal that answers this run.
   */
  readonly capacity: number;
}

export class ResultCache {
  /** A whole map is forgotten at a time, because deleting items one by one takes longer than asking for them. */
  private recent = new Map<string, PendingRequest>();
  private older = new Map<string, PendingRequest>();
  private room: number;

  constructor(private readonly options: ResultCacheOptions) {
    this.room = options.capacity;
  }

  pending(item: string): PendingRequest | undefined {
    return this.recent.get(item) ?? this.older.get(item);
  }

  /** Gives what an earlier run learned of an item, unless it must be asked for again. */
  known(item: string): Outcome | undefined {
    return this.options.journal?.known(item);
  }

  /** Gives the outcome of an item that an earlier run sent without an answer. It stays so where this run gets none either. */
  lost(item: string): Outcome | undefined {
    return this.options.journal?.lost(item);
  }

  expect(item: string, pending: PendingRequest): void {
    if (this.recent.size >= this.room) {
      this.older = this.recent;
      this.recent = new Map();
      // What lives through many collections costs the garbage collector more than all requests cost the rest of the program.
      this.room = Math.ceil(this.options.capacity / 4);
    }
    pending.items.push(item);
    this.recent.set(item, pending);
  }

  /** Records that a call about this item is about to be sent. @throws PdiError `internal`: then send nothing */
  async sending(item: string): Promise<void> {
    await this.options.journal?.sent(item);
  }

  /** Puts outcomes on disk before they are used. Where the disk refuses, the run ends, and these outcomes still go out. */
  async save({ items }: Pick<PendingRequest, 'items'>, outcomes: readonly Outcome[], stopRule: StopRule): Promise<void> {
    const { journal } = this.options;
    if (journal === undefined) return;
    const saved = outcomes.map((outcome, at) => journal.answered(items[at] ?? '', outcome));
    const failure = await orFailure(() => Promise.all(saved));
    if (failure instanceof PdiError) return stopRule.failed(failure);
    for (const item of items) {
      this.recent.get(item)?.leaveToJournal();
      this.recent.delete(item);
    }
  }
}
