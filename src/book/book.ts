/** The book of one run. Each call is written down before it is sent and settled after it; those of one moment are one transaction. */
import * as z from 'zod/mini';
import { PdiError } from '../errors.ts';
import { gather } from '../files/gather.ts';
import { troubleOf } from '../files/sqlite.ts';
import type { BookFile } from './book-file.ts';
import type { Cap } from './budget.ts';
import {
  type Begun,
  type BookCall,
  Calls,
  type KeptAnswer,
  keyOf,
  type Owner,
  ownerName,
  type Settled,
  type Taken,
  type TakeRules,
} from './calls.ts';
import { Runs } from './runs.ts';

export interface RunBookOptions {
  /** It tells the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Whose calls they are, and how they are counted. `origin` is what the calls go to. */
  readonly facts: {
    readonly owner: Owner;
    readonly profile: string;
    readonly command: string;
    readonly origin: string;
    readonly sandbox: boolean;
  };
  readonly rules: TakeRules;
  readonly cap: Cap;
  /** It is told to whoever this run holds up, and decides nothing. */
  readonly pid: number;
  /** It is called where no answer was ever kept before. */
  readonly onFirstKept: () => void;
}

const lastRow = z.object({ last: z.number() });
/** Calls stay for ever, and answers do not: a number that was given once is not given again. */
const lastCallSql = 'SELECT coalesce(max(id), 0) AS last FROM call';
const lastAnswerSql = "SELECT seq AS last FROM sqlite_sequence WHERE name = 'answer'";

/** After so many transactions, and at the first, some of what is past its age goes. */
const betweenExpiries = 100;
const expiredAtOnce = 1000;
/** The end of a run waits so many milliseconds for the book, at most. Another run finds out by itself that this one has ended. */
const patienceAtEnd = 2000;

export class Book {
  private readonly runs: Runs;
  private readonly calls: Calls;
  private begun: Begun | undefined;
  private underWay = 0;
  private settlements = 0;

  constructor(
    private readonly file: BookFile,
    private readonly options: RunBookOptions,
  ) {
    this.runs = new Runs(file);
    this.calls = new Calls(file, this.runs, options.rules, options.clock);
  }

  now(): number {
    return this.options.clock();
  }

  /** Names what is asked. `ofThisRun`: in another run, the same words about a page of a list mean other records. */
  keyOf(asked: Parameters<typeof keyOf>[1], ofThisRun: boolean): string {
    return keyOf(ownerName(this.options.facts.owner), asked, ofThisRun ? this.runs.token : '');
  }

  /** Gives a kept answer, without waiting for anybody. */
  kept(call: BookCall): KeptAnswer | undefined {
    return this.file.glance(() => this.calls.kept(call, this.begun));
  }

  /** Gives what the book has of a question that is not to be asked now. @throws PdiError `internal` */
  async known(call: BookCall): Promise<{ readonly answer: KeptAnswer } | 'lost' | undefined> {
    const answer = this.kept(call);
    if (answer !== undefined) return { answer };
    if (this.file.glance(() => this.calls.isOpen(call)) !== true) return undefined;
    const known = await this.file.transaction(() => this.calls.known(call, this.begun));
    return known === 'held' ? undefined : known;
  }

  /** Gives the right to make a call, once it is written down, or why there is none. @throws PdiError `internal`: then send nothing */
  readonly take = gather(async (calls: readonly BookCall[]): Promise<readonly Taken[]> => {
    this.runs.keepRoom(this.underWay + calls.length);
    return this.transaction(
      (begun) => this.taken(calls, begun),
      (taken) => {
        for (const _ticket of taken.filter(isTicket)) {
          this.options.cap.reserve();
          this.underWay += 1;
        }
      },
    );
  });

  /** Writes down how a call ended, and its answer. @throws PdiError `internal`: the answer goes out all the same */
  readonly settle = gather(async (ends: readonly Settled[]): Promise<readonly undefined[]> => {
    try {
      const isFirst = await this.orWithRoom((begun) => this.settled(ends, begun));
      this.settlements += 1;
      if (isFirst) this.options.onFirstKept();
      return ends.map(() => undefined);
    } finally {
      this.underWay -= ends.length;
    }
  });

  /** Whatever was not settled may have been billed, and is written down so. */
  async close(): Promise<void> {
    const { begun } = this;
    if (begun !== undefined)
      await this.file.transaction(() => this.runs.conclude(begun.run), undefined, patienceAtEnd).catch(() => undefined);
    this.runs.release();
  }

  private taken(calls: readonly BookCall[], begun: Begun): readonly Taken[] {
    // A budget would be counted anew, and what this run has asked would be asked again.
    if (this.file.isReplaced) throw replaced(this.file.path);
    // The places under the cap are counted here and taken later: a transaction that fails must have taken none.
    let { left } = this.options.cap;
    return calls.map((call) => {
      const taken = this.calls.take(call, begun, left > 0);
      if (isTicket(taken)) left -= 1;
      return taken;
    });
  }

  /** Tells whether an answer is the first that was ever kept. */
  private settled(ends: readonly Settled[], begun: Begun): boolean {
    const hadNone = begun.lastAnswer === 0 && this.lastAnswer() === 0;
    for (const end of ends) this.calls.settle(end, begun);
    if (this.settlements % betweenExpiries === 0) this.calls.expire(expiredAtOnce);
    return hadNone && this.lastAnswer() > 0;
  }

  /** `work` and `whenDone` are as those of the file. */
  private async transaction<T>(work: (begun: Begun) => T, whenDone?: (result: T) => void): Promise<T> {
    const inRun = () => {
      const begun = this.beginning();
      return { begun, result: work(begun) };
    };
    const { result } = await this.file.transaction(inRun, ({ begun, result }) => {
      this.begun = begun;
      whenDone?.(result);
    });
    return result;
  }

  /** What was paid for takes the place of the room that was kept for it. */
  private orWithRoom<T>(work: (begun: Begun) => T): Promise<T> {
    return this.transaction(work).catch((error: unknown) => {
      if (!isDiskFull(error) || !this.runs.room.give()) throw error;
      return this.transaction(work);
    });
  }

  /** Gives what this run is in the book, and writes it down first, within a transaction that has yet to succeed. */
  private beginning(): Begun {
    const { file, begun, options } = this;
    if (begun?.renewals === file.renewals) return begun;
    const { owner, profile, command, origin, sandbox } = options.facts;
    this.runs.concludeDead();
    const name = ownerName(owner);
    const ownerId = file.insert(
      'INSERT INTO owner (name, base_url, account) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = name',
      name,
      owner.baseUrl,
      owner.account ?? null,
    );
    const source = file.insert(
      `INSERT INTO source (owner, profile, command, base_url, sandbox) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET profile = profile`,
      ownerId,
      short(profile),
      short(command),
      origin,
      sandbox ? 1 : 0,
    );
    const at = options.clock();
    const run = this.runs.begin(options.pid, at);
    const last = { lastAnswer: this.lastAnswer(), lastCall: this.file.row(lastRow, lastCallSql)?.last ?? 0 };
    return { run, owner: ownerId, ownerName: name, source, at, ...last, renewals: file.renewals };
  }

  private lastAnswer(): number {
    return this.file.row(lastRow, lastAnswerSql)?.last ?? 0;
  }
}

const replaced = (path: string): PdiError =>
  new PdiError('internal', `the book ${path} was moved or replaced while this run used it`, {
    item: path,
    billed: 'no',
    retryable: true,
    hint: 'nothing more was sent; let nothing move it while a run goes on',
    rerun: 'run the same command again',
  });

const isTicket = (taken: Taken): boolean => typeof taken === 'object' && 'ticket' in taken;

/** The disk's own error is the cause. */
function isDiskFull(error: unknown): boolean {
  const trouble = error instanceof PdiError ? troubleOf(error.details.cause) : undefined;
  return trouble === 'full' || trouble === 'failing';
}

const maxFieldLength = 200;
const short = (text: string): string => text.slice(0, maxFieldLength);
