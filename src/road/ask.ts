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
const minRemembered = 2500;

/** One promise stands for all questions of a request, so that a million of them cost little memory. */
class Batch<Q> {
  questions: Q[] = [];
  resolve: (outcomes: readonly Outcome[]) => void = () => {};
  reject: (bug: unknown) => void = () => {};
  readonly outcomes = new Promise<readonly Outcome[]>((resolve, reject) => {
    [this.resolve, this.reject] = [resolve, reject];
  });
}

interface PlaceInBatch<Q> {
  readonly batch: Batch<Q>;
  readonly at: number;
}

export class Asking<E extends Endpoint, Q extends Keyed> {
  private readonly started: StartedRow[] = [];
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
          while (!this.mayStart && !this.isOver) {
            await new Promise<void>((resolve) => {
              this.makeRoom = resolve;
            });
          }
          if (this.isOver) return;
          this.started.push(new StartedRow(this.answered(row), () => this.wake()));
          this.wake();
        }
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

  private async answered(row: InputRow): Promise<ResultRow> {
    let told = await this.tried(row);
    if (!this.triesNext) return told;
    for (let { next } = row; next !== undefined && hasNoMatch(told); next = next.next) told = moreTelling(told, await this.tried(next));
    return told;
  }

  private async tried(row: InputRow): Promise<ResultRow> {
    const question = questionOf(row, this.job.ask);
    if (question instanceof NoQuestion) return resultRow(row, question);
    const outcome = await this.outcomeOf(question);
    const { linkInText = row.linkInText } = question;
    return resultRow(linkInText === true ? { ...row, linkInText } : row, this.job.compared?.(question, outcome) ?? outcome);
  }

  private async outcomeOf(question: Q): Promise<Outcome> {
    const { batch, at } = this.placeOf(question);
    return (await batch.outcomes)[at] ?? noOutcome();
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

  /** A bug is passed on to the rows that wait, each of which is thrown in its turn. */
  private async asked(batch: Batch<Q>): Promise<void> {
    const { questions } = batch;
    this.underWay += 1;
    await this.send(questions).then(batch.resolve, batch.reject);
    // A journal has the answers, and memory must not grow with them.
    if (this.run.journal !== undefined) for (const { key } of questions) this.recent.delete(key);
    batch.questions = [];
    await endOfTurn();
    this.underWay -= 1;
    this.sendOpen();
    this.wake();
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
    await Promise.all(this.started.map(({ ended }) => ended));
  }
}

function noOutcome(): never {
  throw new Error('a request has fewer outcomes than questions');
}

const hasNoMatch = ({ status }: Outcome): boolean => status === 'not_found' || status === 'invalid';

/** Where no column has a match, the first column that could be asked for stands for the row. */
function moreTelling(before: ResultRow, now: ResultRow): ResultRow {
  return now.status === 'invalid' || (now.status === 'not_found' && before.status === 'not_found') ? before : now;
}

class StartedRow {
  end: { readonly row: ResultRow } | { readonly bug: unknown } | undefined;
  /** It does not reject, because a bug waits for its turn and must not end the process before. */
  readonly ended: Promise<void>;

  constructor(promise: Promise<ResultRow>, whenEnded: () => void) {
    const ended = (end: StartedRow['end']) => {
      this.end = end;
      whenEnded();
    };
    this.ended = promise.then(
      (row) => ended({ row }),
      (bug: unknown) => ended({ bug }),
    );
  }
}
