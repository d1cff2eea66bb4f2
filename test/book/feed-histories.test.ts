/** Histories of a feed and of the runs that follow it: what each run is billed and delivers, by the state that it leaves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bookmark, emptyBookmark, resetTo } from '../../src/book/bookmark.ts';
import { FeedProgress } from '../../src/book/feed-progress.ts';
import { addDays, firstDay, lastDay } from '../../src/rows/days.ts';
import { streamOf } from '../../src/sandbox/dataset/random.ts';
import { DrawnFeed, type OrderOfDay } from '../support/drawn-feed.ts';

const start = '2026-03-01';
const lookBack = 7;
const all = 1000;

interface Ended {
  readonly found: readonly string[];
  readonly billed: number;
  readonly isComplete: boolean;
}

class History {
  readonly delivered = new Set<string>();
  private latest: readonly string[] = [];
  bookmark: Bookmark = emptyBookmark;
  /** Called after each page. */
  onPage: () => void = () => {};

  constructor(readonly feed: DrawnFeed) {}

  /** One run, which makes at most `cap` calls. No signal comes from two of them. */
  run(cap: number, told: string, limit = 50, before?: string): Ended {
    const { today } = this.feed;
    const question = {
      today,
      lookBack,
      after: '2026-01-01',
      before,
      newestFirst: true,
      limit,
      callsLeft: cap,
    };
    const progress = new FeedProgress(this.bookmark, question);
    const found: string[] = [];
    const { billed } = this.feed;
    const questions = progress.questions();
    let step = questions.next();
    for (let asked = 0; step.done !== true && asked < cap; asked += 1) {
      const { days, page = 0, limit: most = 50 } = step.value;
      const { from = firstDay, to = lastDay } = days ?? {};
      const answer = this.feed.page({ after: from, before: to, page, limit: most });
      const signals = answer.map(({ signal_id: id, signal_date: day }) => ({ id, day }));
      for (const { id, day } of signals)
        if (from <= day && day <= to && !progress.has(id)) found.push(id);
      step = questions.next(signals);
      this.onPage();
    }
    expect(step.done === true ? undefined : step.value.failure, told).toBeUndefined();
    this.bookmark = progress.next();
    expect(
      found.filter((id) => this.delivered.has(id)),
      told,
    ).toEqual([]);
    for (const id of found) this.delivered.add(id);
    this.latest = found;
    return { found, billed: this.feed.billed - billed, isComplete: !progress.hasGaps };
  }

  /** What the latest run found may wait for a program, which gets it whatever the reset says. */
  reset(day: string, waits: boolean): void {
    const waiting = new Set(
      waits ? this.latest.filter((id) => this.bookmark.delivered.has(id)) : [],
    );
    const before = this.bookmark;
    this.bookmark = resetTo(before, day, (id) => waiting.has(id));
    if (this.bookmark === before) return;
    for (const { signal_id: id, signal_date: of } of this.feed.signals)
      if (of >= day && !waiting.has(id)) this.delivered.delete(id);
  }

  /** What is a week old must have come; of younger days, late signals may still be found. */
  missed(until = lastDay): readonly string[] {
    return this.feed.signals
      .filter(({ signal_id: id, signal_date: day }) => day <= until && !this.delivered.has(id))
      .map(({ signal_id: id, signal_date: day }) => `${id} ${day}`);
  }
}

const drawnFeed = (
  number: number,
  topic: string,
): { readonly random: () => number; readonly feed: DrawnFeed } => {
  const random = streamOf(number, topic, 0);
  return { random, feed: new DrawnFeed(random, start) };
};

const sizes = [1, 5, 20, 60, 300, 1500];

function nextDays({ feed }: History, size: number, most: number): void {
  for (let days = feed.draw(0, most); days > 0; days -= 1) {
    feed.today = addDays(feed.today, 1);
    feed.arrive(feed.draw(0, size), feed.today);
  }
}

function follow(number: number): void {
  const { random, feed } = drawnFeed(number, 'histories');
  const history = new History(feed);
  if (random() < 0.3) feed.order = 'any';
  const size = sizes[feed.draw(0, sizes.length - 1)] ?? 1;
  for (let day = feed.draw(0, 12); day > 0; day -= 1)
    feed.arrive(feed.draw(1, size), addDays(start, -day));
  for (let run = 0; run < 12; run += 1) {
    nextDays(history, size, 2);
    feed.trickle(10, lookBack);
    const shifts = random() < 0.3;
    history.onPage = () => shifts && random() < 0.3 && feed.trickle(3, lookBack);
    if (history.bookmark.newest !== undefined && random() < 0.1)
      history.reset(addDays(feed.today, -feed.draw(0, 12)), random() < 0.5);
    const cap = random() < 0.6 ? feed.draw(1, 20) : all;
    const told = `history ${number}, run ${run}, cap ${cap}`;
    const before = JSON.stringify(history.bookmark.gaps);
    const until = random() < 0.15 ? addDays(feed.today, -feed.draw(0, 10)) : undefined;
    const ended = history.run(cap, told, 50, until);
    if (until !== undefined) continue;
    if (ended.billed > 0 && !ended.isComplete && ended.found.length === 0)
      expect(JSON.stringify(history.bookmark.gaps), told).not.toBe(before);
  }
  history.onPage = () => {};
  for (let run = 0; run < 2; run += 1) history.run(all, `history ${number}, at the end`);
  expect(history.missed(addDays(feed.today, -lookBack)), `history ${number}`).toEqual([]);
  feed.today = addDays(feed.today, lookBack);
  expect(history.run(all, `history ${number}, a week later`).isComplete).toBe(true);
  expect(history.missed(), `history ${number}, a week later`).toEqual([]);
  // Nothing is new: one page at most.
  expect(history.run(all, `history ${number}, again`)).toMatchObject({
    found: [],
    isComplete: true,
  });
}

test.each([1, 2])(
  'of 20 histories of a feed, seed %i, none gives a signal twice or misses one, and each billed run comes further',
  { timeout: 60_000 },
  (seed) =>
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 30 }), follow), { numRuns: 20, seed }),
);

test('in no order of days, a run that ends early is begun anew: no signal is given twice or missed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (number) => {
      const { feed } = drawnFeed(number, 'mixed');
      feed.order = 'mixed days';
      const history = new History(feed);
      for (let day = 12; day >= 0; day -= 1) feed.arrive(feed.draw(1, 40), addDays(start, -day));
      for (const cap of [1, 2, all, all]) history.run(cap, `history ${number}, cap ${cap}`);
      expect(history.missed(), `history ${number}`).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

/** What runs are billed against the least possible: days 8 to 21 of a run a day, then a day of a run an hour. */
function ratios(order: OrderOfDay, isLate: boolean) {
  const { feed } = drawnFeed(1, 'ratios');
  feed.order = order;
  const history = new History(feed);
  const perHour = 200 / 24;
  let hours = 0;
  let made = 0;
  const pass = (count: number) => {
    for (const end = hours + count; hours < end; ) {
      hours += 1;
      feed.today = addDays(start, Math.floor(hours / 24));
      for (; made < hours * perHour; made += 1)
        feed.arrive(1, addDays(feed.today, isLate && made % 50 === 7 ? -1 - (made % 3) : 0));
    }
  };
  const cost = (runs: number, each: number) => {
    let [billed, least] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      pass(each);
      const ended = history.run(all, `${order}, run ${run}`);
      billed += ended.billed;
      least += Math.max(1, Math.ceil(ended.found.length / 50));
    }
    return billed / least;
  };
  const first = cost(1, 240);
  cost(7, 24);
  return {
    first,
    daily: cost(14, 24),
    hourly: cost(24, 1),
    missed: history.missed(addDays(feed.today, -lookBack)),
  };
}

test.each([
  ['newest first', false, 1.3, 1.1],
  ['newest first', true, 2.5, 1.4],
  ['any', false, 3.3, 4.5],
  ['any', true, 3.3, 4.5],
] as const)(
  '%s within a day, late: %s: %f and %f of the least possible, a run a day and an hour',
  (order, isLate, daily, hourly) => {
    const found = ratios(order, isLate);
    expect(found.missed).toEqual([]);
    expect(found.first).toBeLessThanOrEqual(1);
    expect(found.daily).toBeLessThanOrEqual(daily);
    expect(found.hourly).toBeLessThanOrEqual(hourly);
  },
);

test('a signal that a run has met under a new day is remembered as long as one of that day', () => {
  const { feed } = drawnFeed(1, 'redated');
  const history = new History(feed);
  feed.arrive(5, start);
  history.run(all, 'the first run');
  feed.redate(start, addDays(start, 3));
  for (const days of [3, 4, 8, 9, 10]) {
    feed.today = addDays(start, days);
    feed.arrive(1, feed.today);
    history.run(all, `the run of day ${days}`);
  }
  expect(history.missed()).toEqual([]);
});

test('of one signal a page each is paid for once', () => {
  const { feed } = drawnFeed(1, 'single');
  const history = new History(feed);
  for (const day of [3, 2, 1, 0]) feed.arrive(5, addDays(start, -day));
  expect(history.run(all, 'one run', 1)).toMatchObject({ billed: 20, isComplete: true });
  expect(history.run(all, 'again', 1)).toMatchObject({ found: [], billed: 1 });
});

test('a service that ignores days is read to the end of what is new, and nothing is given twice', () => {
  const { feed } = drawnFeed(1, 'older');
  feed.ignoresDays = true;
  const history = new History(feed);
  feed.arrive(49, start);
  feed.arrive(200, '2025-12-31');
  expect(history.run(all, 'the first run')).toMatchObject({
    found: { length: 49 },
    billed: 1,
    isComplete: true,
  });
  for (const day of [1, 9, 10]) {
    feed.today = addDays(start, day);
    feed.arrive(70, feed.today);
    expect(history.run(all, `day ${day}`)).toMatchObject({
      found: { length: 70 },
      isComplete: true,
    });
  }
});
