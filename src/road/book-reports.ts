/** `pdi spend`, `pdi store` and `pdi bookmarks` show what the book holds, and delete or set it back. They make no call. */
import { datedSignal, resetTo } from '../book/bookmark.ts';
import { Bookmarks, type StoredBookmark } from '../book/bookmarks.ts';
import {
  forgetAnswers,
  keptAnswers,
  lostCalls,
  purgeAll,
  purgeAnswers,
  type SpendCounts,
  type SpendKey,
  type SpendQuestion,
  spendCounts,
  spendReport,
  totalOf,
} from '../book/reports.ts';
import type { Age } from '../config/values.ts';
import type { Column } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { bareName } from '../contract/identifier.ts';
import { operations } from '../contract/operations.ts';
import { pluralize, UsageError } from '../errors.ts';
import { bar } from '../output/display.ts';
import { type DayRange, dayOf, firstDay, joinedDays, lastDay } from '../rows/days.ts';
import { readRecord } from '../rows/row.ts';
import { printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Rules, Show } from './plan.ts';
import { wantsPictures } from './shape.ts';
import { knownBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';
import type { Tools } from './tools.ts';

/** @throws PdiError `not_found` with `--fail-if-empty` if there are no calls of that time, UsageError for a profile that never was */
export async function runSpend(
  show: Show,
  tools: Tools,
  question: SpendQuestion,
  limits: Rules['limits'],
  refuseUnknownProfile: () => void,
): Promise<void> {
  const { since, until, by } = question;
  if (since !== undefined && until !== undefined && until < since) {
    throw new UsageError(`--until ${until} is before --since ${since}`, { item: '--until' });
  }
  const file = await tools.book.ifThere();
  const rows = file === undefined ? [] : await file.read(() => spendReport(file, question));
  if (rows.length === 0) refuseUnknownProfile();
  // A report needs no key, and without one it is not known whose calls count.
  const uses = question.sandbox ? [] : ((await knownBudgetUse(limits, tools)) ?? []);
  await printReport(show, tools, by, rows);
  for (const use of uses) tools.say.notice(describeUse(use));
  refuseEmpty(show, rows);
  if (rows.length === 0) tools.say.notice('the book holds no such calls');
}

/** Only a table ends with a total, because other formats are read by programs that add up themselves. */
async function printReport(show: Show, tools: Tools, by: readonly SpendKey[], rows: readonly SpendCounts[]): Promise<void> {
  const columns = [
    ...by.map((name) => ({ name, kind: name === 'day' ? 'date' : 'id', inTable: true }) as const),
    ...spendCounts.map((name) => ({ name, kind: 'count', inTable: true }) as const),
  ];
  if (show.format !== 'table') return printRows(show, tools, columns, rows);
  const total =
    rows.length === 0 ? [] : [{ ...Object.fromEntries(by.map((key, index) => [key, index === 0 ? 'total' : ''])), ...totalOf(rows) }];
  if (wantsPictures(show)) await printRows(show, tools, [...columns, chartColumn], [...withBars(rows), ...total]);
  else await printRows(show, tools, columns, [...rows, ...total]);
}

/** Bars on a terminal compare the calls that were billed or may have been. */
const chartColumn = { name: 'calls', kind: 'text', inTable: true } as const;

const mayCost = ({ billed, lost, settled, unpriced }: SpendCounts): number => billed + lost + settled + unpriced;

function withBars(rows: readonly SpendCounts[]): readonly object[] {
  const most = Math.max(0, ...rows.map(mayCost));
  return rows.map((row) => ({ ...row, [chartColumn.name]: bar(mayCost(row), { least: 0, most }) }));
}

const storeColumns: readonly Column[] = [
  ...reportColumns({ operation: 'id', base_url: 'text', account: 'text', answers: 'count', bytes: 'count' }),
  { name: 'oldest', kind: 'date', dateTime: 'utc', inTable: true },
  { name: 'latest', kind: 'date', dateTime: 'utc', inTable: true },
  ...reportColumns({ book: 'text' }, false),
];

export async function showStore(show: Show, tools: Tools): Promise<void> {
  const file = await tools.book.ifThere();
  const kept = file === undefined ? [] : await keptAnswers(file, Date.now());
  const lost = file === undefined ? 0 : await lostCalls(file);
  const book = tools.book.path;
  const rows = kept.map((answers) => ({ ...answers, book }));
  await printRows(show, tools, storeColumns, rows);
  const bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const unknown = lost === 0 ? '' : `; ${pluralize(lost, 'call')} may have been billed without an answer`;
  tools.say.notice(`the book is ${book}: ${sizeOf(bytes)} of answers${unknown}`);
  refuseEmpty(show, kept);
}

const sizeOf = (bytes: number): string => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export async function forgetIds(show: Show, tools: Tools, ids: readonly string[]): Promise<void> {
  const file = await tools.book.ifThere();
  const rows: object[] = [];
  for (const id of ids) {
    const forgotten = file === undefined ? 0 : await forgetAnswers(file, bareName(id), questionsAbout(bareName(id)));
    rows.push({ id, forgotten });
  }
  await printRows(show, tools, reportColumns({ id: 'id', forgotten: 'count' }), rows);
}

/** The id may be one of the service, or the name or website of an investor, asked by any operation whose answers are kept. */
function questionsAbout(id: string) {
  return Object.values(operations)
    .filter((endpoint) => 'stored' in endpoint && endpoint.stored)
    .flatMap((endpoint: Endpoint) => {
      const operation = `${endpoint.method} ${endpoint.path}`;
      const spellings = Object.entries(endpoint.spelling ?? {});
      return [id, ...spellings.map(([field, spelled]) => `${field}:${spelled(id)}`)].map((item) => ({ operation, item }));
    });
}

/** @throws UsageError unless it is said what to delete, and confirmed */
export async function purgeStore(
  show: Show,
  tools: Tools,
  { olderThan, all, yes }: { readonly olderThan?: Age | undefined; readonly all?: boolean | undefined; readonly yes?: boolean | undefined },
): Promise<void> {
  if ((olderThan === undefined) === (all !== true)) {
    throw new UsageError('say which answers to delete', { hint: 'give --older-than AGE, such as 30d, or --all' });
  }
  const what = olderThan === undefined ? 'all kept answers' : `all answers older than ${olderThan}`;
  if (yes !== true) await confirmPurge(`${what} in ${tools.book.path}`, tools);
  const file = await tools.book.ifThere();
  const purged = file && (await (olderThan === undefined ? purgeAll(file) : purgeAnswers(file, Date.now() - olderThan.milliseconds)));
  await printRows(show, tools, reportColumns({ deleted: 'count', kept: 'count' }), [purged ?? { deleted: 0, kept: 0 }], true);
}

async function confirmPurge(what: string, { io, stop, mayAsk }: Tools): Promise<void> {
  const { askLine } = await import('../config/ask.ts');
  if (!mayAsk) {
    throw new UsageError(`deleting ${what} was not confirmed`, { hint: 'pass --yes to delete them; they would have to be bought again' });
  }
  const answer = await askLine(io, `Deleting ${what}: they would have to be bought again. Type yes to go on: `, stop);
  if (answer.trim() !== 'yes') throw new UsageError('nothing was deleted: the answer was not yes');
}

const bookmarkColumns: readonly Column[] = [
  ...reportColumns({ name: 'id', newest: 'date', unread: 'text', waiting: 'count' }),
  { name: 'saved_at', kind: 'date', dateTime: 'utc', inTable: true },
  ...reportColumns({ base_url: 'text', search: 'id', list: 'id' }),
  ...reportColumns({ sort: 'text', signals: 'count', bytes: 'count', book: 'text' }, false),
];

export async function showBookmarks(show: Show, tools: Tools): Promise<void> {
  const file = await tools.book.ifThere();
  const bookmarks = file === undefined ? [] : await new Bookmarks(file, tools.isSandbox).list();
  const rows = bookmarks.map((bookmark) => rowOf(tools.book.path, bookmark));
  await printRows(show, tools, bookmarkColumns, rows);
  refuseEmpty(show, rows);
}

function rowOf(book: string, { name, scope, savedAt, bookmark, bytes, waiting }: StoredBookmark): object {
  const { baseUrl, search, list, sort } = scope;
  const { newest, gaps, delivered } = bookmark;
  return {
    name,
    newest,
    unread: joinedDays(gaps).map(describeDays).join(', '),
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

function describeDays({ from, to }: DayRange): string {
  if (from === firstDay) return to === lastDay ? 'all' : `until ${to}`;
  return to === lastDay ? `from ${from}` : `${from} to ${to}`;
}

/** @throws UsageError for a bookmark that is not there or in use, or a day to come */
export async function resetBookmark(tools: Tools, name: string, to: string | undefined): Promise<void> {
  if (to !== undefined && to > dayOf(new Date().toISOString())) {
    throw new UsageError(`--to ${to} is still to come`, { item: '--to', hint: 'name today or an earlier day' });
  }
  const file = await tools.book.ifThere();
  if (file === undefined) throw unknownBookmark(name, []);
  const waiting = await reset(new Bookmarks(file, tools.isSandbox), name, to);
  tools.say.notice(
    to === undefined
      ? `the bookmark ${name} is forgotten${waiting === 0 ? '' : `, and ${pluralize(waiting, 'signal')} that waited`}: the next run begins it a week ago, or where --after says`
      : `the next run with ${name} reads and delivers every signal dated ${to} or later again`,
  );
}

async function reset(bookmarks: Bookmarks, name: string, to: string | undefined): Promise<number> {
  const known = await bookmarks.names();
  if (!known.includes(name)) throw unknownBookmark(name, known);
  const lock = await bookmarks.take(name);
  try {
    const waiting = await bookmarks.waiting(name);
    const stored = to === undefined ? undefined : await bookmarks.read(name);
    if (to === undefined || stored === undefined) await bookmarks.remove(name);
    else {
      const waits = new Set(waiting.map((text) => datedSignal(readRecord(text).value).id));
      const bookmark = resetTo(stored.next ?? stored.bookmark, to, (id) => waits.has(id));
      await bookmarks.save({ ...stored, savedAt: new Date().toISOString(), bookmark }, true);
    }
    return waiting.length;
  } finally {
    lock.release();
  }
}

function unknownBookmark(name: string, known: readonly string[]): UsageError {
  const hint = known.length === 0 ? '`feed --since-last NAME` makes one' : `there are ${known.join(', ')}`;
  return new UsageError(`there is no bookmark ${JSON.stringify(name)}`, { item: name, hint });
}
