import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, vi } from 'vitest';
import { addDays } from '../../src/rows/days.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { askedIn, DrawnFeed } from '../support/drawn-feed.ts';
import { it } from '../support/it.ts';
import { dated, feedPage, idsIn, pageOf } from '../support/records.ts';
import {
  arrayOf,
  errorOf,
  linesOf,
  newFile,
  objectOf,
  origin,
  saidBy,
  summaryOf,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

const { searches, lists } = landmarks;
const today = new Date().toISOString().slice(0, 10);
const signal = (signal_id: string, signal_date: string) => ({ signal_id, signal_date });

/** A feed of signals by number, newest (highest) first, which the test may add to. */
function growingFeed(first: number, afterPage: (page: number) => number = () => 0) {
  let newest = first;
  return {
    arrive: (count: number) => {
      newest += count;
    },
    answer: ({ path }: { readonly path: string }) => {
      const signals = downFrom(newest).map((number) => signal(`signal-${number}`, '2026-06-01'));
      newest += afterPage(pageOf(path));
      return { json: feedPage(path, signals) };
    },
  };
}

const numbersOf = (stdout: string): readonly number[] =>
  linesOf(stdout).map((line) => Number(JSON.parse(line).signal_id.split('-')[1]));
const downFrom = (newest: number, oldest = 1): readonly number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, at) => newest - at);

play('test/commands/feed.txt', {
  today,
  yesterday: addDays(today, -1),
  aWeekAgo: addDays(today, -7),
  long: 'x'.repeat(65),
  unknown: String(searches.unknown),
  broken: String(searches.broken),
  empty: String(searches.empty),
  emptyList: lists.companies.empty,
});

describe('feed', () => {
  it('one page by default, asked for as the endpoint is: newest first', async ({
    service,
    pdi,
  }) => {
    const result = await pdi('feed');
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    const dates = arrayOf(result).map(({ signal_date }) => String(signal_date));
    expect(dates).toHaveLength(50);
    expect(dates).toEqual(dates.toSorted().reverse());
    expect(service.bill()).toMatchObject([{ path: '/investor-interest' }]);
  });

  it('--all pages until a page is short, as one array', async () => {
    const { service, pdi } = await origin(growingFeed(125).answer);
    const result = await pdi('feed --all');
    expect(arrayOf(result).map(({ signal_id }) => signal_id)).toEqual(
      downFrom(125).map((number) => `signal-${number}`),
    );
    expect(service.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'page=0&limit=50',
      'page=1&limit=50',
      'page=2&limit=50',
    ]);
    expect(summaryOf(result)).toMatchObject({ rows: 125, ok: 125, calls_billed: 3 });
  });

  it('a last page that is full is followed by another, which is empty and free', async () => {
    const { service, pdi } = await origin(growingFeed(20).answer);
    const result = await pdi('feed --all --limit 10 -o ndjson');
    expect(numbersOf(result.stdout)).toEqual(downFrom(20));
    expect([summaryOf(result).calls_billed, service.requests.length]).toEqual([2, 3]);
  });

  it('signals that arrive between pages shift the feed: none comes twice', async () => {
    const { pdi } = await origin(growingFeed(30, (page) => (page < 2 ? 3 : 0)).answer);
    const { stdout, stderr } = await pdi('feed --all --limit 10 -o ndjson');
    expect([numbersOf(stdout), stderr.includes('came twice')]).toEqual([downFrom(30), false]);
  });

  it('a shift within an older day is told from an order that changes by a page that is empty, and free', async () => {
    let signals: Signals = recent(4, 10);
    const { service, pdi } = await origin(({ path }) => {
      const page = feedPage(path, signals);
      if (pageOf(path) === 0) signals = [signal('new', today), ...signals];
      return { json: page };
    });
    const { stdout, stderr } = await pdi('feed --all --limit 15 -o ndjson');
    expect([
      idsIn(stdout),
      stderr.includes('came twice'),
      summaryOf({ stderr }).calls_billed,
    ]).toEqual([idsOf(recent(4, 10)), false, 3]);
    expect(service.requests.at(-1)?.path).toContain(`signal_date_before=${ago(1)}&page=10&limit=1`);
  });

  it('says so where all pages are longer than asked for, and misses no signal', async () => {
    const { service, pdi } = await origin(({ path }) =>
      growingFeed(250).answer({ path: `/?page=${pageOf(path)}&limit=100` }),
    );
    const result = await pdi('feed --all -o ndjson');
    expect([result.code, numbersOf(result.stdout), service.requests.length]).toEqual([
      0,
      downFrom(250),
      4,
    ]);
    expect(saidBy(result)).toContainEqual({
      notice: 'the service gives pages of 100, whatever limit is asked for',
    });
  });
});

describe('feed --since-last', () => {
  it('delivers each signal exactly once over runs, by bookmark', async () => {
    const feed = growingFeed(25);
    const { pdi } = await origin(feed.answer);
    const next = async (name: readonly string[] = []) =>
      numbersOf(
        (
          await pdi([
            'feed',
            '--all',
            '--limit',
            '10',
            '-o',
            'ndjson',
            '--after',
            '0001-01-01',
            '--since-last',
            ...name,
          ])
        ).stdout,
      );
    expect(await next()).toEqual(downFrom(25));
    expect(await next()).toEqual([]);
    feed.arrive(7);
    expect(await next()).toEqual(downFrom(32, 26));
    expect(await next(['monday'])).toEqual(downFrom(32));
    feed.arrive(1);
    expect(await next()).toEqual([33]);
    expect(await next(['monday'])).toEqual([33]);
  });

  it('does not move where a page failed before anything was written, nor where the output could not be written', async () => {
    const feed = growingFeed(5);
    let failing = true;
    const { pdi } = await origin((request) =>
      failing ? { status: 500, json: {} } : feed.answer(request),
    );
    const argv = 'feed --since-last --after 0001-01-01 -o ndjson';
    expect((await pdi(argv)).code).toBe(5);
    failing = false;
    expect((await pdi(`${argv} --out /dev/full`)).code).toBe(1);
    expect(numbersOf((await pdi(argv)).stdout)).toEqual(downFrom(5));
  });

  it('is a plan with --dry-run, and moves nothing', async () => {
    const { service, pdi, home } = await origin(growingFeed(5).answer);
    expect((await pdi('feed --all --since-last --dry-run')).code).toBe(0);
    expect(service.requests).toEqual([]);
    expect(existsSync(join(home, 'state'))).toBe(false);
    expect(numbersOf((await pdi('feed --since-last --after 0001-01-01 -o ndjson')).stdout)).toEqual(
      downFrom(5),
    );
    expect(objectOf(await pdi('feed --all --since-last --dry-run')).requests).toMatchObject([
      { url: expect.stringContaining('?signal_date_after=2026-06-01&page=0') },
    ]);
    expect(objectOf(await pdi('feed --since-last --dry-run')).last_run).toEqual({
      calls_new: 1,
      calls_look_back: 0,
    });
    const words = await pdi('feed --since-last --dry-run -o table');
    expect(words.stdout).toContain(
      'the last run of this bookmark cost 1 page: 1 for what was new, 0 for days that had grown',
    );
  });
});

type Signals = readonly { readonly signal_id: string; readonly signal_date: string }[];

/** A service of dated signals that applies the days it is asked for, and what each run asked and was billed. */
async function datedFeed(signals: () => Signals, answer = feedPage<Signals[number]>) {
  let billed = 0;
  const { service, pdi, home } = await origin(({ path }) => {
    const page = answer(path, signals());
    if (page.length > 0) billed += 1;
    return { json: page };
  });
  let [seen, paid] = [0, 0];
  const next = async (...more: string[]) => {
    const result = await pdi([
      'feed',
      '--since-last',
      '--after',
      '0001-01-01',
      '-o',
      'ndjson',
      ...more,
    ]);
    const asked = service.requests.slice(seen).map(({ path }) => path.replace(/^.*\?/, ''));
    const run = { ...result, ids: idsIn(result.stdout), asked, billed: billed - paid };
    [seen, paid] = [service.requests.length, billed];
    return run;
  };
  const bookmark = async () => arrayOf(await pdi('bookmarks -o json', { home }))[0];
  return { next, pdi, home, bookmark };
}

const ago = (days: number): string => addDays(today, -days);
const idsOf = (signals: Signals): readonly string[] => signals.map(({ signal_id }) => signal_id);

/** So many signals of each of the last `days` days, newest first. */
const recent = (days: number, perDay: number) =>
  dated(0, days * perDay, perDay).map(({ signal_id }, at) =>
    signal(signal_id, ago(Math.floor(at / perDay))),
  );

describe('a bookmark pays for what is new', () => {
  afterEach(() => void vi.useRealTimers());

  /** Runs of the program go on at another time. */
  const later = (days: number) => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
    vi.setSystemTime(new Date(`${addDays(today, days)}T12:00:00Z`));
  };

  it('its pages, and one more at most; days that have not grown are counted for nothing', async () => {
    let signals: Signals = recent(7, 30);
    const { next } = await datedFeed(() => signals);
    expect(await next()).toMatchObject({ billed: 5, ids: idsOf(signals) });
    signals = [...dated(1000, 20).map(({ signal_id }) => signal(signal_id, today)), ...signals];
    const second = await next();
    expect([second.billed, second.ids]).toEqual([1, idsOf(signals.slice(0, 20))]);
    expect(second.asked).toContain(
      `signal_date_after=${today}&signal_date_before=${today}&page=50&limit=1`,
    );
    expect(await next()).toMatchObject({ ids: [], billed: 1 });
  });

  it('a late signal comes when its day is a week old, and the summary says what it cost', async () => {
    let signals: Signals = recent(3, 60);
    const { next, bookmark } = await datedFeed(() => signals);
    await next();
    expect(await bookmark()).toMatchObject({ to_count: `${ago(7)} to ${today}` });
    signals = [...signals, signal('late', ago(1)), signal('on an empty day', ago(4))];
    expect(await next()).toMatchObject({ ids: [] });
    later(6);
    const found = await next('-o', 'csv', '--fields', 'signal_id', '--errors', 'text');
    expect(found.stdout).toBe('signal_id\r\non an empty day\r\nlate\r\n');
    expect(found.stderr).toContain('2 new signals; 6 pages billed; ');
    expect(found.stderr).toContain(`${ago(1)} grew by 1: 3 pages billed for it`);
    expect(await bookmark()).toMatchObject({ to_count: today });
    signals = [...signals, signal('too late', ago(2))];
    later(7);
    const last = await next();
    expect([last.ids, summaryOf(last)]).toEqual([
      [],
      expect.objectContaining({ late_signals: 0, calls_new: 1, calls_look_back: 0 }),
    ]);
  });

  it('--look-back counts at another age for that run alone', async () => {
    let signals: Signals = recent(8, 5);
    const { next } = await datedFeed(() => signals);
    await next();
    signals = [...signals, signal('a', ago(3)), signal('b', ago(5))];
    expect((await next('--look-back', '4')).ids).toEqual(['b']);
    signals = [...signals, signal('c', ago(5))];
    later(2);
    expect((await next('--look-back', '0')).ids).toEqual([]);
    const week = await next();
    expect([week.ids, summaryOf(week).late_signals]).toEqual([['c'], 1]);
    later(9);
    expect((await next()).ids).toEqual(['a']);
  });

  it('finds the signal that a deletion moved between two pages, when its day is counted', async () => {
    const signals = [...recent(3, 40)];
    const { next } = await datedFeed(
      () => signals,
      (path, all) => {
        const page = feedPage(path, all);
        if (page.length === 50 && pageOf(path) === 0) signals.shift();
        return page;
      },
    );
    const first = await next();
    expect([first.ids.length, first.ids.includes('s50')]).toEqual([119, false]);
    later(8);
    expect((await next()).ids).toEqual(['s50']);
  });

  it.each(
    (['by request', 'top N'] as const).flatMap((order) =>
      [10, 25, 60].map((perDay) => [order, perDay] as const),
    ),
  )(
    'an order within a day that changes (%s), %i a day: none is lost, or it is told',
    async (order, perDay) => {
      for (const flags of ['--all', '--since-last --after 0001-01-01']) {
        const feed = new DrawnFeed(Math.random, today);
        feed.order = order;
        for (let day = 0; day < 300 / perDay; day += 1)
          feed.arrive(day === 0 ? perDay - 3 : perDay, ago(day));
        const { pdi } = await origin(({ path }) => ({ json: feed.page(askedIn(path)) }));
        const result = await pdi(`feed ${flags} -o ndjson`);
        const found = new Set(idsIn(result.stdout)).size;
        expect([result.code, idsIn(result.stdout).length]).toEqual([0, found]);
        if (perDay <= 25) expect(found).toBe(297);
        if (found < 297)
          expect(result.stderr).toMatch(
            /\d+ records? came twice within a day: as many may be missing/,
          );
      }
    },
  );

  it('a service that ignores limit: it is told, and days are counted by reading them', async () => {
    let signals: Signals = recent(4, 20);
    const { next } = await datedFeed(
      () => signals,
      (path, all) => feedPage(path.replace(/limit=\d+/, 'limit=50'), all),
    );
    await next();
    const told = {
      notice: expect.stringContaining(
        'the service gives pages of 50, whatever limit is asked for, so a day is counted again',
      ),
    };
    const second = await next();
    expect([second.ids, saidBy(second).filter(({ notice }) => notice !== undefined)]).toEqual([
      [],
      [told],
    ]);
    signals = [...signals, signal('late', ago(2))];
    later(5);
    expect(await next()).toMatchObject({ ids: ['late'] });
  });

  it('a signal from the future keeps no run from what is new', async () => {
    let signals = [signal('future', '2999-01-01'), signal('a', '2026-06-30')];
    const { next } = await datedFeed(() => signals);
    await next();
    signals = [signal('future', '2999-01-01'), signal('b', today), signal('a', '2026-06-30')];
    expect((await next()).ids).toEqual(['b']);
    expect((await next()).ids).toEqual([]);
  });

  it('a run that ended early is gone on with below what is new, each signal once', async () => {
    let signals = dated(0, 1000);
    const { next, bookmark } = await datedFeed(() => signals);
    const first = await next('--max-billable', '3');
    expect([first.code, first.ids.length]).toEqual([7, 150]);
    expect(await bookmark()).toMatchObject({
      newest: '2026-06-30',
      unread: '0001-01-01 to 2026-06-23',
    });
    signals = [...dated(-40, 40), ...signals];
    const second = await next('--max-pages', '8');
    expect([second.code, second.ids.slice(0, 40)]).toEqual([0, idsOf(dated(-40, 40))]);
    expect(summaryOf(second).resume).toContain('goes on below');
    const third = await next();
    expect(new Set([...first.ids, ...second.ids, ...third.ids]).size).toBe(1040);
    expect(first.ids.length + second.ids.length + third.ids.length).toBe(1040);
    expect(await bookmark()).toMatchObject({ unread: '' });
  });

  it('a day of more signals than a run may buy is finished over runs, each page once', async () => {
    const { next } = await datedFeed(() => dated(0, 400, 400));
    const runs = [];
    for (let run = 0; run < 5; run += 1) runs.push(await next('--max-billable', '2'));
    expect(runs.map(({ ids }) => ids.length)).toEqual([100, 50, 50, 50, 50]);
    expect((await next('--max-billable', '1')).ids).toHaveLength(50);
  });

  it('keeps identities only until their day was counted', async () => {
    const { next, bookmark } = await datedFeed(() => recent(60, 20));
    await next();
    expect(await bookmark()).toMatchObject({ signals: 180, to_count: `${ago(7)} to ${today}` });
    later(9);
    await next();
    expect(await bookmark()).toMatchObject({ signals: 20, to_count: '' });
  });

  it('a count that cap or budget have no room for is left to the next run, and ends none', async () => {
    const { next, bookmark } = await datedFeed(() => recent(5, 20));
    await next();
    later(8);
    for (const limit of ['--max-billable', '--max-pages']) {
      expect(await next(limit, '2')).toMatchObject({ code: 0 });
      expect((await bookmark())?.to_count).not.toBe('');
    }
    expect(await next('--budget', '1000/day')).toMatchObject({ code: 0, ids: [] });
    expect((await bookmark())?.to_count).toBe('');
  });

  it('--after says where a bookmark begins, and nothing once it has delivered: a crontab line stays as it is', async () => {
    const { next } = await datedFeed(() => dated(0, 1000));
    const line = ['--after', '2026-06-01'];
    const first = await next(...line);
    expect([first.ids.length, first.asked[0]]).toEqual([
      600,
      'signal_date_after=2026-06-01&page=0&limit=50',
    ]);
    for (let day = 0; day < 2; day += 1)
      expect(await next(...line)).toMatchObject({ ids: [], billed: 1 });
    expect(summaryOf(await next(...line))).toMatchObject({
      rows: 0,
      new_signals: 0,
      calls_billed: 1,
      calls_look_back: 0,
    });
    expect(await next(...line, '--look-back', '60')).toMatchObject({ ids: [], billed: 1 });
  });

  it('a new one without --after begins a week ago, and says so; nothing of that week is missed later', async () => {
    let signals = [signal('early', ago(8)), signal('old', '2026-06-30')];
    const { pdi } = await origin(({ path }) => ({ json: feedPage(path, signals) }));
    const next = () => pdi('feed --since-last -o ndjson');
    const first = await next();
    expect(first).toMatchObject({ code: 0, stdout: '' });
    const notice = expect.stringContaining(
      `begins a week ago, on ${ago(7)}; --after DAY begins it earlier`,
    );
    expect(saidBy(first)).toContainEqual({ notice });
    signals = [signal('late', ago(7)), ...signals];
    const second = await next();
    expect([idsIn(second.stdout), saidBy(second).filter((said) => 'notice' in said)]).toEqual([
      ['late'],
      [],
    ]);
  });

  it('after the cap, one line says how to go on, and it is true', async () => {
    const { next } = await datedFeed(() => dated(0, 500));
    const capped = ['--max-billable', '3', '-o', 'csv', '--errors', 'text'];
    const { stderr, code } = await next(...capped);
    const reached = 'pdi: the cap of 3 calls that may be billed is reached';
    const onward =
      'older signals are left: run the same command again, it asks for what is new and goes on below';
    expect([code, stderr.replace(/\d\.\d s/, 'soon')]).toEqual([
      7,
      `pdi: 150 new signals; 3 pages billed; soon; ${onward}\n${reached}\n`,
    ]);
    const quiet = await next(...capped, '--quiet');
    expect(quiet.stderr).toBe(`${reached}; ${onward}\n`);
  });

  it('where what is left is later than --before, the command without it goes on', async () => {
    const { next } = await datedFeed(() => dated(0, 600));
    const first = await next('--after', '2026-06-01', '--max-pages', '3');
    const some = await next('--before', '2026-06-10', '--max-pages', '1');
    expect(summaryOf(some).resume).toContain(
      'older signals are left: run the same command again, it asks',
    );
    const others = await next('--before', '2026-06-10');
    const onward = 'it asks for what is new and goes on below';
    expect(summaryOf(others).resume).toBe(
      `older signals are left: run the same command again without --before, ${onward}`,
    );
    const none = await next('--before', '2026-06-10', '--out', newFile());
    const resume = `older signals are left: run the same command again without --before, ${onward}`;
    expect([summaryOf(none).resume, none.asked]).toEqual([resume, []]);
    const rest = await next();
    const found = [first, some, others, rest].flatMap(({ ids }) => ids);
    expect([summaryOf(rest).resume, new Set(found).size, found.length]).toEqual([null, 600, 600]);
  });

  it('a run that buys nothing at all says what to do, though it has no summary', async () => {
    const { next } = await datedFeed(() => dated(0, 500));
    await next('--max-pages', '2');
    expect(errorOf(await next('--max-billable', '0')).hint).toContain(
      'raise it with --max-billable N',
    );
  });

  it.each(['--max-billable', '--max-pages'])(
    'a run that may make one call comes further with it: %s 1',
    async (flag) => {
      const { next } = await datedFeed(() => dated(0, 500));
      const first = await next('--max-billable', '3');
      const second = await next(flag, '1');
      const found = [...first.ids, ...second.ids];
      expect([second.asked.length, second.ids.length, new Set(found).size]).toEqual([
        1,
        40,
        found.length,
      ]);
    },
  );

  it('drops what the service answers of days that were not asked for, with one notice', async () => {
    const withoutDays = (path: string) => path.replaceAll(/signal_date_\w+=[\d-]+&?/g, '');
    const { next } = await datedFeed(
      () => dated(0, 1000),
      (path, all) => feedPage(withoutDays(path), all),
    );
    const first = await next('--after', '2026-06-01');
    expect(first.ids).toHaveLength(600);
    const notices = saidBy(first).filter((said) => 'notice' in said);
    expect(notices).toEqual([
      { notice: expect.stringContaining('the service answered with days that were not asked for') },
    ]);
    expect(await next()).toMatchObject({ ids: [], code: 0 });
  });
});

describe('FILE of a bookmark', () => {
  const grown = async (name: string, ...flags: string[]) => {
    let signals: Signals = recent(2, 3);
    const out = newFile(name);
    const { next } = await datedFeed(() => signals);
    const run = () =>
      next('-o', name.split('.')[1] ?? '', '--errors', 'json', '--out', out, ...flags);
    const arrive = () => {
      signals = [signal('new', today), ...signals];
    };
    return { out, run, arrive, next };
  };

  it.each([
    ['day.csv', '--fields', 'signal_id'],
    ['day.ndjson'],
    ['day.csv', '--no-header', '--bom'],
  ])('%s %s is added to, and stays as it is where nothing is new', async (name, ...flags) => {
    const { out, run, arrive } = await grown(name, ...flags);
    expect((await run()).code).toBe(0);
    const [first, { ino }] = [readFileSync(out, 'utf8'), statSync(out)];
    expect((await run()).code).toBe(0);
    expect([readFileSync(out, 'utf8'), statSync(out).ino]).toEqual([first, ino]);
    arrive();
    expect((await run()).code).toBe(0);
    const second = readFileSync(out, 'utf8');
    expect([second.startsWith(first), second.slice(first.length).split('new').length]).toEqual([
      true,
      2,
    ]);
    expect(second.slice(first.length).split('\n')).toHaveLength(2);
  });

  it('of other columns, or without an end to its last line, is left alone, before a call', async () => {
    const { out, run, next } = await grown('day.csv', '--fields', 'signal_id');
    await run();
    const before = readFileSync(out, 'utf8');
    const other = await next('-o', 'csv', '--out', out, '--fields', 'signal_date', '--force');
    expect([other.code, other.asked, readFileSync(out, 'utf8')]).toEqual([2, [], before]);
    const hint = `nothing was sent; name another file, such as day-${today}.csv`;
    expect(other.stderr).toContain(hint);
    writeFileSync(out, `${before}half`);
    expect(await run()).toMatchObject({
      code: 2,
      asked: [],
      stderr: expect.stringContaining('its last line has no end'),
    });
  });

  it.each(['json', 'xlsx', 'parquet'])(
    'of %s that holds signals is refused by name, before a call; an empty one is replaced',
    async (format) => {
      const { out, run, arrive } = await grown(`day.${format}`);
      await run();
      const before = readFileSync(out);
      arrive();
      const refused = await run();
      expect([refused.code, refused.asked, readFileSync(out).equals(before)]).toEqual([
        2,
        [],
        true,
      ]);
      expect(errorOf(refused)).toMatchObject({
        message: expect.stringContaining('it holds 6 delivered signals'),
        hint: `nothing was sent; name another file, such as day-${today}.${format}`,
      });
      let signals: Signals = [];
      const { next } = await datedFeed(() => signals);
      const empty = ['-o', format, '--out', newFile(`empty.${format}`)];
      expect((await next(...empty)).code).toBe(0);
      signals = recent(1, 3);
      expect((await next(...empty)).code).toBe(0);
    },
  );
});
