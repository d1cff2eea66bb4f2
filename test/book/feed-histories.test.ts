/** Histories of a feed and of the runs that follow it: what each run pays and delivers, by the state that it leaves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bookmark, emptyBookmark, FeedProgress, resetTo } from '../../src/book/bookmark.ts';
import { addDays, firstDay, lastDay } from '../../src/rows/days.ts';
import { streamOf } from '../../src/sandbox/dataset/random.ts';
import { type AskedOfFeed, DrawnFeed, type Served } from '../support/drawn-feed.ts';

const start = '2026-03-01';
const lookBack = 7;

interface Ended {
  readonly bookmark: Bookmark;
  readonly found: readonly string[];
  readonly billed: number;
  readonly idle: number;
  readonly isComplete: boolean;
}

/** It gives signals of older days before those of newer ones. */
class MixedFeed extends DrawnFeed {
  override page({ after = '', before = '9999', page, limit }: AskedOfFeed): readonly Served[] {
    const place = ({ signal_id }: Served) => (Number(signal_id.slice(1)) * 7919) % 10_007;
    const asked = this.signals.filter(({ signal_date: day }) => after <= day && day <= before);
    return asked.toSorted((one, other) => place(one) - place(other)).slice(page * limit, (page + 1) * limit);
  }
}

class History {
  readonly delivered = new Set<string>();
  private latest: readonly string[] = [];
  bookmark: Bookmark = emptyBookmark;
  /** Signals come and go while pages are read. */
  shifts = false;
  /** The service ignores the days of some questions. */
  wavers = false;

  constructor(
    readonly random: () => number,
    readonly feed = new DrawnFeed(random, start),
  ) {}

  /** One run, which makes at most `cap` calls. */
  run(cap: number, limit = 50, before?: string): Ended {
    const { today } = this.feed;
    const question = { today, lookBack, after: '2026-01-01', before, newestFirst: true, limit, callsLeft: cap };
    const progress = new FeedProgress(this.bookmark, question);
    const found: string[] = [];
    let billed = 0;
    let asked = 0;
    reading: for (const part of progress.parts()) {
      for (let isLast = false; !isLast; ) {
        if (asked >= cap) break reading;
        const { days, page, limit: most } = part.question();
        const after = days.from === firstDay ? undefined : days.from;
        const answer = this.feed.page({ after, before: days.to === lastDay ? undefined : days.to, page, limit: most });
        asked += 1;
        if (answer.length > 0) billed += 1;
        const signals = answer.map(({ signal_id: id, signal_date: day }) => ({ id, day }));
        for (const signal of signals) if (part.isAsked(signal) && !progress.has(signal.id)) found.push(signal.id);
        isLast = part.note(signals);
        if (this.shifts) this.shift();
      }
    }
    this.bookmark = progress.next();
    const { isComplete, idlePages: idle } = progress;
    return { bookmark: this.bookmark, found, billed, idle, isComplete };
  }

  private shift(): void {
    if (this.wavers && this.random() < 0.1) this.feed.ignoresDays = !this.feed.ignoresDays;
    if (this.random() < 0.3) this.feed.trickle(3, lookBack);
    if (this.random() < 0.3) this.feed.remove(3);
  }

  deliver({ found }: Ended, told: string): void {
    const twice = found.filter((id) => this.delivered.has(id));
    expect(twice, told).toEqual([]);
    expect(new Set(found).size, told).toBe(found.length);
    for (const id of found) this.delivered.add(id);
    this.latest = found;
  }

  /** What the latest run found may wait for a program, which gets it whatever the reset says. */
  reset(day: string, waits = false): void {
    const waiting = new Set(waits ? this.latest.filter((id) => this.bookmark.delivered.has(id)) : []);
    this.bookmark = resetTo(this.bookmark, day, (id) => waiting.has(id));
    for (const { signal_id: id, signal_date: of } of this.feed.signals) if (of >= day && !waiting.has(id)) this.delivered.delete(id);
  }

  get missed(): readonly string[] {
    return this.feed.signals
      .filter(({ signal_id: id }) => !this.delivered.has(id))
      .map(({ signal_id: id, signal_date: day }) => `${id} ${day}`);
  }
}

/** What is left, without the signals: a run that comes further changes it. */
const left = ({ gaps, again, ignoresDays }: Bookmark): string => JSON.stringify([gaps, again, ignoresDays]);

const sizes = [1, 5, 20, 60, 300, 1500];

function follow(number: number): { readonly billed: number; readonly least: number } {
  const random = streamOf(number, 'histories', 0);
  const history = new History(random);
  const { feed } = history;
  feed.ignoresDays = random() < 0.2;
  history.wavers = random() < 0.2;
  const size = sizes[feed.draw(0, sizes.length - 1)] ?? 1;
  for (let day = feed.draw(0, 12); day > 0; day -= 1) feed.arrive(feed.draw(1, size), addDays(start, -day));
  const totals = { billed: 0, least: 0 };
  for (let run = 0; run < 12; run += 1) {
    for (let days = feed.draw(0, 2); days > 0; days -= 1) {
      feed.today = addDays(feed.today, 1);
      feed.arrive(feed.draw(0, size), feed.today);
    }
    feed.trickle(10, lookBack);
    feed.remove(4);
    history.shifts = random() < 0.4;
    if (history.bookmark.newest !== undefined && random() < 0.1) history.reset(addDays(feed.today, -feed.draw(0, 12)), random() < 0.5);
    const cap = random() < 0.6 ? feed.draw(1, 20) : 1000;
    const told = `history ${number}, run ${run}, cap ${cap}`;
    const before = left(history.bookmark);
    const until = random() < 0.15 ? addDays(feed.today, -feed.draw(0, 10)) : undefined;
    const ended = history.run(cap, 50, until);
    history.deliver(ended, told);
    if (until !== undefined) continue;
    if (ended.billed > 0 && !ended.isComplete && ended.found.length === 0) expect(left(ended.bookmark), told).not.toBe(before);
  }
  history.shifts = false;
  for (let run = 0; run < 3; run += 1) history.deliver(history.run(1000), `history ${number}, at the end`);
  expect(history.missed, `history ${number}`).toEqual([]);
  // Nothing is new: the days of the look-back are paid for, and no others.
  const again = history.run(1000);
  expect([again.found, again.isComplete, again.idle], `history ${number}`).toEqual([[], true, again.billed]);
  const { newest = '' } = history.bookmark;
  totals.billed += again.billed;
  totals.least += Math.ceil(feed.signals.filter(({ signal_date: day }) => day >= addDays(newest, -lookBack)).length / 50);
  return totals;
}

test.each([1, 2])(
  'of 100 histories of a feed, seed %i, none gives a signal twice or misses one, and each billed run comes further',
  { timeout: 300_000 },
  (seed) => {
    const totals = { billed: 0, least: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (number) => {
        const { billed, least } = follow(number);
        totals.billed += billed;
        totals.least += least;
      }),
      { numRuns: 100, seed },
    );
    expect(totals.billed).toBeLessThanOrEqual(totals.least * 1.3);
    expect(totals.least).toBeGreaterThan(0);
  },
);

test('in no order of days, a run that ends early is begun anew: no signal is given twice or missed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (number) => {
      const random = streamOf(number, 'mixed', 0);
      const history = new History(random, new MixedFeed(random, start));
      for (let day = 12; day >= 0; day -= 1) history.feed.arrive(history.feed.draw(1, 40), addDays(start, -day));
      for (const cap of [1, 2, 1000, 1000]) history.deliver(history.run(cap), `history ${number}, cap ${cap}`);
      expect(history.missed, `history ${number}`).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('a signal that a run has met under a new day is remembered as long as one of that day', () => {
  const history = new History(streamOf(1, 'redated', 0));
  const { feed } = history;
  feed.arrive(5, start);
  history.deliver(history.run(1000), 'the first run');
  feed.redate(start, addDays(start, 3));
  for (const days of [3, 4, 8, 9, 10]) {
    feed.today = addDays(start, days);
    feed.arrive(1, feed.today);
    history.deliver(history.run(1000), `the run of day ${days}`);
  }
  expect(history.missed).toEqual([]);
});

test('of one signal a page each is paid for once', () => {
  const history = new History(streamOf(1, 'single', 0));
  for (const day of [3, 2, 1, 0]) history.feed.arrive(5, addDays(start, -day));
  const ended = history.run(1000, 1);
  history.deliver(ended, 'one run');
  expect([history.missed, ended.billed, ended.isComplete]).toEqual([[], 20, true]);
  expect(history.run(1000, 1)).toMatchObject({ found: [], billed: 20, idle: 20 });
});

/** A history of as many signals on each of eleven days, of which a first run has read all. */
function readHistory(perDay: number, ignoresDays = false): History {
  const history = new History(streamOf(1, 'read', 0));
  history.feed.ignoresDays = ignoresDays;
  for (let day = 10; day >= 0; day -= 1) history.feed.arrive(perDay, addDays(start, -day));
  history.deliver(history.run(1000), 'the first run');
  return history;
}

/** Delivers what a last run of all that is left gives: then nothing is missed. */
function expectWhole(history: History): void {
  history.deliver(history.run(1000), 'the last run');
  expect(history.missed).toEqual([]);
}

test('a page whose last signal is older than what is asked for is the last, where days are ignored', () => {
  const history = new History(streamOf(1, 'older', 0));
  history.feed.ignoresDays = true;
  history.feed.arrive(49, start);
  history.feed.arrive(200, '2025-12-31');
  expect(history.run(1000)).toMatchObject({ found: { length: 49 }, billed: 1, isComplete: true });
});

/** A history whose look-back of seven days before `start` has not ended. */
function halfALookBack(): History {
  const history = readHistory(60);
  const { feed } = history;
  feed.today = addDays(start, 7);
  feed.arrive(60, feed.today);
  history.deliver(history.run(3), 'a run of three calls');
  expect(history.bookmark.again).not.toEqual([]);
  return history;
}

test('a reset to a day still looks for signals that come late before that day', () => {
  const history = readHistory(20);
  history.reset(addDays(start, -1));
  history.feed.arrive(1, addDays(start, -3));
  const { found, idle } = history.run(1000);
  expect([found.length, idle]).toEqual([41, 2]);
  expect(history.run(1000)).toMatchObject({ found: [], isComplete: true });
});

test('a run with --before leaves what it did not read of a look-back to the next', () => {
  const history = halfALookBack();
  history.feed.arrive(1, addDays(start, -3));
  history.deliver(history.run(1000, 50, addDays(start, -5)), 'a run until five days before');
  expectWhole(history);
});

test('a reset leaves what a run had left below that day, where days are ignored', () => {
  const history = readHistory(30, true);
  const { feed } = history;
  feed.today = addDays(start, 3);
  for (const day of [1, 2, 3]) feed.arrive(100, addDays(start, day));
  history.deliver(history.run(5), 'a run of five calls');
  history.reset(feed.today);
  expectWhole(history);
});

test.each([0, 20])(
  'a run with --before, its clock %i days late, does not end the look-back for what came while another took several runs',
  (late) => {
    const history = halfALookBack();
    history.feed.arrive(1, addDays(start, 2));
    history.feed.today = addDays(start, 15);
    history.feed.arrive(5, history.feed.today);
    history.deliver(history.run(1000), 'a run that ends the look-back');
    const { today } = history.feed;
    history.feed.today = addDays(today, -late);
    history.deliver(history.run(1000, 50, addDays(start, 1)), 'a run until the day after');
    history.feed.today = today;
    expectWhole(history);
  },
);

/** The newest signals of what is asked for are deleted once so many pages were read. */
class ThinnedFeed extends DrawnFeed {
  pagesLeft = Number.POSITIVE_INFINITY;

  override page(asked: AskedOfFeed): readonly Served[] {
    this.pagesLeft -= 1;
    const { page, limit } = asked;
    const gone = this.pagesLeft < 0 ? 30 : 0;
    return super
      .page({ ...asked, page: 0, limit: (page + 1) * limit + gone })
      .slice(gone)
      .slice(page * limit, (page + 1) * limit);
  }
}

test.each([false, true])(
  'what is deleted while a long day is read costs few pages, not the day anew, with days ignored: %s',
  (ignoresDays) => {
    const billedWith = (pagesLeft: number) => {
      const random = streamOf(1, 'thinned', 0);
      const feed = new ThinnedFeed(random, start);
      const history = new History(random, feed);
      feed.ignoresDays = ignoresDays;
      feed.arrive(1000, start);
      history.deliver(history.run(3), 'the first run');
      feed.today = addDays(start, 1);
      feed.arrive(60, feed.today);
      feed.pagesLeft = pagesLeft;
      const ended = history.run(1000);
      history.deliver(ended, 'the second run');
      expect(history.missed).toEqual([]);
      return ended.billed;
    };
    const undisturbed = billedWith(Number.POSITIVE_INFINITY);
    expect(billedWith(12)).toBeLessThanOrEqual(undisturbed + 4);
  },
);
