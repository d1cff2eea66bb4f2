/** `pdi bookmarks` shows what `feed --since-last` goes on from, and sets it back. It makes no call. */
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { emptyBookmark, resetTo } from '../money/bookmark.ts';
import { type ListedBookmark, listBookmarks, openBookmark } from '../money/bookmark-file.ts';
import { WrittenByNewer } from '../money/stored.ts';
import { type DayRange, dayOf, firstDay, lastDay } from '../rows/days.ts';
import type { Context } from './context.ts';
import { bookmarkDirectory } from './feed-since-last.ts';
import { printRows } from './print.ts';
import { failureOfEmpty } from './run-call.ts';

const columns: readonly Column[] = [
  { name: 'name', kind: 'id', inTable: true },
  { name: 'newest', kind: 'date', inTable: true },
  { name: 'unread', kind: 'text', inTable: true },
  { name: 'saved_at', kind: 'date', dateTime: 'utc', inTable: true },
  { name: 'base_url', kind: 'text', inTable: true },
  { name: 'search', kind: 'id', inTable: true },
  { name: 'list', kind: 'id', inTable: true },
  { name: 'sort', kind: 'text', inTable: false },
  { name: 'signals', kind: 'count', inTable: false },
  { name: 'bytes', kind: 'count', inTable: false },
  { name: 'file', kind: 'text', inTable: false },
];

/** @throws PdiError `not_found` with `--fail-if-empty` if there is no bookmark */
export async function showBookmarks(context: Context): Promise<void> {
  const bookmarks = listBookmarks(bookmarkDirectory(context));
  await printRows(context, columns, bookmarks.map(rowOf));
  for (const { name, trouble } of bookmarks) {
    if (trouble instanceof WrittenByNewer) context.notice(`${trouble.message}: use that pdi`);
    else if (trouble !== undefined) context.notice(`the bookmark ${name} cannot be read; \`pdi bookmarks reset ${name}\` removes it`);
  }
  const failure = bookmarks.length === 0 && context.flags.failIfEmpty === true ? failureOfEmpty(context) : undefined;
  if (failure !== undefined) throw failure;
}

function rowOf({ name, path, bytes, stored }: ListedBookmark): object {
  const { baseUrl, search, list, sort } = stored?.scope ?? {};
  const { newest, gaps, delivered } = stored?.bookmark ?? emptyBookmark;
  return {
    name,
    newest,
    unread: gaps.map(describeDays).join(', '),
    saved_at: stored?.savedAt,
    base_url: baseUrl,
    search,
    list,
    sort,
    signals: delivered.size,
    bytes,
    file: path,
  };
}

function describeDays({ from, to }: DayRange): string {
  if (from === firstDay) return to === lastDay ? 'all' : `until ${to}`;
  return to === lastDay ? `from ${from}` : `${from} to ${to}`;
}

/** @throws UsageError for a bookmark that is not there or in use, or a day to come, PdiError `internal` for one of a newer pdi */
export async function resetBookmark(context: Context, name: string, to: string | undefined): Promise<void> {
  const directory = bookmarkDirectory(context);
  const bookmarks = listBookmarks(directory);
  const known = bookmarks.map((bookmark) => bookmark.name);
  const { trouble } = bookmarks.find((bookmark) => bookmark.name === name) ?? {};
  if (trouble instanceof WrittenByNewer) throw trouble;
  if (!known.includes(name)) {
    const hint = known.length === 0 ? '`feed --all --since-last NAME` makes one' : `there are ${known.join(', ')}`;
    throw new UsageError(`there is no bookmark ${JSON.stringify(name)}`, { item: name, hint });
  }
  if (to !== undefined && to > dayOf(new Date().toISOString())) {
    throw new UsageError(`--to ${to} is still to come`, { item: '--to', hint: 'name today or an earlier day' });
  }
  const file = await openBookmark({ directory, name, processes: context.io.processes, clock: () => new Date() });
  try {
    const stored = to === undefined ? undefined : file.stored();
    if (to === undefined || stored === undefined) file.remove();
    else file.save(stored.scope, resetTo(stored.bookmark, to));
  } finally {
    file.close();
  }
  const what = to === undefined ? 'every signal' : `every signal dated ${to} or later`;
  context.notice(`the next run with ${name} reads and delivers ${what} again`);
}
