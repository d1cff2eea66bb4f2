import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bookmark, type BookmarkOptions, openBookmark } from '../../src/money/bookmark.ts';
import { clock, diskWithRoom, failureOf, newFolder, processes } from './places.ts';

const scope = { baseUrl: 'https://api.example.test/api/v1', search: '12', list: undefined };

const open = (directory: string, more: Partial<BookmarkOptions> = {}): Promise<Bookmark> =>
  openBookmark({ directory, name: 'default', scope, processes: processes(), clock, ...more });

/** What one run of the feed delivers of `ids`. */
async function run(directory: string, ids: readonly string[], saved: boolean): Promise<string[]> {
  const bookmark = await open(directory);
  const fresh = [...new Set(ids)].filter((id) => !bookmark.has(id));
  for (const id of fresh) bookmark.deliver(id);
  if (saved) bookmark.save();
  bookmark.close();
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
    (await open(directory)).close();
  });

  test('is for one run at a time', async () => {
    const directory = newFolder();
    const first = await open(directory);
    expect((await failureOf(() => open(directory))).message).toContain('the bookmark default is in use by another run');
    (await open(directory, { name: 'other' })).close();
    first.close();
    (await open(directory)).close();
  });

  test.each(['', '{"pdi_bookmark":1', '[]', '{"pdi_bookmark":1,"scope":{},"delivered":[1]}', '{"pdi_bookmark":2}'])(
    'that is damaged is named and left as it is: %j',
    async (text) => {
      const directory = newFolder();
      mkdirSync(join(directory, 'bookmarks'));
      writeFileSync(file(directory), text);
      const failure = await failureOf(() => open(directory));
      expect(failure).toMatchObject({ code: 'internal', message: `the bookmark ${file(directory)} is damaged` });
      expect(readFileSync(file(directory), 'utf8')).toBe(text);
    },
  );

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
    const bookmark = await open(directory, { write: diskWithRoom(40).write });
    bookmark.deliver('b');
    const failure = await failureOf(() => bookmark.save());
    expect(failure).toMatchObject({ code: 'internal', message: expect.stringContaining('the bookmark did not move') });
    bookmark.close();
    expect(readdirSync(join(directory, 'bookmarks'))).toEqual(['default.json']);
    expect(await run(directory, ['a', 'b'], true)).toEqual(['b']);
  });
});
