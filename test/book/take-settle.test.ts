/** What may be asked, as a model: whatever runs take, settle, lose and forget, in whatever order and under whatever clocks. */

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Book, RunBook } from '../../src/book/book.ts';
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
import { Runs } from '../../src/book/runs.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import type { CallOutcome } from '../../src/contract/price.ts';
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
  minutesBehind: { maxAge: 12 * hour, rules: {}, ahead: -0.2 },
} as const;
type Kind = keyof typeof kinds;

type Event =
  | {
      readonly does: 'take' | 'look' | 'end' | 'restart';
      readonly run: Kind;
      readonly item: string;
      readonly outcome: CallOutcome;
    }
  | { readonly does: 'wait'; readonly hours: number }
  | { readonly does: 'forget'; readonly item: string }
  | { readonly does: 'purge' };

const run = fc.constantFrom<Kind>(
  'usual',
  'strict',
  'fresh',
  'retrying',
  'keepingNothing',
  'minutesBehind',
);
const item = fc.constantFrom('per_1', 'per_2');
const outcome = fc.constantFrom<CallOutcome>('billed', 'not_billed', 'lost', 'unpriced');
const ofRun = (does: 'take' | 'look' | 'end' | 'restart') =>
  fc.record({ does: fc.constant(does), run, item, outcome });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: ofRun('take') },
  { weight: 1, arbitrary: ofRun('look') },
  { weight: 5, arbitrary: ofRun('end') },
  { weight: 1, arbitrary: ofRun('restart') },
  // Clocks go on, stand wrong for a while, and are set back.
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      hours: fc.constantFrom(0.1, 0.5, 2, 13, -2, -13, 24 * 29, 24 * 400, -24 * 400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), item }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const) }) },
);

interface ModelCall {
  readonly number: number;
  readonly run: Kind;
  readonly begun: ModelRun;
  readonly item: string;
  readonly at: number;
  maxAge: number;
  outcome: CallOutcome | 'sent' | 'settled';
}

interface ModelRun {
  readonly began: number;
  readonly lastAnswer: number;
  readonly lastCall: number;
  hasSettled?: boolean;
}

interface ModelAnswer {
  readonly number: number;
  readonly begun: ModelRun;
  readonly at: number;
  readonly maxAge: number;
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
  private readonly runs = new Map<Kind, ModelRun>();

  wait(hours: number): void {
    this.now += hours * hour;
  }

  timeOf = (run: Kind): number => this.now + kinds[run].ahead * hour;

  /** What the book knows of a question. */
  fate(run: Kind, item: string): Known | undefined {
    const begun = this.runs.get(run);
    const { maxAge, rules } = kinds[run];
    if (maxAge === 0) return undefined;
    const isYoung = (one: { at: number; begun: ModelRun; maxAge: number }, isNew: boolean) =>
      this.ageOf(one, run, isNew ? begun : undefined) < Math.min(one.maxAge, maxAge);
    const kept = this.kept.get(item);
    if (kept !== undefined) {
      const isNew = begun !== undefined && kept.number > begun.lastAnswer;
      if ((isNew || !('fresh' in rules)) && isYoung(kept, isNew)) return { answer: kept.answer };
    }
    const open = this.calls.filter((call) => call.item === item && call.maxAge > 0);
    if (open.some((call) => call.outcome === 'sent')) return 'held';
    const lost = open.filter((call) => call.outcome === 'lost');
    // That a call was lost counts also where a clock that was wrong wrote it down.
    const isOld = (call: ModelCall) => {
      const age = this.ageOf(
        call,
        run,
        begun !== undefined && call.number > begun.lastCall ? begun : undefined,
      );
      return age !== Number.POSITIVE_INFINITY && age >= Math.min(call.maxAge, maxAge);
    };
    const holds = !lost.every(isOld);
    return holds && !('retryUnknown' in rules) ? 'lost' : undefined;
  }

  take(run: Kind, item: string): Known | string {
    const now = this.timeOf(run);
    const begun = this.runs.get(run) ?? {
      began: now,
      lastAnswer: this.answers,
      lastCall: this.calls.length,
    };
    this.runs.set(run, begun);
    const fate = this.fate(run, item);
    if (fate !== undefined) return fate;
    for (const period of ['month', 'day'] as const) {
      const periodOf = periods[period];
      const used = this.calls.filter(
        ({ at, outcome }) => periodOf(at) === periodOf(now) && outcome !== 'not_billed',
      );
      if (used.length < limits[period]) continue;
      return used.filter(({ outcome }) => outcome !== 'sent').length < limits[period]
        ? 'full'
        : 'over';
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
    const { run, begun, item, maxAge, number } = call;
    call.outcome = outcome;
    if (outcome === 'billed' || outcome === 'unpriced')
      for (const other of this.calls)
        if (other.item === item && other.outcome === 'lost' && other.number < number)
          other.outcome = 'settled';
    const at = this.timeOf(run);
    const answer = { at, missing: false, body: `{"n":${number}.10}` };
    if (outcome === 'billed' && maxAge > 0) {
      this.answers += 1;
      this.kept.set(item, { number: this.answers, begun, at, maxAge, answer });
    }
    if (begun.hasSettled !== true) this.expire(begun, at);
    begun.hasSettled = true;
    return outcome === 'billed' ? answer : undefined;
  }

  /** With the first call that a run settles, and at its end, goes what is past its age; what came since the run began is no older than it. */
  private expire(begun: ModelRun, at: number): void {
    for (const [item, { number, at: from, maxAge }] of this.kept) {
      const age = number > begun.lastAnswer ? Math.min(at - from, at - begun.began) : at - from;
      if (age >= maxAge) this.kept.delete(item);
    }
  }

  restart(run: Kind): void {
    this.expire(
      this.runs.get(run) ?? { began: this.timeOf(run), lastAnswer: this.answers, lastCall: 0 },
      this.timeOf(run),
    );
    for (const call of this.calls)
      if (call.run === run && call.outcome === 'sent') call.outcome = 'lost';
    this.runs.delete(run);
  }

  forget(item: string): void {
    this.kept.delete(item);
  }

  purge(): void {
    this.kept.clear();
    for (const call of this.calls) if (call.outcome === 'lost') call.maxAge = 0;
  }

  /** The answers that no run has deleted, past their age or not, and their bytes. */
  held(): readonly (readonly [answers: number, bytes: number])[] {
    const bodies = [...this.kept.values()].map(({ answer }) => answer.body);
    return bodies.length === 0 ? [] : [[bodies.length, bodies.join('').length]];
  }

  /** The calls of each day as `pdi spend` counts them. */
  spent(): readonly (readonly [dayAndOutcome: string, calls: number])[] {
    const days = this.calls.map(
      ({ at, outcome }) => `${dayOf(at)} ${outcome === 'sent' ? 'lost' : outcome}`,
    );
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
    if (since === undefined && isToCome)
      return [...this.runs.values()].includes(begun) ? 0 : Number.POSITIVE_INFINITY;
    if (since === undefined) return age;
    const most = Math.max(0, this.timeOf(run) - since.began);
    return isToCome ? most : Math.min(age, most);
  }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface Engine {
  /** Where there is no book yet. */
  newPath(): string;
  /** Of all calls, in the order in which they were written down. */
  outcomes(path: string): Promise<readonly string[]>;
}

const engines: Readonly<Record<string, Engine>> = {
  SQLite: {
    newPath: () => join(newFolder(), 'book.db'),
    outcomes: async (path) => {
      const file = await openBookFile(bookOptions({ path }));
      const calls = file.rows(
        z.object({ outcome: z.string() }),
        'SELECT outcome FROM call ORDER BY id',
      );
      file.close();
      return calls.map(({ outcome }) => outcome);
    },
  },
};

/** Runs over one book, and the model beside it. */
class Trial {
  private readonly model = new Model();
  private readonly path: string;
  private readonly books = new Map<Kind, { readonly book: Book; readonly ofRun: RunBook }>();

  private readonly tickets: { readonly ticket: Ticket; readonly call: ModelCall }[] = [];

  constructor(private readonly engine: Engine) {
    this.path = engine.newPath();
  }

  async step(event: Event): Promise<void> {
    if (event.does === 'wait') this.model.wait(event.hours);
    else if (event.does === 'take') await this.take(event.run, event.item);
    else if (event.does === 'look') await this.look(event.run, event.item);
    else if (event.does === 'end') await this.end(event.run, event.outcome);
    else if (event.does === 'restart') await this.restart(event.run);
    else if (event.does === 'forget') await this.forget(event.item);
    else await this.purge();
  }

  /** Every call has the outcome of the model's, and `pdi spend` counts it on its own day, as `pdi store` does all answers. */
  async compare(): Promise<void> {
    const outcomes = this.model.calls.map(({ outcome }) => outcome);
    expect(await this.engine.outcomes(this.path)).toEqual(outcomes);
    const days = await this.asking((reports) => reports.spend({ by: ['day'], sandbox: false }));
    const spent = days.flatMap(({ day = '', ...counts }) =>
      Object.entries(counts).map(([outcome, count]) => [`${day} ${outcome}`, count] as const),
    );
    expect(spent.filter(([, count]) => count !== 0).sort()).toEqual(this.model.spent());
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
    this.books.delete(run);
  }

  private async asking<T>(work: (reports: Book['reports']) => Promise<T>): Promise<T> {
    const book = await openBook(bookOptions({ path: this.path }));
    return work(book.reports).finally(() => book.close());
  }

  private async book(run: Kind): Promise<RunBook> {
    const known = this.books.get(run);
    if (known !== undefined) return known.ofRun;
    const rules = { ...kinds[run].rules, limits };
    const options = bookOptions({ path: this.path, clock: () => this.model.timeOf(run), rules });
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
    const known = await (await this.book(run)).known(callOf(item, kinds[run].maxAge));
    expect(known).toEqual(fate === 'held' ? undefined : fate);
  }

  private async end(run: Kind, outcome: CallOutcome): Promise<void> {
    const at = this.tickets.findIndex(({ call }) => call.run === run && call.outcome === 'sent');
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
  (does: 'take' | 'look' | 'end' | 'restart') =>
  (run: Kind, outcome: CallOutcome = 'billed', item = 'per_1'): Event => ({
    does,
    run,
    item,
    outcome,
  });
const [take, look, end, restart] = [step('take'), step('look'), step('end'), step('restart')];

const six = Array.from({ length: 6 }, () => take('keepingNothing'));

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
  // The 31st is a day of its month.
  [wait(28 * 24), ...six, wait(24), ...six],
];

it.each(Object.entries(engines))(
  'take and settle are those of the model in %s, whatever happens',
  (_name, engine) =>
    fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const trial = new Trial(engine);
        try {
          for (const one of events) await trial.step(one);
          await trial.compare();
        } finally {
          await trial.close();
        }
      }),
      { numRuns: 60 + stories.length, examples: stories.map((story) => [[...story]]) },
    ),
);

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
