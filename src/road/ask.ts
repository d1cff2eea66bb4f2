/** A job takes many identifiers and gives one row for each: each question is asked once, some requests at a time, in as few as possible. */
import type { Buyer } from '../book/buyer.ts';
import type { JobFile } from '../book/job-file.ts';
import type { Client } from '../client/client.ts';
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import type { Invalid } from '../contract/identifier.ts';
import { mayCost } from '../contract/price.ts';
import type { PdiError } from '../errors.ts';
import { endOfTurn } from '../files/gather.ts';
import {
  asRepeated,
  type InputRow,
  noIdentifier,
  type Outcome,
  type ResultRow,
  type ResultRows,
  resultRow,
} from '../rows/row.ts';
import type { StopRule } from './stop-rule.ts';

export interface Keyed {
  readonly key: string;
  readonly linkInText?: true;
}

/** What differs between jobs. */
export interface Job<Q extends Keyed> {
  readonly endpoint: Endpoint;
  readonly identifierColumns: readonly string[];
  readonly ask: (text: string, row: InputRow) => Q | Invalid;
  /** To find nothing is a good answer, after which a row is asked about by its next column. */
  readonly mayMiss?: true;
  readonly perRequest: number;
  readonly requests: (questions: readonly Q[]) => readonly RequestParts[];
  /** Gives what asks at most `perRequest` questions, and has an outcome for each: a failure is one too, only a bug rejects. */
  readonly sender: (run: JobRun) => (questions: readonly Q[]) => Promise<readonly Outcome[]>;
}

export interface JobRun {
  readonly client: Client;
  readonly input: AsyncIterable<readonly InputRow[]>;
  readonly buyer: Buyer;
  readonly journal: JobFile | undefined;
  readonly stopRule: StopRule;
  readonly concurrency: number;
  readonly triesNext: boolean;
}

/** As many at once as the client allows at each moment, which may adapt; and so many times that for a book that is far. */
export const adapting = (run: Omit<JobRun, 'concurrency'>, times = () => 1): JobRun => ({
  ...run,
  get concurrency() {
    return run.client.atOnce * times();
  },
});

/** A row that is not asked about has its outcome already. */
export class NoQuestion {
  constructor(
    readonly status: 'invalid' | 'not_found' | 'skipped' | 'failed',
    readonly error: string,
    readonly hint?: string,
    readonly failure?: PdiError,
  ) {}
}

/** Gives what `row` asks; `ask` never sees a broken row. One without a record from an earlier command is `not_found`. */
export function questionOf<Q extends object>(
  row: InputRow,
  ask: (text: string, row: InputRow) => Q | Invalid,
): Q | NoQuestion {
  const objection = row.invalid ?? objectionTo(row.text);
  const question = objection === undefined ? ask(row.text ?? '', row) : { invalid: objection };
  if (!isInvalid(question)) return question;
  return new NoQuestion(row.status ?? 'invalid', question.invalid, question.hint, row.failure);
}

/** A formula without a result shows this in the languages of Excel, `#NV`, or in LibreOffice, `Err:502`. To ask for it may be billed. */
const formulaError =
  /^(?:#(?:N\/[AD]|Н\/Д|I\/T|NV|YOK|BRAK|HIÁNYZIK|GETTING_DATA|[¡¿]?[\p{L}_]+(?:\/0)?[!?])|(?:Err|Fehler):\d{3})$/iu;

function objectionTo(text: string | undefined): string | undefined {
  if (text === undefined) return noIdentifier;
  const mayBeError = text.startsWith('#') || text.startsWith('Err:') || text.startsWith('Fehler:');
  return mayBeError && formulaError.test(text)
    ? 'an error of a spreadsheet formula, not an identifier'
    : undefined;
}

const isInvalid = (question: object): question is Invalid => 'invalid' in question;

/** So many rows, or requests of rows, for each request at once start ahead of the oldest: one slow answer must not idle the others. */
const minRowsAhead = 8;

const batchesAhead = { byOneColumn: 2, bySeveral: 8 };

/** A free job of no more questions asks each once; a longer one remembers the latest of them alone, so its memory stays level. */
const maxRemembered = 10_000;

const fewRemembered = 1000;

/** It is thrown in the turn of the row that met it. */
class Bug {
  constructor(readonly reason: unknown) {}
}

/** It is under way. Its rows wait as a chain (`alike`), without promises of their own, so that a million of them cost little. */
class Asked<Q> {
  constructor(
    readonly question: Q,
    public latest: StartedRow,
  ) {}
}

/** A row that is asked about: by `row` at the moment, which is its next column where an earlier one had no match. */
class StartedRow {
  alike: StartedRow | undefined;
  result: ResultRow | undefined;
  end: ResultRow | Bug | undefined;

  constructor(public row: InputRow) {}
}

export class Asking<Q extends Keyed> {
  private readonly started: StartedRow[] = [];
  /** The questions of one request each; all but the last are full. */
  private readonly batches: Asked<Q>[][] = [];
  private underWay = 0;
  private recent = new Map<string, Asked<Q> | Outcome | Bug | undefined>();
  private room = maxRemembered;
  private readonly send: ReturnType<Job<Q>['sender']>;
  private readonly isFree: boolean;
  private readonly rowsAhead: number;
  private isOver = false;
  private inputFailure: Bug | undefined;
  private hasChanged = false;
  private goOn = () => {};
  private makeRoom = () => {};

  constructor(
    private readonly job: Job<Q>,
    private readonly run: JobRun,
  ) {
    this.send = job.sender(run);
    this.isFree = !mayCost(job.endpoint);
    const batches = run.triesNext ? batchesAhead.bySeveral : batchesAhead.byOneColumn;
    this.rowsAhead = Math.max(minRowsAhead, batches * job.perRequest);
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
          const started = new StartedRow(row);
          this.started.push(started);
          this.ask(started);
        }
        this.wake();
      }
    } catch (reason) {
      this.inputFailure = new Bug(reason);
    }
    this.isOver = true;
    this.wake();
  }

  private get mayStart(): boolean {
    return !this.isOver && this.started.length < this.run.concurrency * this.rowsAhead;
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

  private ask(started: StartedRow): void {
    try {
      const question = questionOf(started.row, this.job.ask);
      if (question instanceof NoQuestion) {
        this.answer(started, question);
        return;
      }
      if (question.linkInText === true) started.row = { ...started.row, linkInText: true };
      const known = this.recent.get(question.key);
      if (known === undefined) this.open(question, started);
      else if (known instanceof Asked) [started.alike, known.latest] = [known.latest, started];
      else this.answer(started, again(known));
    } catch (bug) {
      started.end = new Bug(bug);
    }
  }

  /** Where no column has a match, the first column that could be asked for stands for the row. */
  private answer(started: StartedRow, outcome: Outcome | Bug): void {
    if (outcome instanceof Bug) {
      started.end = outcome;
      return;
    }
    const result = resultRow(started.row, outcome);
    const told = started.result === undefined ? result : moreTelling(started.result, result);
    const { next } = started.row;
    if (!this.run.triesNext || next === undefined || !hasNoMatch(told)) {
      started.end = told;
      return;
    }
    started.result = told;
    started.row = next;
    this.ask(started);
  }

  private open(question: Q, started: StartedRow): void {
    const asked = new Asked(question, started);
    const mayForget = this.isFree || this.run.journal !== undefined;
    if (mayForget && this.recent.size >= this.room) this.forget();
    this.recent.set(question.key, asked);
    const last = this.batches.at(-1);
    if (last === undefined || this.isFull(last)) this.batches.push([asked]);
    else last.push(asked);
  }

  private isFull(batch: readonly Asked<Q>[]): boolean {
    return batch.length >= this.job.perRequest;
  }

  /** A request that is not full waits as long as rows may bring more questions. */
  private sendOpen(): void {
    for (
      let [batch] = this.batches;
      batch !== undefined && this.underWay < this.run.concurrency;
      [batch] = this.batches
    ) {
      const mayGrow = this.mayStart || (this.run.triesNext && this.underWay > 0);
      if (mayGrow && !this.isFull(batch)) return;
      this.batches.shift();
      void this.sendBatch(batch);
    }
  }

  private async sendBatch(batch: readonly Asked<Q>[]): Promise<void> {
    this.underWay += 1;
    const outcomes = await this.send(batch.map(({ question }) => question)).catch(
      (bug: unknown) => new Bug(bug),
    );
    this.handOut(batch, outcomes);
    await endOfTurn();
    this.underWay -= 1;
    this.sendOpen();
    this.wake();
  }

  private handOut(batch: readonly Asked<Q>[], outcomes: readonly Outcome[] | Bug): void {
    for (const [at, { question, latest }] of batch.entries()) {
      const outcome =
        outcomes instanceof Bug
          ? outcomes
          : (outcomes[at] ?? new Bug(new Error('a request has fewer outcomes than questions')));
      const isInJournal = this.run.journal !== undefined;
      this.recent.set(
        question.key,
        isInJournal ? undefined : outcome instanceof Bug ? outcome : inLessMemory(outcome),
      );
      for (let started: StartedRow | undefined = latest; started !== undefined; ) {
        const alike: StartedRow | undefined = started.alike;
        started.alike = undefined;
        // The first of them is the last of the chain.
        this.answer(started, alike === undefined ? outcome : again(outcome));
        started = alike;
      }
    }
  }

  /** A map that loses its keys one by one keeps what it held alive until the slow garbage collection, so a whole one is given up. */
  private forget(): void {
    // Nothing is under way twice: it may be billed.
    const underWay = [...this.recent].filter(([, known]) => known instanceof Asked);
    this.recent = new Map(underWay);
    this.room = underWay.length + fewRemembered;
  }

  /** Takes the finished rows off the front. @throws the bug that comes first instead */
  private finishedRows(): readonly ResultRow[] {
    const rows: ResultRow[] = [];
    for (let [oldest] = this.started; oldest?.end !== undefined; [oldest] = this.started) {
      if (!(oldest.end instanceof Bug)) rows.push(oldest.end);
      else if (rows.length > 0) break;
      else throw oldest.end.reason;
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

const again = (outcome: Outcome | Bug): Outcome | Bug =>
  outcome instanceof Bug ? outcome : asRepeated(outcome);

export const inLessMemory = (outcome: Outcome): Outcome =>
  outcome.record === undefined ? outcome : { ...outcome, record: outcome.record.asText };

const hasNoMatch = ({ status }: Outcome): boolean => status === 'not_found' || status === 'invalid';

function moreTelling(before: ResultRow, now: ResultRow): ResultRow {
  const told =
    now.status === 'invalid' || (now.status === 'not_found' && before.status === 'not_found')
      ? before
      : now;
  return { ...told, readAs: before.readAs ?? before.input };
}
