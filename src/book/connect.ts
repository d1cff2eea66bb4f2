/** Makes a connection to the book: settings, tables up to date, locks proved; what is not ours to write is refused by name. */
import * as z from 'zod/mini';
import { PdiError } from '../errors.ts';
import { attempt } from '../files/private.ts';
import { DamagedContent, type Database, type OpenDatabase, troubleOf } from '../files/sqlite.ts';
import { bytesOf, migrations, settingsOfBook, storedText } from './schema.ts';

const versionRow = z.object({ version: z.number(), application: z.number(), tables: z.number() });
const versionSql = `SELECT user_version AS version, application_id AS application, (SELECT count(*) FROM sqlite_master) AS tables
  FROM pragma_user_version, pragma_application_id`;

/** Marks a database as ours: `pdib`. */
const ourMark = 0x70646962;

/** @throws the engine's error, and PdiError `internal` for a book that is not ours to write */
export function connected(open: OpenDatabase, path: string): Database {
  const database = open(path);
  try {
    if (isNew(database, path)) {
      database.exec('PRAGMA auto_vacuum=INCREMENTAL');
      refuseWithoutLocks(database, path);
    }
    database.exec(settingsOfBook);
    bringUpToDate(database, path, () => proveLock(open, path));
    refuseChangedTables(open, database);
    // A page of each small table is read, so that damage is found before a run relies on the book.
    database.exec('SELECT count(*) FROM run; SELECT count(*) FROM source; SELECT count(*) FROM bookmark');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Tells whether the book is not damaged. @throws as `connected` */
export function isSound(open: OpenDatabase, path: string): boolean {
  try {
    connected(open, path).close();
    return true;
  } catch (error) {
    if (troubleOf(error) === 'damaged') return false;
    throw error;
  }
}

function versionOf(database: Database): z.infer<typeof versionRow> {
  return z.parse(versionRow, database.prepare(versionSql).get());
}

/** @throws PdiError `internal` for a book of a newer pdi, or a database of another program */
function isNew(database: Database, path: string): boolean {
  const { version, application, tables } = versionOf(database);
  if (version === 0 && application === 0 && tables === 0) return true;
  if (application !== ourMark) {
    throw refused(path, `${path} is a database of another program`, 'name another book (PDI_BOOK, or `pdi config set book FILE`)');
  }
  if (version <= migrations.length) return false;
  const message = `${path} was written by a newer pdi: version ${version} of the book, and this one knows ${migrations.length}`;
  throw refused(path, message, 'use that pdi, or name another book (PDI_BOOK)');
}

/** The write-ahead log needs memory that processes share, and locks, which not every disk gives. */
function refuseWithoutLocks(database: Database, path: string): void {
  const mode = z.parse(z.object({ journal_mode: z.string() }), database.prepare('PRAGMA journal_mode=WAL').get());
  if (mode.journal_mode !== 'wal') throw withoutLocks(path);
}

function bringUpToDate(database: Database, path: string, prove: () => void): void {
  if (versionOf(database).version === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    prove();
    isNew(database, path);
    for (const migrate of migrations.slice(versionOf(database).version)) migrate(database);
    database.exec(`PRAGMA user_version=${migrations.length}; PRAGMA application_id=${ourMark}; COMMIT`);
  } catch (error) {
    // After some errors the engine has rolled back already.
    attempt(() => database.exec('ROLLBACK'));
    throw error;
  }
}

const tableRows = z.array(z.object({ name: storedText, sql: z.nullable(storedText) }));
const tablesSql = `SELECT ${bytesOf('name')}, ${bytesOf('sql')} FROM sqlite_master`;

const tablesOf = (database: Database): ReadonlyMap<string, string | null> =>
  new Map(z.parse(tableRows, database.prepare(tablesSql).all()).map(({ name, sql }) => [name, sql]));

/** A disk that changed a letter of a table or a trigger made another one of it, which the engine takes as it is. What others added is no harm. */
function refuseChangedTables(open: OpenDatabase, database: Database): void {
  const model = open(':memory:');
  try {
    for (const migrate of migrations) migrate(model);
    const found = tablesOf(database);
    for (const [name, sql] of tablesOf(model)) if (found.get(name) !== sql) throw new DamagedContent(`${name} is not as it was made`);
  } finally {
    model.close();
  }
}

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
  throw withoutLocks(path);
}

const withoutLocks = (path: string): PdiError =>
  refused(path, `the book ${path} is on a disk whose file locks do not work`, 'name a book on a disk of this machine (PDI_BOOK)');

const refused = (path: string, message: string, hint: string): PdiError =>
  new PdiError('internal', message, { item: path, billed: 'no', retryable: false, hint });
