/** The tables of the book, and a connection that has them. */
import { isUtf8 } from 'node:buffer';
import { realpathSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { attempt, PdiError } from '../errors.ts';
import { refuseWithoutLocks } from '../files/lock.ts';
import { bookMark, isMountedAlone, reasonOf } from '../files/private.ts';
import {
  DamagedContent,
  type Database,
  type OpenDatabase,
  troubleOf,
  WithoutLocks,
} from '../files/sqlite.ts';
import { anotherBook, newerBook } from './book.ts';

/**
 * A call without an answer may have been billed. Nobody can say so of one whose price is not stated. Of a lost one the service's own log
 * tells: `billed_lost` was billed, `cleared` was not.
 */
export const reportedOutcome = (call: string): string =>
  `CASE ${call}.outcome WHEN 'billed_lost' THEN 'billed' WHEN 'cleared' THEN 'not_billed' ELSE
    CASE WHEN ${call}.outcome NOT IN ('sent', 'lost', 'settled') THEN ${call}.outcome WHEN ${call}.billing = 'unstated' THEN 'unpriced'
    WHEN ${call}.outcome = 'settled' THEN 'settled' ELSE 'lost' END END`;

/** SQLite uses a partial index where its own condition stands in the question, word for word. */
export const whereOpen = "call.outcome IN ('sent', 'lost', 'billed_lost')";
export const whereSent = `${whereOpen} AND call.outcome = 'sent'`;
export const whereLost = `${whereOpen} AND call.outcome <> 'sent'`;

export const dayOfCall = (call: string): string => `date(${call}.at / 1000, 'unixepoch')`;

const counted = `INSERT INTO spent (source, day, outcome, calls) VALUES (new.source, ${dayOfCall('new')}, ${reportedOutcome('new')}, 1)
    ON CONFLICT DO UPDATE SET calls = calls + 1;`;

// `owner` is an account at a base URL, `source` whose calls count together, `run` has those that live or died without an end. Triggers keep
// `spent` (the calls that have ended) and `kept` (the answers), so that no command counts a million rows; calls under way are few.
const firstTables = `
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, base_url TEXT NOT NULL, account TEXT) STRICT;
CREATE TABLE source (
  id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, profile TEXT NOT NULL, command TEXT NOT NULL, base_url TEXT NOT NULL,
  sandbox INTEGER NOT NULL, user TEXT NOT NULL, host TEXT NOT NULL, file TEXT NOT NULL,
  UNIQUE (owner, profile, command, base_url, sandbox, user, host, file)
) STRICT;
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, began INTEGER NOT NULL) STRICT;

CREATE TABLE call (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
  max_age INTEGER NOT NULL, outcome TEXT NOT NULL, operation TEXT NOT NULL, item TEXT, billing TEXT NOT NULL
) STRICT;
CREATE INDEX call_open ON call (outcome, key) WHERE outcome IN ('sent', 'lost', 'billed_lost');
CREATE INDEX call_item ON call (item) WHERE item IS NOT NULL;

CREATE TABLE spent (
  source INTEGER NOT NULL, day TEXT NOT NULL, outcome TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (source, day, outcome)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER call_added AFTER INSERT ON call WHEN new.outcome <> 'sent' BEGIN ${counted} END;
CREATE TRIGGER call_ended AFTER UPDATE OF outcome ON call WHEN old.outcome = 'sent' BEGIN ${counted} END;
CREATE TRIGGER call_settled AFTER UPDATE OF outcome ON call WHEN old.outcome NOT IN ('sent', new.outcome) BEGIN
  UPDATE spent SET calls = calls - 1 WHERE source = old.source AND day = ${dayOfCall('old')} AND outcome = ${reportedOutcome('old')};
  ${counted}
END;

CREATE TABLE answer (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, run INTEGER NOT NULL, owner INTEGER NOT NULL, operation TEXT NOT NULL,
  at INTEGER NOT NULL, until INTEGER NOT NULL, max_age INTEGER NOT NULL, missing INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX answer_key ON answer (key);
CREATE INDEX answer_until ON answer (until, owner, operation, bytes);
CREATE INDEX answer_kept ON answer (owner, operation, at, until);

CREATE TABLE kept (
  owner INTEGER NOT NULL, operation TEXT NOT NULL, answers INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (owner, operation)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER answer_added AFTER INSERT ON answer BEGIN
  INSERT INTO kept (owner, operation, answers, bytes) VALUES (new.owner, new.operation, 1, new.bytes)
    ON CONFLICT DO UPDATE SET answers = answers + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER answer_deleted AFTER DELETE ON answer BEGIN
  UPDATE kept SET answers = answers - 1, bytes = bytes - old.bytes WHERE owner = old.owner AND operation = old.operation;
END;

CREATE TABLE pace (owner TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE finished (file TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE bookmark (name TEXT NOT NULL, sandbox INTEGER NOT NULL, state TEXT NOT NULL, next TEXT, PRIMARY KEY (name, sandbox)) WITHOUT ROWID, STRICT;
CREATE TABLE outbox (bookmark TEXT NOT NULL, sandbox INTEGER NOT NULL, place INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (bookmark, sandbox, place)) STRICT;
`;

/** Every text is read as its bytes, because libsql ends the process at bytes that are no text. */
export const bytesOf = (column: string, name = column): string =>
  `CAST(${column} AS BLOB) AS ${name}`;

/** libsql gives the bytes of one row as Uint8Array, those of several as ArrayBuffer. */
export const storedBytes = z.union([z.instanceof(Uint8Array), z.instanceof(ArrayBuffer)]);

// A byte order mark is a letter of the text, which `ignoreBOM` keeps.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function textIn(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined;
}

/** What is no text any more is empty, which its readers refuse by name. */
export const storedText = z.pipe(
  storedBytes,
  z.transform((bytes: ArrayBuffer | Uint8Array<ArrayBuffer>) => textIn(bytes) ?? ''),
);

export const runsAtWorkSql = `SELECT id, ${bytesOf('host')}, pid, began FROM run ORDER BY began`;
export const runAtWork = z.object({
  id: z.number(),
  host: storedText,
  pid: z.number(),
  began: z.number(),
});

export const describeRun = ({ host, pid, began }: z.infer<typeof runAtWork>): string =>
  `process ${pid} on ${host}, since ${new Date(began).toISOString()}`;

/** Applied in this order, each once, as `user_version` counts; none is ever changed after a release. */
const migrations: readonly ((database: Database) => void)[] = [
  (database) => database.exec(firstTables),
];

const settingsOfBook =
  'PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA cache_size=-4000; PRAGMA wal_autocheckpoint=4000;';

const journalMode = z.object({ journal_mode: z.string() });
const versionRow = z.object({ version: z.number(), application: z.number(), tables: z.number() });
const versionSql = `SELECT user_version AS version, application_id AS application, (SELECT count(*) FROM sqlite_master) AS tables
  FROM pragma_user_version, pragma_application_id`;

const ourMark = Buffer.from(bookMark).readUInt32BE();

/** Undefined for a damaged book. @throws the engine's error, PdiError `internal` for a book that is not ours to write */
export function connected(open: OpenDatabase, path: string): Database | undefined {
  let database: Database | undefined;
  try {
    refuseSecondName(path);
    database = open(path);
    restoreMarks(open, database, path);
    // The mark stands in the file itself, whatever becomes of the write-ahead log.
    if (versionOf(database, path) === 0)
      database.exec(`PRAGMA auto_vacuum=INCREMENTAL; PRAGMA application_id=${ourMark}`);
    // The write-ahead log needs memory that processes share, and locks, which not every disk gives. A copy by another program may have none.
    const { journal_mode: mode } = z.parse(
      journalMode,
      database.prepare('PRAGMA journal_mode=WAL').get(),
    );
    if (mode !== 'wal') throw new WithoutLocks('no write-ahead log');
    database.exec(settingsOfBook);
    bringUpToDate(database, path, () => proveLock(open, path));
    refuseChangedTables(open, database);
    // A page of each small table is read, so that damage is found before a run relies on the book.
    database.exec(
      'SELECT count(*) FROM run; SELECT count(*) FROM source; SELECT count(*) FROM bookmark',
    );
    return database;
  } catch (error) {
    database?.close();
    const trouble = troubleOf(error);
    if (trouble === 'damaged') return undefined;
    if (trouble === 'busy') refuseWithoutLocks(open, realpathSync(path));
    throw error;
  }
}

const marksOf = (database: Database): z.infer<typeof versionRow> =>
  z.parse(versionRow, database.prepare(versionSql).get());

/** A copy that another program made (`.dump`, `.clone`) has the tables, and neither version nor mark. @throws PdiError where they are changed */
function restoreMarks(open: OpenDatabase, database: Database, path: string): void {
  const { version, application, tables } = marksOf(database);
  if (tables === 0 || (version > 0 && application === ourMark)) return;
  const found = tablesOf(database);
  const isWhole = (count: number) => changedTable(open, found, count) === undefined;
  const known = Array.from(migrations, (_, at) => migrations.length - at).find(isWhole);
  if (known !== undefined)
    database.exec(`PRAGMA application_id=${ourMark}; PRAGMA user_version=${known}`);
  else if (['owner', 'call', 'answer'].every((name) => found.has(name))) {
    const reason = 'another program has written it anew, and its tables are not as pdi makes them';
    throw refusalOfBook(path, `the book ${path} cannot be used: ${reason}`, bringBack);
  }
}

const bringBack =
  'bring back what `pdi book backup` or another copy has; another book (PDI_BOOK) would buy again what this one has';

function versionOf(database: Database, path: string): number {
  const { version, application, tables } = marksOf(database);
  const isNew = version === 0 && application === 0 && tables === 0;
  if (!isNew && application !== ourMark) {
    throw refusalOfBook(path, `${path} is a database of another program`, nameAnother);
  }
  if (version <= migrations.length) return version;
  throw newerBook(path, version, migrations.length);
}

/** The engine's files beside the book go by its name, so that who uses another name sees none of what is under way. */
function refuseSecondName(path: string): void {
  const status = statSync(path);
  if (!status.isFile()) return;
  const refuse = (reason: string, hint: string) => {
    throw refusalOfBook(path, `the book ${path} ${reason}`, `${hint}; ${anotherBook}`);
  };
  if (status.nlink > 1)
    refuse('has another name too (a hard link)', 'make the other name a symbolic link, or a copy');
  if (isMountedAlone(realpathSync(path)))
    refuse('is mounted without its folder', 'mount the folder that it is in');
}

const nameAnother = 'name another file (PDI_BOOK, or `pdi config set book FILE`)';

export const otherFile = (path: string): PdiError =>
  refusalOfBook(path, `${path} is not a book of pdi`, nameAnother);

export const openToOthers = (path: string): PdiError =>
  refusalOfBook(
    path,
    `the book ${path} is another user's, and open to others`,
    `make a copy of your own; ${anotherBook}`,
  );

function bringUpToDate(database: Database, path: string, prove: () => void): void {
  if (versionOf(database, path) === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    prove();
    for (const migrate of migrations.slice(versionOf(database, path))) migrate(database);
    database.exec(`PRAGMA user_version=${migrations.length}; COMMIT`);
  } catch (error) {
    attempt(() => database.exec('ROLLBACK'));
    throw error;
  }
}

const tableRows = z.array(z.object({ name: storedText, sql: z.nullable(storedText) }));
const tablesSql = `SELECT ${bytesOf('name')}, ${bytesOf('sql')} FROM sqlite_master`;

const tablesOf = (database: Database): ReadonlyMap<string, string | null> =>
  new Map(
    z.parse(tableRows, database.prepare(tablesSql).all()).map(({ name, sql }) => [name, sql]),
  );

/** As so many migrations make them: once for all books that a process opens. */
const tablesAsMade = new Map<number, ReturnType<typeof tablesOf>>();

function madeTables(open: OpenDatabase, count: number): ReturnType<typeof tablesOf> {
  const made = tablesAsMade.get(count);
  if (made !== undefined) return made;
  const model = open();
  try {
    for (const migrate of migrations.slice(0, count)) migrate(model);
    const tables = tablesOf(model);
    tablesAsMade.set(count, tables);
    return tables;
  } finally {
    model.close();
  }
}

/** The engine takes a table or trigger in which a disk has changed a letter as another one; what others added is no harm. */
function refuseChangedTables(open: OpenDatabase, database: Database): void {
  const name = changedTable(open, tablesOf(database), migrations.length);
  if (name !== undefined) throw new DamagedContent(`${name} is not as it was made`);
}

/** The first that is not as so many migrations make it. */
const changedTable = (
  open: OpenDatabase,
  found: ReturnType<typeof tablesOf>,
  count: number,
): string | undefined =>
  [...madeTables(open, count)].find(([name, sql]) => found.get(name) !== sql)?.[0];

/** While the book is being written, a second connection must be refused. */
function proveLock(open: OpenDatabase, path: string): void {
  const second = open(path);
  try {
    second.exec('BEGIN IMMEDIATE; ROLLBACK');
  } catch (error) {
    if (troubleOf(error) === 'busy') return;
    throw error;
  } finally {
    second.close();
  }
  throw new WithoutLocks('two connections write at once');
}

const refusalOfBook = (path: string, message: string, hint: string): PdiError =>
  new PdiError('internal', message, { item: path, billed: 'no', hint });

const reasons = {
  busy: 'another process holds it',
  full: 'no space left on the disk',
  'read only': 'it cannot be written',
  'cannot open': 'it cannot be opened',
  damaged: 'it is damaged',
  failing: 'the disk reports an error, or has no more room (`ulimit -f` may allow no larger file)',
  'no locks': 'the file locks of its disk do not work',
} as const;

export function reasonOfBook(error: unknown): string {
  const trouble = troubleOf(error);
  return trouble === undefined ? reasonOf(error) : reasons[trouble];
}
