/** The book of one run in SQLite: what one moment takes, and what it settles, is one transaction. */
import * as z from 'zod/mini';
import type { CallOutcome } from '../contract/price.ts';
import { PdiError } from '../errors.ts';
import { gather } from '../files/gather.ts';
import { troubleOf } from '../files/sqlite.ts';
import { type RunBook, type RunBookOptions, replaced } from './book.ts';
import type { BookFile } from './book-file.ts';
import { type BudgetUse, daysOf } from './budget.ts';
import {
  type BookCall,
  behind,
  hashOf,
  type KeptAnswer,
  type Known,
  keyOf,
  type Lost,
  maxSkew,
  never,
  newPlacesIn,
  ownerName,
  type Settled,
  type Taken,
  type Ticket,
} from './calls.ts';
import { Runs } from './runs.ts';
import {
  bytesOf,
  storedBytes,
  storedText,
  textIn,
  whereLost,
  whereOpen,
  whereSent,
} from './schema.ts';
import { underWayIn, usesIn } from './sqlite-reports.ts';
import { callSql, keepSql, WorkOfRun } from './work-of-run.ts';

interface Begun {
  readonly run: number;
  readonly source: number;
  readonly owner: number;
  readonly at: number;
  /** What has a higher number came while this run goes on, whatever the clocks say. */
  readonly lastAnswer: number;
  readonly lastCall: number;
  readonly renewals: number;
}

const answerRow = z.object({
  id: z.number(),
  run: z.number(),
  at: z.number(),
  max_age: z.number(),
  missing: z.number(),
  body: storedBytes,
});
const answerSql = `SELECT id, run, at, max_age, missing, ${bytesOf('body')} FROM answer WHERE key = ?`;
/** Most questions are new, which one statement tells. */
const knownSql = `SELECT EXISTS (SELECT 1 FROM answer WHERE key = ?)
  OR EXISTS (SELECT 1 FROM call WHERE key = ? AND ${whereOpen}) AS number`;
const openRow = z.object({
  id: z.number(),
  run: z.number(),
  at: z.number(),
  max_age: z.number(),
  outcome: storedText,
});
const openSql = `SELECT id, run, at, max_age, ${bytesOf('outcome')} FROM call WHERE key = ? AND ${whereOpen} AND max_age > 0 ORDER BY id`;
/** An index has the items; a hash stands for one that was forgotten. */
const boughtSql = `SELECT coalesce(max(at), 0) AS number FROM call WHERE item IN (?, ?) AND key = ?
  AND (outcome = 'billed' OR (outcome = 'unpriced' AND billing = 'unstated'))`;
const clearedSql = `SELECT NOT EXISTS (SELECT 1 FROM call WHERE key = ? AND ${whereOpen})
  AND EXISTS (SELECT 1 FROM call WHERE item IN (?, ?) AND key = ? AND outcome = 'cleared') AS number`;
const endSql = `UPDATE call SET outcome = ? WHERE id = ? AND key = ? AND ${whereOpen}`;
const withdrawSql = `DELETE FROM call WHERE id = ? AND key = ? AND ${whereSent}`;
const settleSql = `UPDATE call SET outcome = CASE outcome WHEN 'lost' THEN 'settled' ELSE 'billed' END WHERE key = ? AND ${whereLost} AND id < ?`;
/** An upsert would keep the old number, and REPLACE would pass by the trigger that counts what is deleted. */
const dropSql = 'DELETE FROM answer WHERE key = ?';
/** Of several of one moment the first stays. */
const keepEarlierSql = `UPDATE OR IGNORE answer SET key = key || ' ' || at, until = ${never}, max_age = 0 WHERE key = ?`;
const dropEarlierSql = `DELETE FROM answer WHERE id IN
  (SELECT id FROM answer WHERE key > ? AND key < ? ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)`;
/** What came since the run began is no older than it, whatever the clocks say. */
const expireSql = `DELETE FROM answer WHERE id IN
  (SELECT id FROM answer WHERE until <= ? AND (id <= ? OR until - at <= ?) LIMIT ?)`;

const ownerSql =
  'INSERT INTO owner (name, base_url, account) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = name';
const sourceSql = `INSERT INTO source (owner, profile, command, base_url, sandbox, user, host, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET profile = profile`;
const lostRow = z.object({ key: storedText, id: z.number() });
const lostSql = `SELECT ${bytesOf('call.key', 'key')}, call.id FROM call
  JOIN source ON source.id = call.source JOIN owner ON owner.id = source.owner
  WHERE ${whereLost} AND owner.name = ? ORDER BY call.id`;
const lastCallSql = 'SELECT coalesce(max(id), 0) AS number FROM call';
/** Unlike a call, the latest answer may have been deleted. */
const lastAnswerSql = "SELECT seq AS number FROM sqlite_sequence WHERE name = 'answer'";

/** At the first of so many settlements some of what is past its age goes, and at the end what can go in so short a time. */
const betweenExpiries = 100;
const expiredAtOnce = 250;
const expiryMs = 50;
const isExpiredSql = 'SELECT EXISTS (SELECT 1 FROM answer WHERE until <= ?) AS number';
/** A run that cannot say that it ends is found dead by the next one. */
const patienceAtEndMs = 2000;

export class SqliteRun implements RunBook {
  private readonly runs: Runs;
  private readonly ownerName: string;
  private begun: Begun | undefined;
  private underWay = 0;
  private settlements = 0;
  /** From a book that was moved or replaced. */
  private left: WorkOfRun | undefined;

  constructor(
    private readonly file: BookFile,
    private readonly options: RunBookOptions,
  ) {
    this.runs = new Runs(file);
    this.ownerName = ownerName(options.facts.owner);
    file.beforeLeaving = () => {
      const { begun } = this;
      if (begun?.renewals === file.renewals) this.left = new WorkOfRun(file, begun);
    };
  }

  now(): number {
    return this.options.clock();
  }

  keyOf(question: Parameters<typeof keyOf>[1], ofThisRun: boolean): string {
    return keyOf(this.ownerName, question, ofThisRun ? this.runs.token : '');
  }

  kept(call: BookCall): KeptAnswer | undefined {
    return this.file.glance(() => this.answerTo(call, this.begun));
  }

  async boughtAt({ key, item }: BookCall): Promise<number | undefined> {
    if (item === undefined) return undefined;
    return (
      this.file.glance(() => this.file.number(boughtSql, item, hashOf(item), key)) || undefined
    );
  }

  async isCleared({ key, item = '' }: BookCall): Promise<boolean> {
    const { file } = this;
    return file.glance(() => file.number(clearedSql, key, item, hashOf(item), key)) === 1;
  }

  async find(call: BookCall): Promise<{ readonly answer: KeptAnswer } | Lost | undefined> {
    if (this.file.glance(() => this.isNew(call)) !== false) return undefined;
    const answer = this.kept(call);
    if (answer !== undefined) return { answer };
    const isOpen = this.file.glance(() => this.openCalls(call).length > 0);
    if (isOpen !== true) return undefined;
    const fate = await this.file.transaction(() => this.fateOf(call, this.begun));
    return fate === 'held' ? undefined : fate;
  }

  readonly take = gather(async (calls: readonly BookCall[]): Promise<readonly Taken[]> => {
    this.runs.keepRoom(this.underWay + calls.length);
    const { cap } = this.options;
    const work = (begun: Begun) => {
      const taken: Taken[] = [];
      // The budget would be counted from nothing, and what this run has asked would be asked again.
      if (this.file.isReplaced) return taken;
      for (const call of calls)
        taken.push(
          this.takeOne(call, begun, call.hasPlace === true || cap.left > newPlacesIn(taken)),
        );
      return taken;
    };
    // A transaction that fails must have taken no place under the cap.
    const whenDone = (taken: readonly Taken[]) => {
      cap.reserve(newPlacesIn(taken));
      this.underWay += newPlacesIn(taken);
    };
    const taken = await this.transaction(work, whenDone, this.options.stop);
    // Only now, so that what this run has bought stays in the book that is there.
    if (taken.length < calls.length) throw replaced(this.file.path);
    return taken;
  });

  async giveBack({ call, number }: Ticket): Promise<Ticket> {
    await this.file.transaction(() => this.file.run(withdrawSql, number, call.key));
    return { call: { ...call, hasPlace: true }, number: 0 };
  }

  readonly settle = gather(async (ends: readonly Settled[]): Promise<readonly undefined[]> => {
    const keeps = ends.some(({ ticket, answer }) => answer !== undefined && ticket.call.maxAge > 0);
    const work = (begun: Begun) => {
      const isFirst = keeps && this.file.number(lastAnswerSql) === 0;
      for (const end of ends) this.settleOne(end, begun);
      if (this.settlements % betweenExpiries === 0) this.expire(begun);
      return isFirst;
    };
    try {
      const isFirst = await this.transaction(work).catch((error: unknown) => {
        // What was paid for takes the place of the room that was kept for it.
        if (!isDiskFull(error) || !this.runs.room.give()) throw error;
        return this.transaction(work);
      });
      this.settlements += 1;
      if (isFirst) this.options.onFirstKept();
      return ends.map(() => undefined);
    } finally {
      this.underWay -= ends.length;
    }
  });

  async lost(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.file.transaction(() => {
      this.runs.concludeDead();
      return this.file.rows(lostRow, lostSql, this.ownerName);
    });
    return new Map(rows.map(({ key, id }) => [key, id]));
  }

  /** The kernel frees a run's lock, and nothing else does. */
  holds(): boolean {
    return true;
  }

  async close(): Promise<void> {
    const conclude = () => {
      const begun = this.left === undefined ? this.begun : this.beginning();
      // In a book that was begun anew since, another run has this number.
      if (begun?.renewals === this.file.renewals) this.runs.conclude(begun.run);
    };
    await this.expireInTime().catch(() => undefined);
    if (this.begun !== undefined)
      await this.file
        .transaction(conclude, undefined, { ms: patienceAtEndMs })
        .catch(() => undefined);
    this.runs.release();
  }

  private answerTo({ key, maxAge }: BookCall, begun: Begun | undefined): KeptAnswer | undefined {
    const found = maxAge === 0 ? undefined : this.file.row(answerRow, answerSql, key);
    if (found === undefined) return undefined;
    const { id, run, at, max_age, missing } = found;
    const isNew = begun !== undefined && id > begun.lastAnswer;
    const age = this.ageOf(at, run, isNew ? begun : undefined);
    if (
      (this.options.rules.fresh && !isNew) ||
      age === undefined ||
      age >= Math.min(maxAge, max_age)
    )
      return undefined;
    const body = textIn(found.body);
    // A disk that changed a letter of it has lost the answer.
    return body === undefined ? undefined : { at, missing: missing === 1, body };
  }

  private isNew({ key, maxAge }: BookCall): boolean {
    return maxAge === 0 || this.file.number(knownSql, key, key) === 0;
  }

  private openCalls({ key, maxAge }: BookCall): readonly z.infer<typeof openRow>[] {
    return maxAge === 0 ? [] : this.file.rows(openRow, openSql, key);
  }

  /** Only within a transaction: between two statements a run may settle its call and free its lock, and would pass for dead. */
  private fateOf(call: BookCall, begun: Begun | undefined): Known | undefined {
    if (this.isNew(call)) return undefined;
    const answer = this.answerTo(call, begun);
    if (answer !== undefined) return { answer };
    let lost: Lost | undefined;
    for (const { id, run, at, max_age, outcome } of this.openCalls(call)) {
      if (outcome === 'sent' && this.runs.isAlive(run)) return 'held';
      const age = this.ageOf(
        at,
        run,
        begun !== undefined && id > begun.lastCall ? begun : undefined,
      );
      // Its answer would not have been kept until now; of a time to come, which a wrong clock wrote, nobody knows that.
      if (age !== undefined && age >= Math.min(call.maxAge, max_age)) continue;
      if (outcome === 'sent') this.runs.conclude(run);
      if (lost !== 'billed_lost') lost = outcome === 'billed_lost' ? outcome : 'lost';
    }
    return this.options.rules.retryUnknown ? undefined : lost;
  }

  private takeOne(call: BookCall, begun: Begun, mayBuy: boolean): Taken {
    const fate = this.fateOf(call, begun);
    if (fate !== undefined) return fate;
    if (!mayBuy) return 'capped';
    const at = this.now();
    const over = usesIn(this.file, this.ownerName, this.options.rules.limits, at).find(
      ({ used, limit }) => used >= limit,
    );
    if (over !== undefined) return this.mayBeFreed(over, at) ? { full: over } : { over };
    return { ticket: { call, number: this.add(call, begun, at, 'sent') } };
  }

  private mayBeFreed({ period, limit, used }: BudgetUse, at: number): boolean {
    return (
      used -
        underWayIn(this.file, this.ownerName, daysOf(period, at), (run) => this.runs.isAlive(run)) <
      limit
    );
  }

  private settleOne({ ticket: { call, number }, outcome, answer }: Settled, begun: Begun): void {
    const { key, billing, operation, maxAge } = call;
    // A book that was begun anew since does not know the call.
    if (this.file.run(endSql, outcome, number, key) === 0)
      this.add(call, begun, this.now(), outcome);
    const isAnswered = billing === 'charged' && (outcome === 'billed' || outcome === 'unpriced');
    if (isAnswered || answer !== undefined) this.file.run(settleSql, key, number);
    if (answer === undefined || maxAge === 0) return;
    const { at, missing, body } = answer;
    const bytes = Buffer.byteLength(body);
    const { keepVersions } = this.options.rules;
    if (keepVersions > 1) {
      this.file.run(keepEarlierSql, key);
      this.file.run(dropEarlierSql, key, behind(key), keepVersions - 1);
    }
    this.file.run(dropSql, key);
    this.file.run(
      keepSql,
      begun.run,
      begun.owner,
      key,
      operation,
      at,
      keepVersions > 1 ? never : at + maxAge,
      maxAge,
      missing ? 1 : 0,
      bytes,
      body,
    );
  }

  private expire({ at, lastAnswer }: Pick<Begun, 'at' | 'lastAnswer'>): number {
    const now = this.now();
    return this.file.run(expireSql, now, lastAnswer, now - at, expiredAtOnce);
  }

  /** A run that asked nothing deletes too. */
  private async expireInTime(): Promise<void> {
    const { file } = this;
    const end = performance.now() + expiryMs;
    const begun = this.begun ?? {
      at: this.now(),
      lastAnswer: file.glance(() => file.number(lastAnswerSql)) ?? 0,
    };
    const isDue = () => file.glance(() => file.number(isExpiredSql, this.now())) === 1;
    let deleted = expiredAtOnce;
    let hasTime = true;
    while (deleted === expiredAtOnce && hasTime && isDue()) {
      deleted = await file.transaction(() => this.expire(begun), undefined, { ms: 0 });
      hasTime = performance.now() < end;
    }
  }

  private add(
    { key, maxAge, operation, item, billing }: BookCall,
    begun: Begun,
    at: number,
    outcome: CallOutcome | 'sent',
  ): number {
    return this.file.insert(
      callSql,
      begun.run,
      begun.source,
      key,
      at,
      maxAge,
      outcome,
      operation,
      item ?? null,
      billing,
    );
  }

  /** In milliseconds; undefined for a time to come, unless a living run wrote it. What came `since` this run began is no older than it. */
  private ageOf(at: number, run: number, since: Begun | undefined): number | undefined {
    const age = this.now() - at;
    const isToCome = age < -maxSkew;
    if (since === undefined) return !isToCome ? age : this.runs.isAlive(run) ? 0 : undefined;
    const longest = Math.max(0, this.now() - since.at);
    return isToCome ? longest : Math.min(age, longest);
  }

  private async transaction<T>(
    work: (begun: Begun) => T,
    whenDone?: (result: T) => void,
    stop?: AbortSignal,
  ): Promise<T> {
    const inRun = () => {
      const begun = this.beginning();
      return { begun, result: work(begun) };
    };
    const remember = ({ begun, result }: { readonly begun: Begun; readonly result: T }) => {
      if (this.begun !== begun) this.file.noteFor(this.runs.token);
      this.begun = begun;
      this.file.ownRun = begun.run;
      this.left = undefined;
      whenDone?.(result);
    };
    const { result } = await this.file.transaction(inRun, remember, { stop });
    return result;
  }

  /** Writes this run down where the book does not have it yet; the transaction may still fail, so nothing is remembered here. */
  private beginning(): Begun {
    const { file, begun, options, ownerName } = this;
    if (begun?.renewals === file.renewals) return begun;
    const { owner, profile, command, origin, sandbox, user, host, file: made } = options.facts;
    this.runs.concludeDead();
    const ownerId = file.insert(ownerSql, ownerName, owner.baseUrl, owner.account ?? null);
    const source = file.insert(
      sourceSql,
      ownerId,
      profile,
      command,
      origin,
      sandbox ? 1 : 0,
      user,
      host,
      made,
    );
    const at = this.now();
    const run = this.runs.begin(options.pid, at);
    file.markChange();
    const last = { lastAnswer: file.number(lastAnswerSql), lastCall: file.number(lastCallSql) };
    this.left?.bringInto(file, run, source, ownerId);
    return { run, owner: ownerId, source, at, ...last, renewals: file.renewals };
  }
}

function isDiskFull(error: unknown): boolean {
  const trouble = error instanceof PdiError ? troubleOf(error.details.cause) : undefined;
  return trouble === 'full' || trouble === 'failing';
}
