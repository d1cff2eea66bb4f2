import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyBookmark, resetTo } from '../../src/book/bookmark.ts';
import { bookmarkOf } from '../../src/book/bookmarks.ts';
import { FeedProgress } from '../../src/book/feed-progress.ts';
import { openBook } from '../../src/book/open-book.ts';
import { firstDay, lastDay } from '../../src/rows/days.ts';
import { failureOf } from '../support/failure.ts';
import { newFolder } from '../support/run.ts';
import { bookOptions } from './places.ts';

const scope = { baseUrl: 'https://api.example.test/api/v1', search: '12', list: undefined };

interface More {
  readonly name?: string;
  readonly scope?: Readonly<Record<string, string | undefined>>;
}

/** Opens a bookmark as a run of the feed does. */
async function open(directory: string, { scope: of = scope, name = 'default' }: More = {}) {
  const book = await openBook(bookOptions({ path: join(directory, 'book.db') }));
  const bookmarks = book.bookmarks(false);
  try {
    const lock = await bookmarks.take(name);
    const close = () => {
      lock.release();
      return book.close();
    };
    try {
      return { bookmarks, close, bookmark: bookmarkOf(await bookmarks.read(name), of, name) };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await book.close();
    throw error;
  }
}

const savedAt = '2026-06-30T12:00:00.000Z';
const question = {
  today: '2026-06-30',
  lookBack: 7,
  after: undefined,
  before: undefined,
  newestFirst: true,
  limit: 50,
  callsLeft: 100,
};

/** What one run of the feed delivers of `ids`. */
async function run(
  directory: string,
  ids: readonly string[],
  saved: boolean,
  more: More = {},
): Promise<string[]> {
  const { bookmarks, close, bookmark } = await open(directory, more);
  const progress = new FeedProgress(bookmark, question);
  const fresh = [...new Set(ids)].filter((id) => !progress.has(id));
  const questions = progress.questions();
  questions.next();
  questions.next(ids.map((id) => ({ id, day: '2026-06-30' })));
  if (saved)
    await bookmarks.save({
      name: more.name ?? 'default',
      scope: more.scope ?? scope,
      savedAt,
      bookmark: progress.next(),
    });
  await close();
  return fresh;
}

describe('a bookmark', () => {
  test.each([
    [{ search: '13' }, 'search 12, not 13'],
    [{ search: undefined, list: 'x' }, 'search 12, not none'],
    [{ sort: 'date' }, 'sort none, not date'],
    [
      { baseUrl: 'https://other.example.test/api/v1' },
      'base URL https://api.example.test/api/v1, not https://other',
    ],
  ])('is refused to another feed: %j', async (other, words) => {
    const directory = newFolder();
    await run(directory, ['a'], true);
    const failure = await failureOf(() => open(directory, { scope: { ...scope, ...other } }));
    expect(failure.code).toBe('usage');
    expect(failure.message).toContain(`the bookmark default belongs to another feed: ${words}`);
    await (await open(directory)).close();
  });

  test('is written and read the same, whatever it holds', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 28 }), fc.uuid()), { maxLength: 20 }),
        fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 2 }),
        async (signals, gaps) => {
          const directory = newFolder();
          const written = {
            newest: signals.length === 0 ? undefined : '2026-06-28',
            knownSince: signals.length % 2 === 0 ? undefined : '2026-06-01',
            begun: gaps.length === 0 ? undefined : '2026-06-03',
            gaps: gaps.map(([from, to]) => ({
              from: from ? '2026-05-01' : firstDay,
              to: to ? '2026-05-31' : lastDay,
              read: 3,
              kind: from ? ('new' as const) : ('late' as const),
            })),
            counted: gaps.length === 0 ? {} : { 7: '2026-06-02', 30: '2026-05-01' },
            countedOn: gaps.length === 0 ? undefined : '2026-06-09',
            pageLength: [undefined, 0, 100][gaps.length],
            cost: gaps.length === 0 ? undefined : { calls_new: 1, calls_look_back: 0 },
            file: gaps.length === 0 ? undefined : { path: '/signals.xlsx', signals: 3 },
            delivered: new Map(
              signals.map(([day, id]) => [id, `2026-06-${String(day).padStart(2, '0')}`]),
            ),
          };
          const { bookmarks, close } = await open(directory);
          await bookmarks.save({ name: 'default', scope, savedAt, bookmark: written });
          await close();
          const { close: closeAgain, bookmark } = await open(directory);
          await closeAgain();
          expect(bookmark).toEqual(written);
        },
      ),
      { numRuns: 20 },
    ));

  test('that is reset to a day delivers again what is of that day or later, but for what waits', () => {
    const bookmark = {
      ...emptyBookmark,
      newest: '2026-06-30',
      knownSince: '2026-06-11',
      counted: { 7: '2026-06-20' },
      gaps: [{ from: '2026-06-01', to: '2026-06-20', read: 3, kind: 'day' as const }],
      delivered: new Map(
        Object.entries({ old: '2026-06-09', day: '2026-06-10', waits: '2026-06-11' }),
      ),
    };
    const reset = resetTo(bookmark, '2026-06-10', (id) => id === 'waits');
    const gaps = [
      { from: '2026-06-10', to: lastDay },
      { from: '2026-06-01', to: '2026-06-09', read: 0 },
    ];
    expect(reset).toMatchObject({ newest: '2026-06-09', counted: { 7: '2026-06-09' }, gaps });
    expect([...reset.delivered.keys()]).toEqual(['old', 'waits']);
  });

  test('that is reset to a day after its newest stays where it is: no day in between is passed over', () => {
    const delivered = new Map([['a', '2026-06-01']]);
    const bookmark = {
      ...emptyBookmark,
      newest: '2026-06-01',
      knownSince: '2026-05-25',
      delivered,
    };
    expect(resetTo(bookmark, '2026-06-20', () => false)).toEqual(bookmark);
  });
});
