/** What may be asked, as a model: whatever runs take, settle, lose and forget, in whatever order and under whatever clocks. */

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { Book, BookPlace, RunBook } from '../../src/book/book.ts';
import { openBookFile } from '../../src/book/book-file.ts';
import {
  type BookCall,
  type KeptAnswer,
  type Known,
  keyOf,
  ownerName,
  type Taken,
  type Ticket,
} from '../../src/book/calls.ts';
import { openBook } from '../../src/book/open-book.ts';
import { leaseMs } from '../../src/book/postgres-schema.ts';
import type { BookedCall } from '../../src/book/reports.ts';
import { Runs } from '../../src/book/runs.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import type { CallOutcome } from '../../src/contract/price.ts';
import { amount } from '../campaign/effort.ts';
import { Cluster, madeBook, needsPostgres } from '../support/postgres.ts';
import { newFolder } from '../support/run.ts';
import { bookOptions, facts, noon, settle, ticketOf } from './places.ts';

const hour = 3_600_000;
const operation = 'GET /people/{personId}';

const callOf = (item: string, maxAge = 12 * hour): BookCall => ({
  key: keyOf(ownerName(facts.owner), { operation, item }),
  operation,
  item,
  billing: 'charged',
  maxAge,
});

const wordOf = (taken: Taken): string =>
  typeof taken === 'string' ? taken : (Object.keys(taken)[0] ?? '');

/** The runs of the model: what they ask for, by which rules, and by how many hours their clocks are ahead. */
const kinds = {
  usual: { maxAge: 12 * hour, rules: {}, ahead: 0 },
  strict: { maxAge: hour, rules: {}, ahead: 3 },
  fresh: { maxAge: 12 * hour, rules: { fresh: true }, ahead: -3 },
  retrying: { maxAge: 12 * hour, rules: { retryUnknown: true }, ahead: 0 },
  keepingNothing: { maxAge: 0, rules: {}, ahead: -0.1 },
  keeping: { maxAge: 12 * hour, rules: { keepVersions: 3, fresh: true }, ahead: 0 },
  minutesBehind: { maxAge: 12 * hour, rules: {}, ahead: -0.2 },
} as const;
type Kind = keyof typeof kinds;

/** `kill`: it cannot say that it ends; `stall`: it is not heard of until it takes again. */
type Step = 'take' | 'look' | 'end' | 'restart' | 'kill' | 'stall';
type Event =
  | {
      readonly does: Step;
      readonly run: Kind;
      readonly item: string;
      readonly outcome: CallOutcome;
    }
  | { readonly does: 'wait'; readonly hours: number }
  | { readonly does: 'forget'; readonly item: string }
  /** The service's log tells of what was lost. */
  | { readonly does: 'log'; readonly item: string; readonly has: boolean }
  | { readonly does: 'purge' };

const run = fc.constantFrom<Kind>(
  'usual',
  'strict',
  'fresh',
  'retrying',
  'keepingNothing',
  'keeping',
  'minutesBehind',
);
const item = fc.constantFrom('per_1', 'per_2');
const outcome = fc.constantFrom<CallOutcome>('billed', 'not_billed', 'lost', 'unpriced');
const ofRun = (does: Step) => fc.record({ does: fc.constant(does), run, item, outcome });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: ofRun('take') },
  { weight: 1, arbitrary: ofRun('look') },
  { weight: 5, arbitrary: ofRun('end') },
  { weight: 1, arbitrary: ofRun('restart') },
  { weight: 1, arbitrary: ofRun('kill') },
  { weight: 1, arbitrary: ofRun('stall') },
  // Clocks go on, stand wrong for a while, and are set back.
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      hours: fc.constantFrom(0.1, 0.5, 2, 13, -2, -13, 24 * 29, 24 * 400, -24 * 400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), item }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('log' as const), item, has: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const) }) },
);

interface ModelCall {
  readonly number: number;
  readonly run: Kind;
  readonly begun: ModelRun;
  readonly item: string;
  readonly at: number;
  maxAge: number;
  outcome: BookedCall['outcome'];
}

interface ModelRun {
  readonly began: number;
  readonly lastAnswer: number;
  readonly lastCall: number;
  /** Of all runs. */
  readonly number: number;
  hasSettled?: boolean;
  /** Of a lease. */
  until: number;
  isOver?: boolean;
  isStalled?: boolean;
}

interface ModelAnswer {
  readonly number: number;
  readonly begun: ModelRun;
  readonly at: number;
  readonly maxAge: number;
  readonly stays: boolean;
  readonly answer: KeptAnswer;
}

const limits = { month: 8, day: 6 } as const;
/** The month or the day of a time. */
const periods = {
  month: (at: number) => dayOf(at).slice(0, 7),
  day: (at: number) => dayOf(at),
} as const;

/** It says in plain words what the book says in SQL. */
class Model {
  private now = noon;
  readonly calls: ModelCall[] = [];
  private answers = 0;
  private kept = new Map<string, ModelAnswer>();
  /** The latest first, of each moment one. */
  private readonly earlier = new Map<string, readonly ModelAnswer[]>();
  private readonly runs = new Map<Kind, ModelRun>();
  private readonly all: ModelRun[] = [];

  /** With a lease, the clock of the server is that of all runs. */
  constructor(private readonly leaseMs: number | undefined) {}

  /** Gives the time, and the runs that are heard of then. */
  wait(hours: number): readonly [now: number, beating: readonly number[]] {
    this.now += hours * hour;
    const heard = [...this.runs.values()].filter(({ isStalled }) => isStalled !== true);
    for (const run of heard) this.beat(run);
    return [this.now, heard.map(({ number }) => number)];
  }

  clockOf = (run: Kind): number => this.now + kinds[run].ahead * hour;

  private timeOf(run: Kind): number {
    return this.leaseMs === undefined ? this.clockOf(run) : this.now;
  }

  private beat(run: ModelRun): void {
    const lease = this.leaseMs ?? 0;
    if (run.isOver === true || run.until < this.now + (lease * 2) / 3) run.until = this.now + lease;
    run.isOver = false;
  }

  private isAlive(run: ModelRun): boolean {
    return run.isOver !== true && (this.leaseMs === undefined || run.until > this.now);
  }

  private begin(run: Kind): ModelRun {
    this.bury((one) => !this.isAlive(one));
    const begun = {
      began: this.timeOf(run),
      lastAnswer: this.answers,
      lastCall: this.calls.length,
      number: this.all.length + 1,
      until: this.now + (this.leaseMs ?? 0),
    };
    this.all.push(begun);
    this.runs.set(run, begun);
    return begun;
  }

  /** What these have under way is lost. */
  private bury(isDead: (run: ModelRun) => boolean): void {
    for (const run of this.all.filter(isDead)) run.isOver = true;
    for (const call of this.calls)
      if (call.outcome === 'sent' && call.begun.isOver === true) call.outcome = 'lost';
  }

  /** Whether it came since the run began: with clocks of their own, whatever these say. */
  private isNew({ number, at }: ModelAnswer, begun: ModelRun | undefined): boolean {
    return this.leaseMs === undefined
      ? begun !== undefined && number > begun.lastAnswer
      : at >= (begun?.began ?? this.now);
  }

  /** What the book knows of a question. */
  fate(run: Kind, item: string): Known | undefined {
    const begun = this.runs.get(run);
    const { maxAge, rules } = kinds[run];
    if (maxAge === 0) return undefined;
    const isYoung = (one: { at: number; begun: ModelRun; maxAge: number }, isNew: boolean) =>
      this.ageOf(one, run, isNew ? begun : undefined) < Math.min(one.maxAge, maxAge);
    const kept = this.kept.get(item);
    if (kept !== undefined) {
      const isNew = this.isNew(kept, begun);
      if ((isNew || !('fresh' in rules)) && isYoung(kept, isNew)) return { answer: kept.answer };
    }
    const open = this.calls.filter((call) => call.item === item && call.maxAge > 0);
    const isHeld = (call: ModelCall) => call.outcome === 'sent' && this.isAlive(call.begun);
    if (open.some(isHeld)) return 'held';
    const lost = open.filter(({ outcome }) => isOpen.has(outcome));
    // That a call was lost counts also where a clock that was wrong wrote it down.
    const isOld = (call: ModelCall) => {
      const age = this.ageOf(
        call,
        run,
        begun !== undefined && call.number > begun.lastCall ? begun : undefined,
      );
      return age !== Number.POSITIVE_INFINITY && age >= Math.min(call.maxAge, maxAge);
    };
    const holding = lost.filter((call) => !isOld(call));
    if (holding.length === 0 || 'retryUnknown' in rules) return undefined;
    return holding.some(({ outcome }) => outcome === 'billed_lost') ? 'billed_lost' : 'lost';
  }

  take(run: Kind, item: string): Known | string {
    const now = this.timeOf(run);
    const begun = this.runs.get(run) ?? this.begin(run);
    begun.isStalled = false;
    this.beat(begun);
    const fate = this.fate(run, item);
    if (fate !== undefined) return fate;
    for (const period of ['month', 'day'] as const) {
      const periodOf = periods[period];
      const used = this.calls.filter(
        ({ at, outcome }) => periodOf(at) === periodOf(now) && wordOfCall(outcome) !== 'not_billed',
      );
      if (used.length < limits[period]) continue;
      const isOver = (call: ModelCall) => call.outcome !== 'sent' || !this.isAlive(call.begun);
      return used.filter(isOver).length < limits[period] ? 'full' : 'over';
    }
    this.calls.push({
      number: this.calls.length + 1,
      run,
      begun,
      item,
      at: now,
      maxAge: kinds[run].maxAge,
      outcome: 'sent',
    });
    return 'ticket';
  }

  /** Gives the answer of a call that was billed. */
  end(call: ModelCall, outcome: CallOutcome): KeptAnswer | undefined {
    const { run, begun, item, number } = call;
    const { maxAge } = kinds[run];
    // A run that was taken for dead may be late: another one has bought it meanwhile.
    if (call.outcome === 'sent' || outcome !== 'lost') call.outcome = outcome;
    const isLost = (other: ModelCall) =>
      isOpen.has(other.outcome) && (other.outcome !== 'sent' || !this.isAlive(other.begun));
    if (outcome === 'billed' || outcome === 'unpriced')
      for (const other of this.calls)
        if (other.item === item && isLost(other) && other.number < number)
          other.outcome = other.outcome === 'billed_lost' ? 'billed' : 'settled';
    const at = this.timeOf(run);
    const answer = { at, missing: false, body: `{"n":${number}.10}` };
    if (outcome === 'billed' && maxAge > 0) {
      const { rules } = kinds[run];
      const keepVersions = 'keepVersions' in rules ? rules.keepVersions : 1;
      const stays = keepVersions > 1;
      const [was, others] = [this.kept.get(item), this.earlier.get(item) ?? []];
      const isNew = was !== undefined && others.every((other) => other.at !== was.at);
      const all = [...(isNew ? [was] : []), ...others].sort((a, b) => b.at - a.at);
      if (stays) this.earlier.set(item, all.slice(0, keepVersions - 1));
      this.answers += 1;
      this.kept.set(item, { number: this.answers, begun, at, maxAge, stays, answer });
    }
    if (begun.hasSettled !== true && this.leaseMs === undefined) this.expire(begun, at);
    begun.hasSettled = true;
    return outcome === 'billed' ? answer : undefined;
  }

  /** With the first call that a run settles, and at its end, goes what is past its age; what came since the run began is no older than it. */
  private expire(begun: ModelRun, at: number): void {
    for (const [item, { number, at: from, maxAge, stays }] of this.kept) {
      const isNew = this.leaseMs === undefined && number > begun.lastAnswer;
      const age = isNew ? Math.min(at - from, at - begun.began) : at - from;
      if (age >= maxAge && !stays) this.kept.delete(item);
    }
  }

  restart(run: Kind): void {
    const begun = this.runs.get(run);
    if (begun !== undefined || this.leaseMs === undefined)
      this.expire(begun ?? this.begin(run), this.timeOf(run));
    this.runs.delete(run);
    this.bury((one) => one === begun);
  }

  /** Its calls are held until its lease is over. */
  kill(run: Kind): void {
    this.runs.delete(run);
  }

  stall(run: Kind): void {
    const begun = this.runs.get(run);
    if (begun !== undefined) begun.isStalled = true;
  }

  forget(item: string): void {
    this.kept.delete(item);
    this.earlier.delete(item);
  }

  log(item: string, has: boolean): void {
    this.bury((one) => !this.isAlive(one));
    for (const call of this.calls)
      if (call.item === item && call.outcome === 'lost')
        call.outcome = has ? 'billed_lost' : 'cleared';
  }

  isCleared(item: string): boolean {
    const outcomes = this.calls.flatMap((call) => (call.item === item ? [call.outcome] : []));
    return outcomes.includes('cleared') && !outcomes.some((outcome) => isOpen.has(outcome));
  }

  purge(): void {
    this.kept.clear();
    this.earlier.clear();
    this.bury((one) => !this.isAlive(one));
    for (const call of this.calls)
      if (isOpen.has(call.outcome) && call.outcome !== 'sent') call.maxAge = 0;
  }

  /** The answers that no run has deleted, past their age or not, and their bytes. */
  held(): readonly (readonly [answers: number, bytes: number])[] {
    const held = [...this.kept.values(), ...[...this.earlier.values()].flat()];
    const bodies = held.map(({ answer }) => answer.body);
    return bodies.length === 0 ? [] : [[bodies.length, bodies.join('').length]];
  }

  /** The calls of each day as `pdi spend` counts them. */
  spent(): readonly (readonly [dayAndOutcome: string, calls: number])[] {
    const days = this.calls.map(({ at, outcome }) => `${dayOf(at)} ${wordOfCall(outcome)}`);
    const keys = [...new Set(days)].sort();
    return keys.map((key) => [key, days.filter((day) => day === key).length] as const);
  }

  /** A clock may be a quarter of an hour behind another, or any time where its run lives. What came while a run goes on is no older than it. */
  private ageOf(
    { at, begun }: { readonly at: number; readonly begun: ModelRun },
    run: Kind,
    since: ModelRun | undefined,
  ): number {
    const age = this.timeOf(run) - at;
    const isToCome = age < -15 * 60_000;
    if (since === undefined || this.leaseMs !== undefined)
      return !isToCome ? age : this.isAlive(begun) ? 0 : Number.POSITIVE_INFINITY;
    const most = Math.max(0, this.timeOf(run) - since.began);
    return isToCome ? most : Math.min(age, most);
  }
}

const isOpen: ReadonlySet<string> = new Set(['sent', 'lost', 'billed_lost']);

const words = new Map<string, string>([
  ['sent', 'lost'],
  ['billed_lost', 'billed'],
  ['cleared', 'not_billed'],
]);

/** As `pdi spend` counts it. */
const wordOfCall = (outcome: BookedCall['outcome']): string => words.get(outcome) ?? outcome;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A book that is new, and what a test alone may do with it. */
interface Ground {
  readonly place: Partial<BookPlace>;
  /** Of all calls, in the order in which they were written down. */
  outcomes(): Promise<readonly string[]>;
  /** Sets the server's clock; these runs are heard of. */
  turn?(now: number, beating?: readonly number[]): Promise<unknown>;
}

interface Engine {
  /** For so long a run lives of which nothing is heard; unset, the kernel tells at once that it is dead. */
  readonly leaseMs?: number;
  readonly needs: object;
  readonly trials: number;
  /** Gives what makes a ground anew. */
  start(): Promise<() => Promise<Ground>>;
}

const engines: Readonly<Record<string, Engine>> = {
  SQLite: {
    needs: {},
    trials: 60,
    start: async () => async () => {
      const path = join(newFolder(), 'book.db');
      const outcomes = async () => {
        const file = await openBookFile(bookOptions({ path }));
        const calls = file.rows(
          z.object({ outcome: z.string() }),
          'SELECT outcome FROM call ORDER BY id',
        );
        file.close();
        return calls.map(({ outcome }) => outcome);
      };
      return { place: { path }, outcomes };
    },
  },
  PostgreSQL: {
    leaseMs,
    needs: needsPostgres,
    trials: amount(10, 2000),
    start: async () => {
      const cluster = await Cluster.start();
      const { place, sql, empty } = await madeBook(cluster);
      onTestFinished(() => sql.end().finally(() => cluster.stop()));
      await sql.unsafe(`CREATE TABLE clock (at bigint); INSERT INTO clock VALUES (0);
        CREATE OR REPLACE FUNCTION pdi.ms() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at FROM public.clock'`);
      const turn = (now: number, beating: readonly number[] = []) =>
        sql.unsafe(`UPDATE clock SET at = ${now};
          SELECT pdi.beat(token) FROM pdi.run WHERE id = ANY ('{${beating.join()}}')`);
      const outcomes = async () =>
        (await sql`SELECT outcome FROM pdi.call ORDER BY id`).map(({ outcome }) => outcome);
      return async () => {
        await empty();
        await turn(noon);
        return { place, outcomes, turn };
      };
    },
  },
};

/** Runs over one book, and the model beside it. */
class Trial {
  private readonly model: Model;
  private readonly books = new Map<Kind, { readonly book: Book; readonly ofRun: RunBook }>();

  private readonly tickets: { readonly ticket: Ticket; readonly call: ModelCall }[] = [];

  constructor(
    private readonly ground: Ground,
    private readonly lease: number | undefined,
  ) {
    this.model = new Model(lease);
  }

  async step(event: Event): Promise<void> {
    if (event.does === 'wait') await this.wait(event.hours);
    else if (event.does === 'take') await this.take(event.run, event.item);
    else if (event.does === 'look') await this.look(event.run, event.item);
    else if (event.does === 'end') await this.end(event.run, event.outcome);
    else if (event.does === 'restart') await this.restart(event.run);
    else if (event.does === 'kill') await this.kill(event.run);
    else if (event.does === 'stall') this.model.stall(event.run);
    else if (event.does === 'forget') await this.forget(event.item);
    else if (event.does === 'log') await this.log(event.item, event.has);
    else await this.purge();
  }

  /** Every call has the outcome of the model's, and `pdi spend` counts it on its own day, as `pdi store` does all answers. */
  async compare(): Promise<void> {
    const outcomes = this.model.calls.map(({ outcome }) => outcome);
    expect(await this.ground.outcomes()).toEqual(outcomes);
    const days = await this.asking((reports) => reports.spend({ by: ['day'], sandbox: false }));
    const spent = days.flatMap(({ day = '', ...counts }) =>
      Object.entries(counts).map(([outcome, count]) => [`${day} ${outcome}`, count] as const),
    );
    expect(spent.filter(([, count]) => count !== 0).sort()).toEqual(this.model.spent());
    // Also what is past its age.
    await this.ground.turn?.(0);
    const kept = await this.asking((reports) => reports.keptAnswers(0));
    expect(kept.map(({ answers, bytes }) => [answers, bytes])).toEqual(this.model.held());
  }

  async close(): Promise<void> {
    for (const run of [...this.books.keys()]) await this.closeRun(run);
  }

  private async closeRun(run: Kind): Promise<void> {
    const { book, ofRun } = this.books.get(run) ?? {};
    await ofRun?.close();
    await book?.close();
    this.forgetRun(run);
  }

  private forgetRun(run: Kind): void {
    this.books.delete(run);
    for (const one of this.tickets.filter(({ call }) => call.run === run))
      this.tickets.splice(this.tickets.indexOf(one), 1);
  }

  private async wait(hours: number): Promise<void> {
    const [now, beating] = this.model.wait(hours);
    await this.ground.turn?.(now, beating);
  }

  private async asking<T>(work: (reports: Book['reports']) => Promise<T>): Promise<T> {
    const book = await openBook(bookOptions(this.ground.place));
    return work(book.reports).finally(() => book.close());
  }

  private async book(run: Kind): Promise<RunBook> {
    const known = this.books.get(run);
    if (known !== undefined) return known.ofRun;
    const rules = { ...kinds[run].rules, limits };
    const clock = () => this.model.clockOf(run);
    const options = bookOptions({ ...this.ground.place, clock, rules });
    const book = await openBook(options);
    const ofRun = book.ofRun(options);
    this.books.set(run, { book, ofRun });
    return ofRun;
  }

  private async take(run: Kind, item: string): Promise<void> {
    const expected = this.model.take(run, item);
    const taken = await (await this.book(run)).take(callOf(item, kinds[run].maxAge));
    expect(typeof expected === 'string' ? wordOf(taken) : taken).toEqual(expected);
    const call = this.model.calls.at(-1);
    if (typeof taken === 'object' && 'ticket' in taken && call !== undefined)
      this.tickets.push({ ticket: taken.ticket, call });
  }

  private async look(run: Kind, item: string): Promise<void> {
    const fate = this.model.fate(run, item);
    const known = await (await this.book(run)).find(callOf(item, kinds[run].maxAge));
    expect(known).toEqual(fate === 'held' ? undefined : fate);
    expect(await (await this.book(run)).isCleared(callOf(item))).toBe(this.model.isCleared(item));
  }

  private async log(item: string, has: boolean): Promise<void> {
    this.model.log(item, has);
    const after = has ? 'billed_lost' : 'cleared';
    await this.asking(async (reports) => {
      const calls = await reports.calls(facts.owner, 0, Number.MAX_SAFE_INTEGER);
      const lost = calls.filter((call) => call.item === item && call.outcome === 'lost');
      await reports.settleByLog(
        facts.owner,
        lost.map((call) => ({ ...call, after })),
      );
    });
  }

  private async end(run: Kind, outcome: CallOutcome): Promise<void> {
    const at = this.tickets.findIndex(({ call }) => call.run === run);
    const [taken] = at === -1 ? [] : this.tickets.splice(at, 1);
    if (taken === undefined) return;
    const answer = this.model.end(taken.call, outcome);
    await (await this.book(run)).settle({ ticket: taken.ticket, outcome, answer });
  }

  private async restart(run: Kind): Promise<void> {
    if (!this.books.has(run)) return;
    this.model.restart(run);
    await this.closeRun(run);
  }

  /** Nothing tells a server that a machine is gone. */
  private async kill(run: Kind): Promise<void> {
    if (this.lease === undefined) return this.restart(run);
    this.model.kill(run);
    await this.books.get(run)?.book.close();
    this.forgetRun(run);
  }

  private async forget(item: string): Promise<void> {
    this.model.forget(item);
    await this.asking((reports) => reports.forget(item, [{ operation, item }]));
  }

  private async purge(): Promise<void> {
    this.model.purge();
    await this.asking((reports) => reports.purgeAll());
  }
}

const wait = (hours: number): Event => ({ does: 'wait', hours });
const step =
  (does: Step) =>
  (run: Kind, outcome: CallOutcome = 'billed', item = 'per_1'): Event => ({
    does,
    run,
    item,
    outcome,
  });
const [take, look, end, restart] = [step('take'), step('look'), step('end'), step('restart')];
const [kill, stall] = [step('kill'), step('stall')];
const log = (has: boolean): Event => ({ does: 'log', item: 'per_1', has });

const six = Array.from({ length: 6 }, () => take('keepingNothing'));

const again = (...hours: readonly number[]): readonly Event[] =>
  hours.flatMap((passed) => [take('keeping'), end('keeping'), restart('keeping'), wait(passed)]);

/** What chance seldom brings together. */
const stories: readonly (readonly Event[])[] = [
  // An answer from a clock that was 400 days ahead is taken only while its run goes on.
  [
    wait(9600),
    take('usual'),
    end('usual'),
    wait(-9600),
    take('strict'),
    restart('usual'),
    take('retrying'),
  ],
  [
    wait(9600),
    take('usual'),
    end('usual', 'lost'),
    wait(-9600),
    restart('usual'),
    take('strict'),
    take('retrying'),
  ],
  // What another run bought meanwhile is taken, though their clocks differ by hours, unless the run is older than the answer may be.
  [take('fresh'), take('strict'), end('fresh'), take('strict')],
  [take('fresh', 'billed', 'per_2'), wait(2), take('strict'), end('strict'), take('fresh')],
  [
    take('strict', 'billed', 'per_2'),
    take('fresh'),
    end('fresh'),
    wait(6.5),
    end('strict'),
    take('usual'),
  ],
  // An answer has the age that its buyer gave it, and so has the word that it was lost.
  [take('strict'), end('strict'), restart('strict'), wait(4.5), look('usual'), take('usual')],
  [take('strict'), end('strict', 'lost'), restart('strict'), wait(4.5), take('usual')],
  [take('usual'), end('usual', 'lost'), wait(2), take('strict')],
  // --fresh passes over what was there before.
  [take('usual'), end('usual'), take('fresh'), look('usual'), end('fresh'), take('fresh')],
  // Whoever keeps nothing takes nothing, also where its clock is some minutes behind.
  [take('usual'), end('usual'), look('keepingNothing')],
  // A lost call is settled by a later one alone, and on its own day.
  [take('usual'), end('usual', 'lost'), wait(13), take('retrying'), end('retrying')],
  [take('keepingNothing'), take('usual'), end('usual', 'lost'), end('keepingNothing')],
  // A clock may be some minutes behind that of a run which has ended.
  [take('usual'), end('usual'), restart('usual'), take('minutesBehind')],
  // The last answers stay past their age, of one moment one; the earlier ones are never taken, and are forgotten too.
  [...again(13, 13, 13, 13), take('usual', 'billed', 'per_2'), end('usual')],
  again(0, 0, 0, 13),
  [...again(13, 13), { does: 'forget', item: 'per_1' }],
  [...again(13, 13), take('usual'), end('usual'), wait(13), restart('usual'), take('usual')],
  // What the log has stays unasked, and was billed once it is bought again; what it lacks is asked.
  [
    take('usual'),
    end('usual', 'lost'),
    log(true),
    take('usual'),
    take('retrying'),
    end('retrying'),
  ],
  [take('usual'), end('usual', 'lost'), log(false), look('usual'), take('strict'), look('usual')],
  [take('usual'), kill('usual'), wait(0.1), log(false), take('strict'), end('strict')],
  [take('usual'), stall('usual'), wait(0.5), log(false), end('usual'), take('strict')],
  [take('usual'), end('usual', 'lost'), log(true), { does: 'purge' }, take('usual'), log(false)],
  // What a killed run was buying is lost, and settled by whoever buys it again.
  [take('retrying', 'billed', 'per_2'), take('usual'), kill('usual'), take('strict'), wait(0.1)],
  [
    take('retrying', 'billed', 'per_2'),
    take('usual'),
    kill('usual'),
    wait(0.1),
    take('retrying'),
    end('retrying', 'billed', 'per_2'),
    end('retrying'),
    take('strict'),
  ],
  // What a run settles counts though it was taken for dead, also after another one bought it.
  [take('usual'), stall('usual'), wait(0.5), take('strict'), end('usual'), take('strict')],
  [
    take('usual'),
    stall('usual'),
    wait(0.5),
    take('retrying'),
    end('retrying'),
    end('usual', 'unpriced'),
  ],
  [
    take('usual'),
    stall('usual'),
    wait(0.5),
    take('retrying'),
    end('retrying'),
    end('usual', 'lost'),
  ],
  // What was not billed costs nothing of a budget. The 31st is a day of its month.
  [take('keepingNothing'), end('keepingNothing', 'not_billed'), ...six],
  [wait(28 * 24), ...six, wait(24), ...six],
];

for (const [name, { leaseMs: lease, needs, trials, start }] of Object.entries(engines)) {
  const options = { ...needs, timeout: 1_800_000 };
  it(`take and settle are those of the model in ${name}, whatever happens`, options, async () => {
    const newGround = await start();
    const lived = async (events: readonly Event[]) => {
      const trial = new Trial(await newGround(), lease);
      try {
        for (const one of events) await trial.step(one);
        await trial.compare();
      } finally {
        await trial.close();
      }
    };
    const examples = stories.map((story): [Event[]] => [[...story]]);
    await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 40 }), lived), {
      numRuns: trials + stories.length,
      examples,
    });
  });
}

it('what a run left that was killed before it was written down goes with the next run, and what a living one has stays', async () => {
  const options = bookOptions();
  const folder = dirname(options.path);
  const file = await openBookFile(options);
  const alone = readdirSync(folder);
  const unwritten = async () => {
    const runs = new Runs(file);
    const rolledBack = file.transaction(() => {
      runs.begin(1, noon);
      throw new Error('the end');
    });
    await expect(rolledBack).rejects.toThrow('the end');
    return runs;
  };
  const killed = await unwritten();
  const left = readdirSync(folder).filter((name) => !alone.includes(name));
  expect(left).toHaveLength(1);
  killed.release();
  for (const name of left) writeFileSync(join(folder, name), '');
  const living = await unwritten();
  const book = new SqliteRun(file, options);
  await settle(book, ticketOf(await book.take(callOf('per_1'))));
  await book.close();
  expect(readdirSync(folder)).toHaveLength(alone.length + 1);
  living.release();
  const after = readdirSync(folder);
  file.close();
  expect(after).toEqual(alone);
});
