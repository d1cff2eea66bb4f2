/** `pdi bookmarks` shows what `feed --since-last` goes on from, and sets it back. It makes no call. */

import { datedSignal, daysToCount, resetTo } from '../book/bookmark.ts';
import type { StoredBookmark } from '../book/bookmarks.ts';
import type { Column } from '../contract/columns.ts';
import { PdiError, pluralize, UsageError } from '../errors.ts';
import { dayOf, describeDays, joinedDays } from '../rows/days.ts';
import { nearestFirst } from '../rows/nearest.ts';
import { printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Show } from './plan.ts';
import { confirmDeletion } from './store.ts';
import type { Tools } from './tools.ts';

const columns: readonly Column[] = [
  ...reportColumns({
    name: 'id',
    newest: 'date',
    unread: 'text',
    to_count: 'text',
    waiting: 'count',
  }),
  { name: 'saved_at', kind: 'date', dateTime: 'utc', inTable: true },
  ...reportColumns({ base_url: 'text', search: 'id', list: 'id' }),
  ...reportColumns({ sort: 'text', signals: 'count', bytes: 'count', book: 'text' }, false),
];

export async function showBookmarks(show: Show, tools: Tools): Promise<void> {
  const book = await tools.book.ifThere();
  const bookmarks = (await book?.bookmarks(tools.isSandbox).list()) ?? [];
  const rows = bookmarks.flatMap((bookmark) =>
    bookmark instanceof PdiError ? [] : [rowOf(tools.book.path, bookmark)],
  );
  const shown = await printRows(show, tools, columns, async () => rows);
  const damage = bookmarks.find((bookmark) => bookmark instanceof PdiError);
  if (damage !== undefined) throw damage;
  refuseEmpty(show, shown);
  if (rows.length === 0)
    tools.say.notice('there is no bookmark; `pdi feed --since-last NAME` makes one');
}

function rowOf(
  book: string,
  { name, scope, savedAt, bookmark, bytes, waiting }: StoredBookmark,
): object {
  const { baseUrl, search, list, sort } = scope;
  const { newest, gaps, delivered } = bookmark;
  const left = daysToCount(bookmark);
  return {
    name,
    newest,
    unread: joinedDays(gaps).map(describeDays).join(', '),
    to_count: left === undefined || left.from > left.to ? '' : describeDays(left),
    waiting,
    saved_at: savedAt,
    base_url: baseUrl,
    search,
    list,
    sort,
    signals: delivered.size,
    bytes,
    book,
  };
}

/** @throws UsageError for a bookmark that is not there or in use, a day to come, or signals that wait and are not given up */
export async function resetBookmark(
  tools: Tools,
  name: string,
  { to, yes }: { readonly to?: string | undefined; readonly yes?: boolean | undefined },
): Promise<void> {
  const { book, isSandbox, say } = tools;
  if (to !== undefined && to > dayOf(new Date().toISOString())) {
    throw new UsageError(`--to ${to} is still to come`, {
      item: '--to',
      hint: 'name today or an earlier day',
    });
  }
  const bookmarks = (await book.ifThere())?.bookmarks(isSandbox);
  const lock = await bookmarks?.take(name);
  try {
    const known = await bookmarks?.names();
    const waits = known?.get(name);
    if (bookmarks === undefined || waits === undefined)
      throw unknownBookmark(name, [...(known?.keys() ?? [])]);
    const stored = to === undefined ? undefined : await bookmarks.read(name);
    if (to === undefined || stored === undefined) {
      if (waits > 0 && yes !== true)
        await confirmDeletion(
          `the bookmark ${name}, and ${pluralize(waits, 'bought signal')} that its next run would deliver`,
          tools,
        );
      const waited = await bookmarks.remove(name);
      const lost = waited === 0 ? '' : `, and ${pluralize(waited, 'signal')} that waited`;
      say.notice(
        `the bookmark ${name} is forgotten${lost}: the next run begins it a week ago, or where --after says`,
      );
    } else {
      const waiting = new Set(
        (await bookmarks.waiting(name)).map(({ value }) => datedSignal(value).id),
      );
      const bookmark = resetTo(stored.next ?? stored.bookmark, to, (id) => waiting.has(id));
      await bookmarks.save({ ...stored, savedAt: new Date().toISOString(), bookmark }, true);
      say.notice(
        `the next run with ${name} reads and delivers every signal dated ${to} or later again`,
      );
    }
  } finally {
    lock?.release();
  }
}

function unknownBookmark(name: string, names: readonly string[]): UsageError {
  const hint =
    names.length === 0
      ? '`pdi feed --since-last NAME` makes one'
      : `there are ${nearestFirst(name, names)}`;
  return new UsageError(`there is no bookmark ${JSON.stringify(name)}`, { item: name, hint });
}
