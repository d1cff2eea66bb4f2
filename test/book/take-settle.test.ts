/** What may be asked, as a model: whatever runs take, settle, lose and forget, in whatever order and under whatever clocks. */
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Book } from '../../src/book/book.ts';
import { openBookFile } from '../../src/book/book-file.ts';
import { type BookCall, type CallOutcome, keyOf, ownerName, type Taken, type Ticket } from '../../src/book/calls.ts';
import { forgetAnswers, purgeAll, spendReport } from '../../src/book/reports.ts';
import { Runs } from '../../src/book/runs.ts';
import { bookOf, bookOptions, facts, newFolder, noon, settle, ticketOf } from './places.ts';

const hour = 3_600_000;
const operation = 'GET /people/{personId}';

const callOf = (item: string, maxAge = 12 * hour): BookCall => ({
  key: keyOf(ownerName(facts.owner), { operation, item }),
  operation,
  item,
  billing: 'charged',
  maxAge,
});

const wordOf = (taken: Taken): string => (typeof taken === 'string' ? taken : (Object.keys(taken)[0] ?? ''));

/** The runs of the model: what they ask for, and by which rules. */
const kinds = {
  usual: { maxAge: 12 * hour, rules: {} },
  strict: { maxAge: hour, rules: {} },
  fresh: { maxAge: 12 * hour, rules: { fresh: true } },
  retrying: { maxAge: 12 * hour, rules: { retryUnknown: true } },
  keepingNothing: { maxAge: 0, rules: {} },
} as const;
type Kind = keyof typeof kinds;

type Event =
  | { readonly does: 'take' | 'end' | 'restart'; readonly run: Kind; readonly item: string; readonly outcome: CallOutcome }
  | { readonly does: 'wait'; readonly hours: number }
  | { readonly does: 'forget'; readonly item: string }
  | { readonly does: 'purge' };

const run = fc.constantFrom<Kind>('usual', 'strict', 'fresh', 'retrying', 'keepingNothing');
const item = fc.constantFrom('per_1', 'per_2');
const outcome = fc.constantFrom<CallOutcome>('billed', 'not_billed', 'lost', 'unpriced');
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('take' as const), run, item, outcome }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('end' as const), run, item, outcome }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const), run, item, outcome }) },
  // Clocks go on, stand wrong for a while, and are set back.
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('wait' as const), hours: fc.constantFrom(0.1, 0.5, 2, 13, -2, -13, 24 * 400, -24 * 400) }),
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

const limit = 6;

/** It says in plain words what the book says in SQL. */
class Model {
  now = noon;
  readonly calls: ModelCall[] = [];
  private answers = 0;
  private kept = new Map<string, { readonly number: number; readonly begun: ModelRun; readonly at: number; readonly maxAge: number }>();
  readonly runs = new Map<Kind, ModelRun>();

  begin(run: Kind): ModelRun {
    const begun = this.runs.get(run) ?? { began: this.now, lastAnswer: this.answers, lastCall: this.calls.length };
    this.runs.set(run, begun);
    return begun;
  }

  take(run: Kind, item: string): string {
    const begun = this.begin(run);
    const { maxAge, rules } = kinds[run];
    const kept = this.kept.get(item);
    if (maxAge > 0 && kept !== undefined) {
      const isNew = kept.number > begun.lastAnswer;
      const isTaken = isNew || !('fresh' in rules);
      if (isTaken && this.isYoung(kept, Math.min(kept.maxAge, maxAge), isNew ? begun : undefined)) return 'answer';
    }
    const open = this.calls.filter((call) => maxAge > 0 && call.item === item && call.maxAge > 0);
    if (open.some((call) => call.outcome === 'sent')) return 'held';
    const lost = open.filter((call) => call.outcome === 'lost');
    const holds = lost.some((call) => this.isYoung(call, Math.min(call.maxAge, maxAge), call.number > begun.lastCall ? begun : undefined));
    if (holds && !('retryUnknown' in rules)) return 'lost';
    const ofDay = this.calls.filter(({ at, outcome }) => dayOf(at) === dayOf(this.now) && outcome !== 'not_billed');
    if (ofDay.length >= limit) return ofDay.filter(({ outcome }) => outcome !== 'sent').length < limit ? 'full' : 'over';
    this.calls.push({ number: this.calls.length + 1, run, begun, item, at: this.now, maxAge, outcome: 'sent' });
    return 'ticket';
  }

  end(call: ModelCall, outcome: CallOutcome): void {
    call.outcome = outcome;
    if (outcome === 'billed' || outcome === 'unpriced')
      for (const other of this.calls)
        if (other.item === call.item && other.outcome === 'lost' && other.number < call.number) other.outcome = 'settled';
    if (outcome === 'billed' && call.maxAge > 0) this.keep(call);
    // With the first call that a run settles goes what is past its age.
    if (call.begun.hasSettled !== true) for (const [item, { at, maxAge }] of this.kept) if (at + maxAge <= this.now) this.kept.delete(item);
    call.begun.hasSettled = true;
  }

  private keep(call: ModelCall): void {
    this.answers += 1;
    this.kept.set(call.item, { number: this.answers, begun: call.begun, at: this.now, maxAge: call.maxAge });
  }

  restart(run: Kind): void {
    for (const call of this.calls) if (call.run === run && call.outcome === 'sent') call.outcome = 'lost';
    this.runs.delete(run);
  }

  forget(item: string): void {
    this.kept.delete(item);
  }

  purge(): void {
    this.kept.clear();
    for (const call of this.calls) if (call.outcome === 'lost') call.maxAge = 0;
  }

  /** A clock may be a quarter of an hour behind another, or any time where its run lives. What came while a run goes on is no older than it. */
  private isYoung({ at, begun }: Pick<ModelCall, 'at' | 'begun'>, maxAge: number, since: ModelRun | undefined): boolean {
    const age = this.now - at;
    const isToCome = age < -15 * 60_000;
    const lives = [...this.runs.values()].includes(begun);
    if (since === undefined) return isToCome ? lives && maxAge > 0 : age < maxAge;
    const most = Math.max(0, this.now - since.began);
    return (isToCome ? most : Math.min(age, most)) < maxAge;
  }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Runs over one book, and the model beside it. */
class Trial {
  readonly model = new Model();
  private readonly path = join(newFolder(), 'book.db');
  private readonly books = new Map<Kind, Book>();
  private readonly tickets: { readonly ticket: Ticket; readonly call: ModelCall }[] = [];

  async step(event: Event): Promise<void> {
    if (event.does === 'wait') this.model.now += event.hours * hour;
    else if (event.does === 'take') await this.take(event.run, event.item);
    else if (event.does === 'end') await this.end(event.run, event.outcome);
    else if (event.does === 'restart') await this.restart(event.run);
    else if (event.does === 'forget') await this.forget(event.item);
    else await this.purge();
  }

  /** What `pdi spend` would say, and the budget. */
  async outcomes() {
    const file = await openBookFile(bookOptions({ path: this.path }));
    const calls = file.rows(z.object({ outcome: z.string() }), 'SELECT outcome FROM call ORDER BY id').map(({ outcome }) => outcome);
    const spent = file.rows(
      z.object({ outcome: z.string(), calls: z.number() }),
      'SELECT outcome, sum(calls) AS calls FROM spent GROUP BY outcome',
    );
    file.close();
    return { calls, spent: Object.fromEntries(spent.map(({ outcome, calls }) => [outcome, calls])) };
  }

  async close(): Promise<void> {
    for (const book of this.books.values()) await book.close();
  }

  private async book(run: Kind): Promise<Book> {
    const known = this.books.get(run);
    if (known !== undefined) return known;
    const options = bookOptions({ path: this.path, clock: () => this.model.now, rules: { ...kinds[run].rules, limits: { day: limit } } });
    const opened = new Book(await openBookFile(options), options);
    this.books.set(run, opened);
    return opened;
  }

  private async take(run: Kind, item: string): Promise<void> {
    const expected = this.model.take(run, item);
    const taken = await (await this.book(run)).take(callOf(item, kinds[run].maxAge));
    expect(wordOf(taken)).toBe(expected);
    const call = this.model.calls.at(-1);
    if (typeof taken === 'object' && 'ticket' in taken && call !== undefined) this.tickets.push({ ticket: taken.ticket, call });
  }

  private async end(run: Kind, outcome: CallOutcome): Promise<void> {
    const at = this.tickets.findIndex(({ call }) => call.run === run && call.outcome === 'sent');
    const [taken] = at === -1 ? [] : this.tickets.splice(at, 1);
    if (taken === undefined) return;
    const { ticket, call } = taken;
    this.model.end(call, outcome);
    const answer = outcome === 'billed' ? { at: this.model.now, missing: false, body: '{}' } : undefined;
    await (await this.book(run)).settle({ ticket, outcome, answer });
  }

  private async restart(run: Kind): Promise<void> {
    this.model.restart(run);
    await this.books.get(run)?.close();
    this.books.delete(run);
  }

  private async forget(item: string): Promise<void> {
    this.model.forget(item);
    const file = await openBookFile(bookOptions({ path: this.path }));
    await forgetAnswers(file, item, [{ operation, item }]);
    file.close();
  }

  private async purge(): Promise<void> {
    this.model.purge();
    const file = await openBookFile(bookOptions({ path: this.path }));
    await purgeAll(file);
    file.close();
  }
}

/** Takes and settles a call. */
const ended = async (book: Book, call: BookCall, as: Parameters<typeof settle>[2] = {}) =>
  settle(book, ticketOf(await book.take(call)), as);

describe('take and settle', () => {
  it('are those of the model, whatever happens', () =>
    fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const trial = new Trial();
        try {
          for (const one of events) await trial.step(one);
          const { calls, spent } = await trial.outcomes();
          const expected = trial.model.calls.map(({ outcome }) => outcome);
          expect(calls).toEqual(expected);
          const counted = Object.fromEntries(Object.entries(spent).filter(([, count]) => count > 0));
          const sums: Record<string, number> = {};
          for (const one of expected) if (one !== 'sent') sums[one] = (sums[one] ?? 0) + 1;
          expect(counted).toEqual(sums);
        } finally {
          await trial.close();
        }
      }),
      { numRuns: 60 },
    ));

  it('gives the answer as it was kept, and one from a clock that was 400 days ahead only while its run goes on', async () => {
    const path = join(newFolder(), 'book.db');
    let now = noon + 400 * 24 * hour;
    const clock = () => now;
    const ahead = await bookOf({ path, clock });
    await ended(ahead, callOf('per_1'), { at: now, body: '{"n":1.10}' });
    expect(await ahead.take(callOf('per_1'))).toEqual({ answer: { at: now, missing: false, body: '{"n":1.10}' } });
    now = noon;
    await ahead.close();
    expect(wordOf(await (await bookOf({ path, clock })).take(callOf('per_1')))).toBe('ticket');
  });

  it('takes what another run bought meanwhile, though their clocks differ by hours', async () => {
    const path = join(newFolder(), 'book.db');
    const early = await bookOf({ path, clock: () => noon - 3 * hour });
    const late = await bookOf({ path, clock: () => noon + 3 * hour });
    for (const { item, buyer, other, at } of [
      { item: 'per_1', buyer: early, other: late, at: noon - 3 * hour },
      { item: 'per_2', buyer: late, other: early, at: noon + 3 * hour },
    ]) {
      const ticket = ticketOf(await buyer.take(callOf(item)));
      expect(await other.take(callOf(item))).toBe('held');
      await settle(buyer, ticket, { at });
      expect(wordOf(await other.take(callOf(item, hour)))).toBe('answer');
    }
  });

  it('an answer has the age that its buyer gave it, and --fresh passes over what was there before', async () => {
    const path = join(newFolder(), 'book.db');
    await ended(await bookOf({ path }), callOf('per_1', hour));
    const later = (minutes: number, fresh = false) => bookOf({ path, clock: () => noon + minutes * 60_000, rules: { fresh } });
    expect((await later(59)).kept(callOf('per_1'))).toMatchObject({ body: '{}' });
    expect(await (await later(61)).known(callOf('per_1'))).toBeUndefined();
    expect(wordOf(await (await later(1, true)).take(callOf('per_1')))).toBe('ticket');
  });

  it('a lost call that is answered later counts as settled, on its own day', async () => {
    const path = join(newFolder(), 'book.db');
    await ended(await bookOf({ path }), callOf('per_1'), { outcome: 'lost' });
    const tomorrow = noon + 24 * hour;
    const retrying = await bookOf({ path, clock: () => tomorrow, rules: { retryUnknown: true } });
    await ended(retrying, callOf('per_1', 48 * hour), { at: tomorrow });
    const file = await openBookFile(bookOptions({ path }));
    const none = { billed: 0, lost: 0, settled: 0, unpriced: 0, not_billed: 0 };
    expect(spendReport(file, { by: ['day'], sandbox: false })).toEqual([
      { day: '2026-01-02', ...none, settled: 1 },
      { day: '2026-01-03', ...none, billed: 1 },
    ]);
    file.close();
  });
});

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
  const book = new Book(file, options);
  await settle(book, ticketOf(await book.take(callOf('per_1'))));
  await book.close();
  expect(readdirSync(folder)).toHaveLength(alone.length + 1);
  living.release();
  const after = readdirSync(folder);
  file.close();
  expect(after).toEqual(alone);
});
