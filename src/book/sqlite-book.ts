/** The book as a file of SQLite, for one user of one machine. */
import { statSync } from 'node:fs';
import { closesAtOnce } from '../files/sqlite.ts';
import type { Book, BookPlace } from './book.ts';
import { openBookFile } from './book-file.ts';
import { Bookmarks } from './bookmarks.ts';
import { Runs } from './runs.ts';
import { bytesOf, describeRun } from './schema.ts';
import { sharedPaceIn } from './shared-pace.ts';
import { bookmarkRowsIn } from './sqlite-bookmarks.ts';
import { SqliteContent } from './sqlite-content.ts';
import { SqliteReports } from './sqlite-reports.ts';
import { SqliteRun } from './sqlite-run.ts';

const finishedSql = `SELECT ${bytesOf('state', 'text')} FROM finished WHERE file = ?`;
const keepFinishedSql =
  'INSERT INTO finished (file, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state';

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Opens the book, or creates it (0600 in 0700). @throws PdiError `internal`, naming it: then nothing may be bought */
export async function openSqliteBook(place: BookPlace): Promise<Book> {
  const file = await openBookFile(place);
  const { path } = place;
  return {
    path,
    reports: new SqliteReports(file),
    ofRun: (options) => new SqliteRun(file, options),
    bookmarks: (sandbox) => new Bookmarks(bookmarkRowsIn(file, sandbox)),
    sharedPace: (owner) => sharedPaceIn(file, owner),
    finishedJob: (path) => file.read(() => file.text(finishedSql, path)),
    keepFinishedJob: async (path, text) => {
      await file.transaction(() => file.run(keepFinishedSql, path, text));
    },
    state: async () => {
      const { version, living } = await file.read(() => ({
        version: file.version,
        living: new Runs(file).living(),
      }));
      const bytes = sizeOf(path) + sizeOf(`${path}-wal`);
      return { version, bytes, at_work: living.map(describeRun) };
    },
    check: async () => {
      await file.transaction(() => file.markChange());
      const size = (sizeOf(path) / 1_000_000).toFixed(1);
      return `${closesAtOnce() ? 'node:sqlite' : 'libsql'}, ${size} MB, can be written and locked`;
    },
    whole: (work) => file.lasting(() => work(new SqliteContent(file))),
    copyInto: (path, prepare) => file.copyInto(path, prepare),
    close: async () => file.close(),
  };
}
