/** Feeds with a bookmark over drawn histories: signals that come late, pages that shift, runs and programs that end early. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Signal } from '../../src/io.ts';
import { addDays } from '../../src/rows/days.ts';
import { askedIn, DrawnFeed } from '../support/drawn-feed.ts';
import type { Answer, Origin } from '../support/origin.ts';
import { idsIn } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { against, answering, arrayOf, newFile, pdi as program } from '../support/service.ts';
import { amount, luck, seed } from './effort.ts';
import { pdi, preloading } from './process.ts';

const clock = new URL('clock.cjs', import.meta.url).pathname;
const lookBack = 7;
const start = '2026-03-01';

/** What happens at call number `at` of a run, or to its output. */
const ends = [
  'cap',
  'budget',
  'max-pages',
  'credits',
  '500',
  '503',
  '403',
  'Ctrl-C',
  'kill',
  'full disk',
  'a program fails',
  'a program takes half',
  'a program hangs',
  'a program takes all',
] as const;
type End = 'nothing' | (typeof ends)[number];

/** The answers of a service that refuses, fails, or cannot be understood. */
const refusals: Partial<Record<End, Answer>> = {
  credits: { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } },
  '500': { status: 500, json: {} },
  '503': { status: 503, json: {} },
  '403': { status: 403, json: { errorCode: 'NOT_PERMITTED' } },
};

const sizes = [1, 5, 20, 60, 400, 1500];

/** One history: a feed, a service that serves it, and a home whose bookmark goes on from run to run. */
class Life {
  readonly home = newFolder();
  readonly feed: DrawnFeed;
  private readonly size: number;
  private readonly delivered = new Set<string>();
  private end: End = 'nothing';
  private at = 0;
  private calls = 0;
  private onCall: () => void = () => {};
  /** Whether nothing arrives while pages are read. */
  quiet = false;
  service: Origin | undefined;

  constructor(readonly random: () => number) {
    this.feed = new DrawnFeed(random, start);
    this.feed.ignoresDays = random() < 0.1;
    this.size = sizes[this.feed.draw(0, sizes.length - 1)] ?? 1;
    for (let day = this.feed.draw(0, 10); day > 0; day -= 1)
      this.feed.arrive(this.feed.draw(1, this.size), addDays(start, -day));
  }

  readonly handler = ({ path }: { readonly path: string }): Answer => {
    this.calls += 1;
    if (this.calls === this.at) this.onCall();
    const refusal = this.calls >= this.at ? refusals[this.end] : undefined;
    if (refusal !== undefined) return refusal;
    const page = this.feed.page(askedIn(path));
    // How many a killed process asks for is not drawn.
    if (!this.quiet && this.end !== 'kill' && this.random() < 0.3) this.feed.trickle(3, lookBack);
    return { json: page };
  };

  /** Some days later. */
  later(): void {
    for (let days = this.feed.draw(0, 2); days > 0; days -= 1) {
      this.feed.today = addDays(this.feed.today, 1);
      this.feed.arrive(this.feed.draw(0, this.size), this.feed.today);
    }
    this.setClock();
    this.feed.trickle(10, lookBack);
  }

  setClock(): void {
    vi.setSystemTime(new Date(`${this.feed.today}T12:00:00Z`));
  }

  async run(end: End): Promise<readonly string[]> {
    [this.end, this.at, this.calls] = [end, this.feed.draw(1, 20), 0];
    return end === 'kill' ? this.killed() : this.inProcess(end);
  }

  private argv(...more: string[]): string[] {
    const cap = ['--max-billable', this.end === 'cap' ? `${this.at}` : 'unlimited'];
    return [
      'feed',
      '--since-last',
      '--after',
      '0001-01-01',
      '-o',
      'ndjson',
      '--retries',
      '0',
      ...cap,
      ...more,
    ];
  }

  private flagsOf(end: End, got: string): string[] {
    const sh = (script: string) => ['--deliver', JSON.stringify(['sh', '-c', script])];
    if (end === 'max-pages') return ['--max-pages', `${this.at}`];
    if (end === 'budget') return ['--budget', `${this.at}/day`];
    if (end === 'full disk') return ['--out', '/dev/full'];
    if (end === 'a program fails') return sh('cat > /dev/null; exit 3');
    if (end === 'a program takes half') return sh('head -c 10');
    if (end === 'a program hangs') return sh('echo hangs; sleep 60');
    return end === 'a program takes all' ? sh(`cat >> ${got}`) : [];
  }

  private async inProcess(end: End): Promise<readonly string[]> {
    if (this.service === undefined) throw new Error('no service');
    let stop: () => void = () => {};
    const withSignal = (send: (signal: Signal) => void) => {
      stop = () => send('SIGINT');
      this.onCall = () => end === 'Ctrl-C' && stop();
    };
    const onStderr = (text: string) => text.includes('hangs') && stop();
    const got = newFile();
    const env = { PATH: process.env.PATH ?? '' };
    const result = await against(this.service, this.argv(...this.flagsOf(end, got)), {
      home: this.home,
      env,
      withSignal,
      onStderr,
    });
    expect([0, 1, 3, 5, 7, 130], result.stderr).toContain(result.code);
    return existsSync(got) ? idsIn(readFileSync(got, 'utf8')) : idsIn(result.stdout);
  }

  private async killed(): Promise<readonly string[]> {
    if (this.service === undefined) throw new Error('no service');
    const out = join(newFolder(), 'signals.ndjson');
    // The process has the true clock, and this one's shift.
    const shift =
      Date.parse(`${this.feed.today}T12:00:00Z`) - (performance.timeOrigin + performance.now());
    const env = { ...preloading(clock), CLOCK_SHIFT: `${shift}` };
    const { child, ended } = pdi(this.argv('--out', out), {
      home: this.home,
      baseUrl: this.service.baseUrl,
      env,
    });
    this.onCall = () => void child.kill('SIGKILL');
    await ended;
    return existsSync(out) ? idsIn(readFileSync(out, 'utf8')) : [];
  }

  /** No signal comes twice from runs that could write their output. */
  check(delivered: readonly string[], told: string): void {
    expect(new Set(delivered).size, told).toBe(delivered.length);
    const twice = delivered.filter((id) => this.delivered.has(id));
    expect(twice, told).toEqual([]);
    for (const id of delivered) this.delivered.add(id);
  }

  missed(until: string): readonly string[] {
    // Of a service that ignores the days that it is asked for, no more is promised than that nothing comes twice.
    return (this.feed.ignoresDays ? [] : this.feed.signals)
      .filter(({ signal_id: id, signal_date: day }) => day <= until && !this.delivered.has(id))
      .map(({ signal_id: id, signal_date: day }) => `${id} of ${day}`);
  }

  async waiting(): Promise<unknown> {
    return arrayOf(await program('bookmarks -o json', { home: this.home }))[0]?.waiting ?? 0;
  }
}

describe(`feeds with a bookmark (seed ${seed})`, () => {
  // The clock goes on, as a run that waits for it must see.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it(`${amount(2, 100)} histories: no signal twice, none missed`, {
    timeout: amount(120_000, 1_800_000),
  }, async () => {
    for (let number = 0; number < amount(2, 100); number += 1) {
      const random = luck('feed', number);
      const life = new Life(random);
      life.service = await answering(life.handler);
      const next = async (end: End) => {
        const told = `seed ${seed}, history ${number}, ${end} on ${life.feed.today}`;
        life.check(await life.run(end), told);
      };
      for (let run = 0; run < 10; run += 1) {
        life.later();
        life.quiet = random() < 0.5;
        await next(
          random() < 0.3 ? 'nothing' : (ends[life.feed.draw(0, ends.length - 1)] ?? 'nothing'),
        );
      }
      life.quiet = true;
      for (let run = 0; run < 2; run += 1) await next('nothing');
      expect(
        life.missed(addDays(life.feed.today, -lookBack)),
        `seed ${seed}, history ${number}`,
      ).toEqual([]);
      life.feed.today = addDays(life.feed.today, lookBack);
      life.setClock();
      await next('nothing');
      expect(life.missed(life.feed.today), `seed ${seed}, history ${number}, a week later`).toEqual(
        [],
      );
      expect(await life.waiting()).toBe(0);
    }
  });
});
