/** Asks about the rows of a job: each question once, some requests at a time, in as few requests as the operation allows. */
import type { Endpoint } from '../contract/endpoint.ts';
import { endOfTurn } from '../files/gather.ts';
import type { InputRow } from '../rows/input-row.ts';
import { type Outcome, type ResultRow, type ResultRows, resultRow } from '../rows/result-row.ts';
import { type Job, type JobRun, type Keyed, NoQuestion, questionOf } from './job.ts';

/** So many rows for each request at once start ahead of the oldest unfinished one, because one slow answer must not idle the others. */
const minRowsAhead = 8;

/** So many requests of rows do. Those that are asked by their next columns wait longer. */
const batchesAhead = { byOneColumn: 2, bySeveral: 8 };

/** A free job of no more questions asks each of them once. */
const maxRemembered = 10_000;

/** A longer one remembers at least so many of the latest: it may ask again, at no cost, and its memory stays level. */
const minRemembered = 500;

/** What one request asks. Rows wait for it without promises of their own, so that a million of them cost little. */
class Batch<Q> {
  questions: Q[] = [];
  waiting: StartedRow<Q>[] = [];
  end: { readonly outcomes: readonly Outcome[] } | { readonly bug: unknown } | undefined;
}

interface PlaceInBatch<Q> {
  readonly batch: Batch<Q>;
  readonly at: number;
}

/** A row that is asked about: by `row` at the moment, which is its next column where an earlier one had no match. */
class StartedRow<Q> {
  question: Q | undefined;
  at = 0;
  told: ResultRow | undefined;
  end: { readonly row: ResultRow } | { readonly bug: unknown } | undefined;

  constructor(public row: InputRow) {}
}

export class Asking<E extends Endpoint, Q extends Keyed> {
  private readonly started: StartedRow<Q>[] = [];
  /** They are full but for the last. */
  private readonly open: Batch<Q>[] = [];
  private underWay = 0;
  private recent = new Map<string, PlaceInBatch<Q>>();
  private older = new Map<string, PlaceInBatch<Q>>();
  private room = maxRemembered;
  private readonly send: ReturnType<Job<E, Q>['sender']>;
  private readonly isFree: boolean;
  private readonly triesNext: boolean;
  private readonly window: number;
  private isOver = false;
  private inputFailure: { readonly reason: unknown } | undefined;
  private hasChanged = false;
  private goOn = () => {};
  private makeRoom = () => {};

  constructor(
    private readonly job: Job<E, Q>,
    private readonly run: JobRun,
  ) {
    this.send = job.sender(run);
    this.isFree = job.endpoint.billing === 'free';
    this.triesNext = job.mayMiss === true && run.columns > 1;
    const batches = this.triesNext ? batchesAhead.bySeveral : batchesAhead.byOneColumn;
    this.window = run.concurrency * Math.max(minRowsAhead, batches * job.perRequest);
  }

  /** Yields the rows in input order, those that are there at the same time together. Where the input fails, the rows before come out first. */
  async *rows(): ResultRows {
    void this.readInput();
    let isWhole = false;
    try {
      while (!this.isOver || this.started.length > 0) {
        await this.change();
        this.sendOpen();
        for (let rows = this.finishedRows(); rows.length > 0; rows = this.finishedRows()) {
          this.makeRoom();
          yield rows;
        }
      }
      isWhole = true;
      if (this.inputFailure !== undefined) throw this.inputFailure.reason;
    } finally {
      this.isOver = true;
      this.makeRoom();
      if (!isWhole && !this.isFree) await this.leave();
    }
  }

  private async readInput(): Promise<void> {
    try {
      for await (const group of this.run.input) {
        for (const row of group) {
          if (!this.mayStart) await this.roomForMore();
          if (this.isOver) return;
          const started = new StartedRow<Q>(row);
          this.started.push(started);
          this.ask(started);
        }
        this.wake();
      }
    } catch (reason) {
      this.inputFailure = { reason };
    }
    this.isOver = true;
    this.wake();
  }

  private get mayStart(): boolean {
    return !this.isOver && this.started.length < this.window;
  }

  private async roomForMore(): Promise<void> {
    this.wake();
    while (!this.mayStart && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.makeRoom = resolve;
      });
    }
  }

  private wake(): void {
    this.hasChanged = true;
    this.goOn();
  }

  /** Goes on when something has changed, and all that came in together is there. */
  private async change(): Promise<void> {
    if (!this.hasChanged) {
      await new Promise<void>((resolve) => {
        this.goOn = resolve;
      });
    }
    await endOfTurn();
    this.hasChanged = false;
  }

  /** A bug ends its row, and is thrown in its turn. */
  private ask(started: StartedRow<Q>): void {
    try {
      const question = questionOf(started.row, this.job.ask);
      if (question instanceof NoQuestion) {
        this.tell(started, resultRow(started.row, question));
        return;
      }
      const { batch, at } = this.placeOf(question);
      started.question = question;
      started.at = at;
      if (batch.end === undefined) batch.waiting.push(started);
      else this.answer(started, batch.end);
    } catch (bug) {
      started.end = { bug };
    }
  }

  private answer(started: StartedRow<Q>, end: NonNullable<Batch<Q>['end']>): void {
    if ('bug' in end) throw end.bug;
    const { row, question, at } = started;
    const outcome = end.outcomes[at];
    if (question === undefined || outcome === undefined) throw new Error('a request has fewer outcomes than questions');
    const { linkInText = row.linkInText } = question;
    const found = this.job.compared?.(question, outcome) ?? outcome;
    this.tell(started, resultRow(linkInText === true ? { ...row, linkInText } : row, found));
  }

  /** Where no column has a match, the first column that could be asked for stands for the row. */
  private tell(started: StartedRow<Q>, result: ResultRow): void {
    const told = started.told === undefined ? result : moreTelling(started.told, result);
    const { next } = started.row;
    if (!this.triesNext || next === undefined || !hasNoMatch(told)) {
      started.end = { row: told };
      return;
    }
    started.told = told;
    started.row = next;
    this.ask(started);
  }

  private placeOf(question: Q): PlaceInBatch<Q> {
    const { key } = question;
    const known = this.recent.get(key) ?? this.older.get(key);
    if (known !== undefined) return known;
    const batch = this.batchWithRoom();
    if (this.isFree && this.recent.size >= this.room) {
      [this.older, this.recent] = [this.recent, new Map()];
      this.room = minRemembered;
    }
    const place = { batch, at: batch.questions.push(question) - 1 };
    this.recent.set(key, place);
    return place;
  }

  private batchWithRoom(): Batch<Q> {
    const last = this.open.at(-1);
    if (last !== undefined && !this.isFull(last)) return last;
    const batch = new Batch<Q>();
    this.open.push(batch);
    return batch;
  }

  private isFull({ questions }: Batch<Q>): boolean {
    return questions.length >= this.job.perRequest;
  }

  /** A request that is not full waits as long as rows may bring more questions. */
  private sendOpen(): void {
    for (let [batch] = this.open; batch !== undefined && this.underWay < this.run.concurrency; [batch] = this.open) {
      const mayGrow = this.mayStart || (this.triesNext && this.underWay > 0);
      if (mayGrow && !this.isFull(batch)) return;
      this.open.shift();
      void this.asked(batch);
    }
  }

  private async asked(batch: Batch<Q>): Promise<void> {
    const { questions } = batch;
    this.underWay += 1;
    batch.end = await this.send(questions).then(
      (outcomes) => ({ outcomes }),
      (bug: unknown) => ({ bug }),
    );
    this.handOut(batch, batch.end);
    // A journal has the answers, and memory must not grow with them.
    if (this.run.journal !== undefined) for (const { key } of questions) this.recent.delete(key);
    else if ('outcomes' in batch.end) batch.end = { outcomes: batch.end.outcomes.map(inLessMemory) };
    await endOfTurn();
    this.underWay -= 1;
    this.sendOpen();
    this.wake();
  }

  private handOut(batch: Batch<Q>, end: NonNullable<Batch<Q>['end']>): void {
    const { waiting } = batch;
    [batch.questions, batch.waiting] = [[], []];
    for (const started of waiting) {
      try {
        this.answer(started, end);
      } catch (bug) {
        started.end = { bug };
      }
    }
  }

  /** Takes the finished rows off the front. @throws the bug that comes first instead */
  private finishedRows(): readonly ResultRow[] {
    const rows: ResultRow[] = [];
    for (let [oldest] = this.started; oldest?.end !== undefined; [oldest] = this.started) {
      if ('bug' in oldest.end) {
        if (rows.length > 0) break;
        throw oldest.end.bug;
      }
      rows.push(oldest.end.row);
      this.started.shift();
    }
    return rows;
  }

  /** The disk is full or the reader went away. What is under way is paid for, so it is finished and written down. */
  private async leave(): Promise<void> {
    this.run.stopRule.leave();
    this.run.client.finish();
    this.sendOpen();
    while (this.underWay > 0) await this.change();
  }
}

/** Few questions come again. */
const inLessMemory = (outcome: Outcome): Outcome =>
  outcome.record === undefined ? outcome : { ...outcome, record: outcome.record.asText };

const hasNoMatch = ({ status }: Outcome): boolean => status === 'not_found' || status === 'invalid';

function moreTelling(before: ResultRow, now: ResultRow): ResultRow {
  return now.status === 'invalid' || (now.status === 'not_found' && before.status === 'not_found') ? before : now;
}
