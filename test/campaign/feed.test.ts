/** Feeds with a bookmark over drawn histories: signals that come late or from the future, pages that shift, runs that end early. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBookIfThere } from '../../src/book/book-file.ts';
import { Bookmarks } from '../../src/book/bookmarks.ts';
import type { Signal } from '../../src/io.ts';
import { addDays, earlierDay, laterDay } from '../../src/rows/days.ts';
import { FeedHistory } from '../support/feed-history.ts';
import type { Answer, Origin } from '../support/origin.ts';
import { idsIn } from '../support/records.ts';
import { newFolder, type RunResult } from '../support/run.ts';
import { against, answering, arrayOf, pdi as program } from '../support/service.ts';
import { amount, luck, seed } from './effort.ts';
import { pdi } from './process.ts';

const clock = new URL('clock.cjs', import.meta.url).pathname;
const lookBack = 7;
const start = '2026-03-01';

/** What happens at call number `at` of a run. */
type End = 'nothing' | 'cap' | 'budget' | 'max-pages' | 'credits' | '500' | '503' | '403' | 'Ctrl-C' | 'kill' | 'full disk' | 'deliver';
const ends: readonly End[] = ['cap', 'budget', 'max-pages', 'credits', '500', '503', '403', 'Ctrl-C', 'kill', 'full disk', 'deliver'];

/** The answers of a service that refuses, fails, or cannot be understood. */
const refusals: Partial<Record<End, Answer>> = {
  credits: { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } },
  '500': { status: 500, json: {} },
  '503': { status: 503, json: {} },
  '403': { status: 403, json: { errorCode: 'NOT_PERMITTED' } },
};

interface Ended {
  readonly delivered: readonly string[];
  /** Whether the run could write its output, so that its signals count as delivered. */
  readonly safe: boolean;
  /** Pages that held something. */
  readonly billed: number;
}

/** One history: a feed, a service that serves it, and a home whose bookmark goes on from run to run. */
class Life {
  readonly home = newFolder();
  readonly limit: number;
  readonly feed: FeedHistory;
  private readonly delivered = new Set<string>();
  private newest = '';
  private end: End = 'nothing';
  private at = 0;
  private calls = 0;
  private billed = 0;
  /** Whether nothing arrives while pages are read. */
  quiet = false;
  private onCall: () => void = () => {};
  service: Origin | undefined;

  constructor(readonly random: () => number) {
    this.limit = 2 + Math.floor(random() * 8);
    this.feed = new FeedHistory(random, start, lookBack);
    this.feed.arrive(Math.floor(random() * 60), 60);
  }

  readonly handler = ({ path }: { readonly path: string }): Answer => {
    this.calls += 1;
    if (this.calls === this.at) this.onCall();
    const refusal = this.calls >= this.at ? refusals[this.end] : undefined;
    if (refusal !== undefined) return refusal;
    const answer = this.feed.answer(path);
    if (answer.text !== '[]') this.billed += 1;
    // The list shifts between two pages. How many a killed process asks for is not drawn.
    if (!this.quiet && this.end !== 'kill' && this.random() < 0.2) this.feed.arrive(1 + Math.floor(this.random() * 3));
    return answer;
  };

  /** Some days later. */
  later(): void {
    this.feed.today = addDays(this.feed.today, Math.floor(this.random() * 4));
    vi.setSystemTime(new Date(`${this.feed.today}T12:00:00Z`));
    this.feed.arrive(Math.floor(this.random() * 25));
  }

  private argv(...more: string[]): string[] {
    const cap = ['--max-billable', this.end === 'cap' ? `${this.at}` : 'unlimited'];
    return ['feed', '--all', '--since-last', '--limit', `${this.limit}`, '-o', 'ndjson', '--retries', '0', ...cap, ...more];
  }

  async run(end: End): Promise<Ended> {
    [this.end, this.at, this.calls, this.billed] = [end, 1 + Math.floor(this.random() * 5), 0, 0];
    const ended = end === 'kill' ? await this.killed() : await this.inProcess(end);
    return { ...ended, billed: this.billed };
  }

  private flagsOf(end: End): string[] {
    const n = `${this.at}`;
    if (end === 'max-pages') return ['--max-pages', n];
    if (end === 'budget') return ['--budget', `${n}/day`];
    if (end === 'full disk') return ['--out', '/dev/full'];
    return end === 'deliver' ? ['--deliver', '/bin/false'] : [];
  }

  private async inProcess(end: End): Promise<Omit<Ended, 'billed'>> {
    if (this.service === undefined) throw new Error('no service');
    const withSignal = (send: (signal: Signal) => void) => {
      this.onCall = () => end === 'Ctrl-C' && send('SIGINT');
    };
    const result: RunResult = await against(this.service, this.argv(...this.flagsOf(end)), { home: this.home, withSignal });
    expect([0, 1, 3, 5, 7, 130], result.stderr).toContain(result.code);
    return { delivered: idsIn(result.stdout), safe: end === 'deliver' ? result.code === 0 : end !== 'full disk' };
  }

  private async killed(): Promise<Omit<Ended, 'billed'>> {
    if (this.service === undefined) throw new Error('no service');
    const out = join(newFolder(), 'signals.ndjson');
    // The process has the true clock, and this one's shift.
    const shift = Date.parse(`${this.feed.today}T12:00:00Z`) - trueNow();
    const env = { NODE_OPTIONS: `--require=${clock}`, CLOCK_SHIFT: `${shift}` };
    const { child, ended } = pdi(this.argv('--out', out), { home: this.home, baseUrl: this.service.baseUrl, env });
    this.onCall = () => void child.kill('SIGKILL');
    await ended;
    const whole = existsSync(out);
    return { delivered: whole ? idsIn(readFileSync(out, 'utf8')) : [], safe: whole };
  }

  /** No signal comes twice from runs that could write their output. */
  check({ delivered, safe, billed }: Ended, told: string): void {
    expect(new Set(delivered).size, told).toBe(delivered.length);
    if (!safe) return;
    expect(
      delivered.filter((id) => this.delivered.has(id)),
      told,
    ).toEqual([]);
    for (const id of delivered) this.delivered.add(id);
    if (billed === 0) return;
    // Signals from the future come first on any page; they count as of today.
    for (const id of this.delivered) this.newest = laterDay(this.newest, earlierDay(this.feed.dayOf(id), this.feed.today));
  }

  get missed(): readonly string[] {
    return this.feed.ids.filter((id) => !this.delivered.has(id)).map((id) => `${id} of ${this.feed.dayOf(id)}`);
  }

  async unread(): Promise<unknown> {
    const [bookmark] = arrayOf(await program('bookmarks -o json', { home: this.home }));
    // What waits for a program was bought already.
    if (bookmark !== undefined && Number(bookmark.waiting) > 0) return 'waiting';
    // A look-back that was not finished begins earlier the next time.
    return (await this.lookBackFrom()) === undefined ? bookmark?.unread : 'look-back';
  }

  /** What waited was read on an earlier day, and the bookmark moves to what was known then. */
  async believeBookmark(): Promise<void> {
    const [bookmark] = arrayOf(await program('bookmarks -o json', { home: this.home }));
    this.newest = String(bookmark?.newest ?? '');
  }

  private async lookBackFrom(): Promise<string | undefined> {
    const path = join(this.home, 'state', 'pdi', 'book.db');
    const file = await openBookIfThere({ path, patience: 1000, clock: Date.now, notice: () => {} });
    const [stored] = file === undefined ? [] : await new Bookmarks(file, false).list();
    file?.close();
    return stored?.bookmark.lookBackFrom;
  }

  /** The day from which a run must ask, by what was delivered. */
  get from(): string {
    return this.newest === '' ? '' : addDays(this.newest, -lookBack);
  }
}

const trueNow = (): number => performance.timeOrigin + performance.now();

describe(`feeds with a bookmark (seed ${seed})`, () => {
  // The clock goes on, as a run that waits for it must see.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it(`${amount(12, 100)} histories: no signal twice, none missed, no page too many`, { timeout: amount(120_000, 900_000) }, async () => {
    const totals = { runs: 0, early: 0, billed: 0, least: 0 };
    for (let number = 0; number < amount(12, 100); number += 1) {
      const random = luck('feed', number);
      const life = new Life(random);
      life.service = await answering(life.handler);
      const next = async (end: End) => {
        const told = `seed ${seed}, history ${number}, ${end} on ${life.feed.today}`;
        const unread = await life.unread();
        const least = unread === '' ? life.feed.pagesFrom(life.from, life.limit) : undefined;
        const ended = await life.run(end);
        life.check(ended, told);
        if (unread === 'waiting') await life.believeBookmark();
        totals.runs += 1;
        if (end !== 'nothing') totals.early += 1;
        if (!life.quiet || end !== 'nothing' || least === undefined) return;
        expect(ended.billed, told).toBe(least);
        totals.billed += ended.billed;
        totals.least += least;
      };
      for (let run = 0; run < 10; run += 1) {
        life.later();
        life.quiet = random() < 0.5;
        await next(random() < 0.5 ? 'nothing' : (ends[Math.floor(random() * ends.length)] ?? 'nothing'));
      }
      life.quiet = true;
      await next('nothing');
      expect(life.missed, `seed ${seed}, history ${number}`).toEqual([]);
      await next('nothing');
    }
    expect(totals).toMatchObject({ billed: totals.least });
  });
});
