/**
 * Takes and settles calls, each within a transaction: what is answered is not asked again, what may have been billed is not sent again,
 * what another run is asking is waited for, and what a budget does not allow is not sent.
 */
import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Billing } from '../contract/endpoint.ts';
import type { BookFile } from './book-file.ts';
import { type BudgetUse, budgetUses, daysOf, type Limits } from './budget.ts';
import type { Runs } from './runs.ts';
import { bytesOf, dayOfCall, storedBytes, storedText, textIn } from './schema.ts';

/** Calls and answers belong to an account at a base URL. */
export interface Owner {
  /** It is in its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** It is the setting `account`. Where it is unset, the key is the account. */
  readonly account?: string | undefined;
  readonly key: string;
}

/** Names an account in the book by a quarter of a hash, which does not lead back to the key. */
export function ownerName({ baseUrl, account, key }: Owner): string {
  const named = JSON.stringify(account === undefined ? { baseUrl, key } : { baseUrl, account });
  return hash('sha256', named).slice(0, 16);
}

/** `lost`: no answer came, and it may have been billed. `unpriced`: the document states no price, as for a 404 or other operations. */
export type CallOutcome = 'billed' | 'not_billed' | 'lost' | 'unpriced';

/** A call that is about to be made, in the words of the book. */
export interface BookCall {
  /** Calls with the same key ask the same. */
  readonly key: string;
  /** It is the endpoint, such as `GET /people/{personId}`. */
  readonly operation: string;
  /** It is the service's identifier, or the hash of a free text. */
  readonly item: string | undefined;
  readonly billing: Exclude<Billing, 'free'>;
  /** Its answer is kept for so many milliseconds; 0: neither kept nor taken. */
  readonly maxAge: number;
}

export interface TakeRules {
  /** Only what was bought since this run began is taken. */
  readonly fresh: boolean;
  /** What was lost is sent again. */
  readonly retryUnknown: boolean;
  readonly limits: Limits;
}

/** The body's own text, or the words of a 404. */
export interface KeptAnswer {
  readonly at: number;
  readonly item: string;
  readonly missing: boolean;
  readonly body: string;
}

/** The right to make one call. Whoever has it settles it. */
export interface Ticket {
  readonly call: BookCall;
  readonly number: number;
  readonly begun: Begun;
}

/** `lost`: an earlier call may have been billed. `held`: another run is asking it. */
type Known = { readonly answer: KeptAnswer } | 'lost' | 'held';

/**
 * `full`: calls under way use up the budget, unless some of them turn out not to be billed. `over`: the budget is used up. `capped`: this
 * run may make no more calls.
 */
export type Taken = Known | { readonly ticket: Ticket } | { readonly over: BudgetUse } | { readonly full: BudgetUse } | 'capped';

/** What the calls of a run have in common. */
export interface Begun {
  readonly run: number;
  readonly source: number;
  readonly owner: number;
  readonly ownerName: string;
  readonly at: number;
  /** What has a higher number came while this run goes on, whatever the clocks say. */
  readonly lastAnswer: number;
  readonly lastCall: number;
  /** It counts how often the book was begun anew under this run. */
  readonly renewals: number;
}

export interface Settled {
  readonly ticket: Ticket;
  readonly outcome: CallOutcome;
  /** It is kept for the next who asks. */
  readonly answer?: KeptAnswer | undefined;
}

/** Clocks of two machines that use one book may differ by so much. */
const maxSkew = 15 * 60_000;

const answerRow = z.object({
  id: z.number(),
  run: z.number(),
  item: storedText,
  at: z.number(),
  until: z.number(),
  missing: z.number(),
  body: storedBytes,
});
const openRow = z.object({ id: z.number(), run: z.number(), at: z.number(), max_age: z.number(), outcome: storedText });
const sentRow = z.object({ run: z.number(), calls: z.number() });

const answerSql = `SELECT id, run, ${bytesOf('item')}, at, until, missing, ${bytesOf('body')} FROM answer WHERE key = ?`;
const openSql = `SELECT id, run, at, max_age, ${bytesOf('outcome')} FROM call WHERE key = ? AND call.outcome IN ('sent', 'lost') AND max_age > 0
  ORDER BY id`;

/** A partial index is used where its own condition stands in the question, word for word. */
const settleSql = "UPDATE call SET outcome = 'settled' WHERE key = ? AND outcome IN ('sent', 'lost') AND outcome = 'lost' AND id < ?";

/** What is asked for alike has this name in the book. `within` is the run where the same words mean something else in another. */
export const keyOf = (owner: string, { operation, item }: { readonly operation: string; readonly item: string }, within = ''): string =>
  hash('sha256', `${owner}\n${operation}\n${item}\n${within}`, 'base64url').slice(0, 16);

/** This is enough to recognise what one already knows. */
export const hashOf = (text: string): string => `sha256:${hash('sha256', text).slice(0, 16)}`;

export class Calls {
  constructor(
    private readonly file: BookFile,
    private readonly runs: Runs,
    private readonly rules: TakeRules,
    private readonly clock: () => number,
  ) {}

  /** Gives a kept answer. It changes nothing, and one statement tells it. */
  kept({ key, maxAge }: BookCall, begun: Begun | undefined): KeptAnswer | undefined {
    const found = maxAge === 0 ? undefined : this.file.row(answerRow, answerSql, key);
    if (found === undefined) return undefined;
    const { id, run, item, at, until, missing } = found;
    const isNew = begun !== undefined && id > begun.lastAnswer;
    const age = this.ageOf(at, run, isNew ? begun : undefined);
    if ((this.rules.fresh && !isNew) || age === undefined || age >= Math.min(maxAge, until - at)) return undefined;
    const body = textIn(found.body);
    // A disk that changed a letter of it has lost the answer.
    return body === undefined ? undefined : { at, item, missing: missing === 1, body };
  }

  /** Tells whether a call of the question has no answer, whatever has become of it. */
  isOpen(call: BookCall): boolean {
    return this.openOf(call).length > 0;
  }

  /**
   * Tells what has become of a question, within a transaction alone: a run settles its call in the book and then frees its lock outside of
   * it, so that between two statements a run may do both, and be taken for one that died before its answer.
   */
  known(call: BookCall, begun: Begun | undefined): Known | undefined {
    const answer = this.kept(call, begun);
    if (answer !== undefined) return { answer };
    let isLost = false;
    for (const { id, run, at, max_age, outcome } of this.openOf(call)) {
      if (outcome === 'sent' && this.runs.isAlive(run)) return 'held';
      const age = this.ageOf(at, run, begun !== undefined && id > begun.lastCall ? begun : undefined);
      // Its answer would not have been kept until now.
      if (age === undefined || age >= Math.min(call.maxAge, max_age)) continue;
      if (outcome === 'sent') this.runs.conclude(run);
      isLost = true;
    }
    return isLost && !this.rules.retryUnknown ? 'lost' : undefined;
  }

  take(call: BookCall, begun: Begun, mayBuy: boolean): Taken {
    const known = this.known(call, begun);
    if (known !== undefined) return known;
    if (!mayBuy) return 'capped';
    const at = this.clock();
    const over = budgetUses(this.file, begun.ownerName, this.rules.limits, at).find(({ used, limit }) => used >= limit);
    if (over !== undefined) return this.mayBeFreed(over, begun.owner, at) ? { full: over } : { over };
    return { ticket: { call, number: this.add(call, begun, at, 'sent'), begun } };
  }

  settle({ ticket: { call, number, begun: before }, outcome, answer }: Settled, begun: Begun): void {
    // A book that was begun anew since does not know the call.
    if (before.renewals !== begun.renewals) this.add(call, begun, this.clock(), outcome);
    else this.file.run('UPDATE call SET outcome = ? WHERE id = ?', outcome, number);
    const isAnswered = call.billing === 'charged' && (outcome === 'billed' || outcome === 'unpriced');
    if (isAnswered || answer !== undefined) this.file.run(settleSql, call.key, number);
    if (answer !== undefined && call.maxAge > 0) this.keep(call, answer, begun);
  }

  /** Deletes some of what is past its age, so that no run has much to do. */
  expire(most: number): void {
    this.file.run('DELETE FROM answer WHERE id IN (SELECT id FROM answer WHERE until <= ? LIMIT ?)', this.clock(), most);
  }

  private add({ key, maxAge, operation, item, billing }: BookCall, begun: Begun, at: number, outcome: CallOutcome | 'sent'): number {
    const sql = 'INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
    return this.file.insert(sql, begun.run, begun.source, key, at, maxAge, outcome, operation, item ?? null, billing);
  }

  /** Calls without an answer: another run may be making one, or its answer was lost. */
  private openOf({ key, maxAge }: BookCall): readonly z.infer<typeof openRow>[] {
    return maxAge === 0 ? [] : this.file.rows(openRow, openSql, key);
  }

  /**
   * Undefined for a time to come: a clock was wrong. What came while this run goes on is no older than the run; and of a run that lives,
   * only the clock is another.
   */
  private ageOf(at: number, run: number, since: Begun | undefined): number | undefined {
    const age = this.clock() - at;
    const isToCome = age < -maxSkew;
    if (since === undefined) return !isToCome ? age : this.runs.isAlive(run) ? 0 : undefined;
    const longest = Math.max(0, this.clock() - since.at);
    return isToCome ? longest : Math.min(age, longest);
  }

  /** A call under way may turn out not to be billed. */
  private mayBeFreed({ period, limit, used }: BudgetUse, owner: number, at: number): boolean {
    const sql = `SELECT run, count(*) AS calls FROM call JOIN source ON source.id = call.source
      WHERE outcome = 'sent' AND owner = ? AND ${dayOfCall('call')} BETWEEN ? AND ? GROUP BY run`;
    const sent = this.file.rows(sentRow, sql, owner, ...daysOf(period, at));
    const underWay = sent.filter(({ run }) => this.runs.isAlive(run)).reduce((sum, { calls }) => sum + calls, 0);
    return used - underWay < limit;
  }

  private keep({ key, operation, maxAge }: BookCall, { at, item, missing, body }: KeptAnswer, { run, owner }: Begun): void {
    const sql = `INSERT OR REPLACE INTO answer (key, run, owner, operation, item, at, until, missing, bytes, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    this.file.run(sql, key, run, owner, operation, item, at, at + maxAge, missing ? 1 : 0, Buffer.byteLength(body), body);
  }
}
