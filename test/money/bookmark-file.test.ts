import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedProgress, resetTo } from '../../src/money/bookmark.ts';
import { type BookmarkOptions, bookmarkOf, listBookmarks, openBookmark } from '../../src/money/bookmark-file.ts';
import { firstDay, lastDay } from '../../src/rows/days.ts';
import { clock, diskWithRoom, failureOf, newFolder, processes } from './places.ts';

const scope = { baseUrl: 'https://api.example.test/api/v1', search: '12', list: undefined };

type More = Partial<BookmarkOptions> & { readonly scope?: Readonly<Record<string, string | undefined>> };

/** Opens a bookmark as a run of the feed does. */
async function open(directory: string, { scope: of = scope, ...more }: More = {}) {
  const options = { directory, name: 'default', processes: processes(), clock, ...more };
  const file = await openBookmark(options);
  try {
    return { file, bookmark: bookmarkOf(file.stored(), of, options.name) };
  } catch (error) {
    file.close();
    throw error;
  }
}

const question = { today: '2026-06-30', lookBack: 7, after: undefined, before: undefined, newestFirst: true };

/** What one run of the feed delivers of `ids`. */
async function run(directory: string, ids: readonly string[], saved: boolean, more: More = {}): Promise<string[]> {
  const { file, bookmark } = await open(directory, more);
  const progress = new FeedProgress(bookmark, question);
  const fresh = [...new Set(ids)].filter((id) => !progress.has(id));
  for (const range of progress.ranges)
    progress.page(
      range,
      ids.map((id) => ({ id, day: '2026-06-30' })),
      true,
    );
  try {
    if (saved) file.save(more.scope ?? scope, progress.next());
  } finally {
    file.close();
  }
  return fresh;
}

const file = (directory: string): string => join(directory, 'bookmarks', 'default.json');

describe('a bookmark', () => {
  test('delivers each signal exactly once over runs that were saved, whatever arrives when', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.array(fc.uuid(), { maxLength: 5 }), fc.boolean()), { maxLength: 6 }), async (runs) => {
        const directory = newFolder();
        const seen: string[] = [];
        const delivered: string[] = [];
        for (const [ids, saved] of runs) {
          seen.push(...ids);
          const fresh = await run(directory, seen, saved);
          if (saved) delivered.push(...fresh);
        }
        delivered.push(...(await run(directory, seen, true)));
        expect(delivered.toSorted()).toEqual([...new Set(seen)].toSorted());
      }),
      { numRuns: 30 },
    ));

  test('does not move before it is saved', async () => {
    const directory = newFolder();
    expect(await run(directory, ['a'], false)).toEqual(['a']);
    expect(readdirSync(join(directory, 'bookmarks'))).toEqual([]);
    expect(await run(directory, ['a'], true)).toEqual(['a']);
    expect(await run(directory, ['a', 'late'], true)).toEqual(['late']);
  });

  test('is private', async () => {
    const directory = newFolder();
    mkdirSync(join(directory, 'bookmarks'), { mode: 0o755 });
    await run(directory, ['a'], true);
    expect(statSync(join(directory, 'bookmarks')).mode & 0o777).toBe(0o700);
    expect(statSync(file(directory)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, 'bookmarks'))).toEqual(['default.json']);
  });

  test.each(['', 'a/b', '../x', 'a b', 'é', 'x'.repeat(65)])('has a plain name, not %j', async (name) => {
    expect((await failureOf(() => open(newFolder(), { name }))).code).toBe('usage');
  });

  test.each([
    [{ search: '13' }, 'search 12, not 13'],
    [{ search: undefined, list: 'x' }, 'search 12, not none'],
    [{ sort: 'date' }, 'sort none, not date'],
    [{ baseUrl: 'https://other.example.test/api/v1' }, 'baseUrl https://api.example.test/api/v1, not https://other'],
  ])('is refused to another feed: %j', async (other, words) => {
    const directory = newFolder();
    await run(directory, ['a'], true);
    const failure = await failureOf(() => open(directory, { scope: { ...scope, ...other } }));
    expect(failure.code).toBe('usage');
    expect(failure.message).toContain(`the bookmark default belongs to another feed: ${words}`);
    (await open(directory)).file.close();
  });

  test('is for one run at a time', async () => {
    const directory = newFolder();
    const first = await open(directory);
    expect((await failureOf(() => open(directory))).message).toContain('the bookmark default is in use by another run');
    (await open(directory, { name: 'other' })).file.close();
    first.file.close();
    (await open(directory)).file.close();
  });

  test.each([
    '',
    '{"pdi_bookmark":1',
    '[]',
    '{"pdi_bookmark":1,"scope":{},"delivered":[1]}',
    '{"pdi_bookmark":2}',
    '{"pdi_bookmark":2,"scope":{},"gaps":[{"to":"June"}],"delivered":{}}',
    '{"pdi_bookmark":2,"scope":{},"gaps":[],"newest":5,"delivered":{}}',
    '{"pdi_bookmark":2,"scope":{},"gaps":[],"delivered":{"2026-06-30":[1]}}',
  ])('that is damaged is named and left as it is: %j', async (text) => {
    const directory = newFolder();
    mkdirSync(join(directory, 'bookmarks'));
    writeFileSync(file(directory), text);
    const failure = await failureOf(() => open(directory));
    expect(failure).toMatchObject({ code: 'internal', message: `the bookmark ${file(directory)} is damaged` });
    expect(readFileSync(file(directory), 'utf8')).toBe(text);
  });

  test('that is a link is refused', async () => {
    const directory = newFolder();
    mkdirSync(join(directory, 'bookmarks'));
    symlinkSync(join(directory, 'elsewhere'), file(directory));
    expect(await failureOf(() => open(directory))).toMatchObject({
      message: `${file(directory)} is a symbolic link`,
      details: { hint: 'move it away, or name another bookmark with --since-last NAME' },
    });
  });

  test('stays where it was on a full disk, and leaves no rest', async () => {
    const directory = newFolder();
    await run(directory, ['a'], true);
    const failure = await failureOf(() => run(directory, ['a', 'b'], true, { write: diskWithRoom(40).write }));
    expect(failure).toMatchObject({ code: 'internal', message: expect.stringContaining('the bookmark did not move') });
    expect(readdirSync(join(directory, 'bookmarks'))).toEqual(['default.json']);
    expect(await run(directory, ['a', 'b'], true)).toEqual(['b']);
  });

  test('of a newer pdi is refused by its name', async () => {
    const directory = newFolder();
    mkdirSync(join(directory, 'bookmarks'));
    writeFileSync(file(directory), '{"pdi_bookmark":3}');
    const failure = await failureOf(() => open(directory));
    expect(failure).toMatchObject({
      code: 'internal',
      message: `${file(directory)} was written by a newer pdi: version 3 of bookmarks, and this one knows 2`,
    });
  });

  test('of the first version is read: its signals are not delivered again, and everything is asked for once', async () => {
    const directory = newFolder();
    mkdirSync(join(directory, 'bookmarks'));
    const { search, baseUrl } = scope;
    const old = { pdi_bookmark: 1, name: 'default', scope: { baseUrl, search }, saved_at: '2026-06-01T00:00:00.000Z' };
    writeFileSync(file(directory), JSON.stringify({ ...old, delivered: ['a', 'gone'] }));
    const { file: opened, bookmark } = await open(directory);
    opened.close();
    expect(new FeedProgress(bookmark, question).ranges).toEqual([{ from: firstDay, to: lastDay }]);
    expect(await run(directory, ['a', 'b'], true)).toEqual(['b']);
    expect(await run(directory, ['a', 'b'], true)).toEqual([]);
    // Days are known now, and what the feed has no more is forgotten.
    expect(JSON.parse(readFileSync(file(directory), 'utf8')).delivered).toEqual({ '2026-06-30': ['a', 'b'] });
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
            lookBackFrom: gaps.length === 1 ? '2026-06-05' : undefined,
            gaps: gaps.map(([from, to]) => ({ from: from ? '2026-05-01' : firstDay, to: to ? '2026-05-31' : lastDay })),
            delivered: new Map(signals.map(([day, id]) => [id, `2026-06-${String(day).padStart(2, '0')}`])),
          };
          const { file: opened } = await open(directory);
          opened.save(scope, written);
          opened.close();
          const { file: again, bookmark } = await open(directory);
          again.close();
          expect({ ...bookmark, delivered: [...bookmark.delivered].sort() }).toEqual({
            ...written,
            delivered: [...written.delivered].sort(),
          });
        },
      ),
      { numRuns: 20 },
    ));

  test('is listed by name with what it holds, or without where it is damaged', async () => {
    const directory = newFolder();
    expect(listBookmarks(directory)).toEqual([]);
    await run(directory, ['a'], true, { name: 'weekly' });
    await run(directory, ['a'], true, { name: 'daily' });
    writeFileSync(join(directory, 'bookmarks', 'broken.json'), '{');
    expect(listBookmarks(directory).map(({ name, stored }) => [name, stored?.bookmark.newest])).toEqual([
      ['broken', undefined],
      ['daily', '2026-06-30'],
      ['weekly', '2026-06-30'],
    ]);
  });

  test('asks under a clock that was set back for no day of which it forgot what was delivered', () => {
    const gap = { from: '2026-06-25', to: '2026-06-26' };
    const known = { newest: '2026-06-30', knownSince: '2026-06-23', lookBackFrom: undefined, gaps: [gap], delivered: new Map() };
    const { ranges } = new FeedProgress(known, { ...question, today: '2026-06-01' });
    expect(ranges.map(({ from }) => from).sort()[0]).toBe('2026-06-23');
  });

  test('that is reset to a day delivers again what is of that day or later', () => {
    const bookmark = {
      newest: '2026-06-30',
      knownSince: undefined,
      lookBackFrom: '2026-06-01',
      gaps: [{ from: '2026-06-01', to: '2026-06-20' }],
      delivered: new Map([
        ['old', '2026-06-09'],
        ['day', '2026-06-10'],
      ]),
    };
    const reset = resetTo(bookmark, '2026-06-10');
    expect(reset).toMatchObject({ newest: '2026-06-10', gaps: [{ from: '2026-06-01', to: '2026-06-09' }] });
    expect([...reset.delivered.keys()]).toEqual(['old']);
    expect(new FeedProgress(reset, question).ranges[0]).toEqual({ from: '2026-06-10', to: lastDay });
  });

  test('that is reset to a day after its newest stays where it is: no day in between is passed over', () => {
    const delivered = new Map([['a', '2026-06-01']]);
    const bookmark = { newest: '2026-06-01', knownSince: '2026-05-25', lookBackFrom: undefined, gaps: [], delivered };
    expect(resetTo(bookmark, '2026-06-20')).toEqual(bookmark);
  });
});
