/** Asks about the rows of a job: each question once, some requests at a time, in as few requests as the operation allows. */
import type { Endpoint } from '../contract/endpoint.ts';
import { endOfTurn } from '../files/gather.ts';
import type { InputRow } from '../rows/input-row.ts';
import { type Outcome, type ResultRow, type ResultRows, resultRow } from '../rows/result-row.ts';
import { type Job, type JobRun, type Keyed, NoQuestion, questionOf } from './job.ts';

/** So many rows for each question under way start ahead of the oldest unfinished one, because one slow answer must not idle the others. */
const rowsAhead = 8;

/** A free question that comes again after so many others is asked again, at no cost. */
const maxRemembered = 2000;

interface OpenQuestion<Q> {
  readonly question: Q;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (bug: unknown) => void;
}

export class Asking<E extends Endpoint, Q extends Keyed> {
  private readonly started: StartedRow[] = [];
  private readonly open: OpenQuestion<Q>[] = [];
  private underWay = 0;
  private recent = new Map<string, Promise<Outcome>>();
  private older = new Map<string, Promise<Outcome>>();
  private readonly send: ReturnType<Job<E, Q>['sender']>;
  private readonly isFree: boolean;
  private readonly triesNext: boolean;
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
    return !this.isOver && this.started.length < this.run.concurrency * this.job.perRequest * rowsAhead;
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

  private outcomeOf(question: Q): Promise<Outcome> {
    const { key } = question;
    const known = this.recent.get(key) ?? this.older.get(key);
    if (known !== undefined) return known;
    const outcome = new Promise<Outcome>((resolve, reject) => this.open.push({ question, resolve, reject }));
    if (this.isFree && this.recent.size >= maxRemembered) [this.older, this.recent] = [this.recent, new Map()];
    this.recent.set(key, outcome);
    return outcome;
  }

  /** A request that is not full waits as long as rows may bring more questions. */
  private sendOpen(): void {
    const { concurrency } = this.run;
    while (this.underWay < concurrency && this.open.length > 0) {
      const mayGrow = this.mayStart || (this.triesNext && this.underWay > 0);
      if (this.open.length < this.job.perRequest && mayGrow) return;
      void this.asked(this.open.splice(0, this.job.perRequest));
    }
  }

  /** A bug is passed on to the rows that wait, each of which is thrown in its turn. */
  private async asked(batch: readonly OpenQuestion<Q>[]): Promise<void> {
    this.underWay += 1;
    try {
      const outcomes = await this.send(batch.map(({ question }) => question));
      for (const [at, { resolve }] of batch.entries()) resolve(outcomes[at] ?? nothing());
    } catch (bug) {
      for (const { reject } of batch) reject(bug);
    }
    // A journal has the answers, and memory must not grow with them.
    if (this.run.journal !== undefined) for (const { question } of batch) this.recent.delete(question.key);
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

function nothing(): never {
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
    this.ended = promise
      .then(
        (row) => {
          this.end = { row };
        },
        (bug: unknown) => {
          this.end = { bug };
        },
      )
      .then(whenEnded);
  }
}
