/** The book of a team: a schema of a PostgreSQL database, for many machines at once. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { PdiError, UsageError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import { ownLogin } from '../files/private.ts';
import type { Book, BookPlace, RunBook, RunBookOptions } from './book.ts';
import { type BookmarkRows, Bookmarks } from './bookmarks.ts';
import { postgresAddress } from './postgres-address.ts';
import { PostgresConnection, type PostgresValue } from './postgres-connection.ts';
import { PostgresContent, runsAtWork } from './postgres-content.ts';
import { PostgresDatabase, stateOf, textRow } from './postgres-database.ts';
import { PostgresReports } from './postgres-reports.ts';
import { PostgresRun } from './postgres-run.ts';
import { leaseMs, otherHolder } from './postgres-schema.ts';
import { thisMachine } from './postgres-socket.ts';

const bookmarkRow = z.object({
  name: z.string(),
  state: z.string(),
  next: z.nullable(z.string()),
  bytes: z.number(),
  waiting: z.number(),
});
const bookmarkSql = `SELECT name, state, next,
    octet_length(state) + coalesce(octet_length(next), 0) AS bytes, (SELECT count(*) FROM pdi.outbox
      WHERE bookmark = name AND outbox.sandbox = bookmark.sandbox) AS waiting
  FROM pdi.bookmark WHERE sandbox = $1 AND ($2::text IS NULL OR name = $2) ORDER BY name`;
const waitingSql =
  'SELECT record AS text FROM pdi.outbox WHERE bookmark = $1 AND sandbox = $2 ORDER BY place';
const holdSql = 'SELECT pdi.hold($1, $2, $3, $4, $5)::int AS number';
const releaseSql = 'DELETE FROM pdi.holder WHERE bookmark = $1 AND sandbox = $2 AND token = $3';

class PostgresBookmarkRows implements BookmarkRows {
  private readonly token = randomUUID();

  constructor(
    private readonly database: PostgresDatabase,
    private readonly sandbox: boolean,
  ) {}

  read(name?: string) {
    return this.database.rows(bookmarkRow, bookmarkSql, this.sandbox, name ?? null);
  }

  async waiting(name: string): Promise<readonly string[]> {
    const rows = await this.database.rows(textRow, waitingSql, name, this.sandbox);
    return rows.map(({ text }) => text ?? '');
  }

  async put(name: string, state: string, waits: boolean): Promise<void> {
    await this.change('pdi.put($1, $2, $3, $4, $5)', name, state, waits);
  }

  async putNext(name: string, state: string, next: string, records: readonly string[]) {
    const sql = 'pdi.put_next($1, $2, $3, $4, $5, $6::text[])';
    await this.change(sql, name, state, next, records);
  }

  async remove(name: string): Promise<number> {
    const { database, sandbox, token } = this;
    const sql = 'SELECT pdi.remove($1, $2, $3) AS number';
    return ofHolder(name, () => database.number(sql, name, sandbox, token));
  }

  /** Held by a lease, which is renewed until it is released. */
  async lock(name: string): Promise<Lock | undefined> {
    const { database, sandbox, token } = this;
    const who = [ownLogin(), hostname()] as const;
    const hold = () => database.askNumber(holdSql, name, sandbox, token, ...who);
    if ((await database.patient(hold)) !== 1) return undefined;
    const renewal = setInterval(() => void hold().catch(() => undefined), leaseMs / 3).unref();
    const release = () => {
      clearInterval(renewal);
      database.atEnd(database.run(releaseSql, name, sandbox, token));
    };
    return { release };
  }

  private change(call: string, name: string, ...values: readonly PostgresValue[]): Promise<void> {
    const { database, sandbox, token } = this;
    return ofHolder(name, () => database.change(`SELECT ${call}`, name, sandbox, token, ...values));
  }
}

/** @throws PdiError `internal` once another run has it */
async function ofHolder<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (stateOf(error) !== otherHolder) throw error;
    throw new PdiError('internal', `another run has taken the bookmark ${name} meanwhile`, {
      item: name,
      billed: 'no',
      hint: 'this one was not heard of for too long; what it read goes to the next run',
      cause: error,
    });
  }
}

const stateRow = z.object({
  version: z.number(),
  bytes: z.number(),
  may: z.boolean(),
  server: z.string(),
});
const stateSql = `SELECT (SELECT number FROM pdi.version) AS version,
  (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
    WHERE relnamespace = 'pdi'::regnamespace AND relkind = 'r') AS bytes,
  has_table_privilege('pdi.call', 'INSERT') AND has_table_privilege('pdi.call', 'UPDATE')
    AND NOT pg_is_in_recovery() AS may,
  current_setting('server_version') AS server`;
const finishedSql = 'SELECT state AS text FROM pdi.finished WHERE host = $1 AND file = $2';
const keepFinishedSql = `INSERT INTO pdi.finished VALUES ($1, $2, $3)
  ON CONFLICT (host, file) DO UPDATE SET state = excluded.state`;

class PostgresBook implements Book {
  readonly reports: PostgresReports;

  constructor(private readonly database: PostgresDatabase) {
    this.reports = new PostgresReports(database);
  }

  get path(): string {
    return this.database.path;
  }

  ofRun(options: RunBookOptions): RunBook {
    return new PostgresRun(this.database, options);
  }

  bookmarks(sandbox: boolean): Bookmarks {
    return new Bookmarks(new PostgresBookmarkRows(this.database, sandbox));
  }

  sharedPace(): undefined {
    return undefined;
  }

  /** A file is of the machine that made it. */
  finishedJob(path: string): Promise<string | undefined> {
    return this.database.text(finishedSql, hostname(), path);
  }

  async keepFinishedJob(path: string, text: string): Promise<void> {
    await this.database.change(keepFinishedSql, hostname(), path, text);
  }

  async state() {
    const { version, bytes } = await this.facts();
    const at_work = await this.database.patient(() => runsAtWork(this.database));
    return { version, bytes, at_work };
  }

  async check(): Promise<string> {
    const { server, bytes, may } = await this.facts();
    const size = (bytes / 1_000_000).toFixed(1);
    return `PostgreSQL ${server}, ${size} MB, ${may ? 'can' : 'CANNOT'} be written`;
  }

  async copyInto(): Promise<void> {
    throw new UsageError(`${this.path} is a database, of which pdi makes no copy`, {
      hint: '`pg_dump --schema=pdi` copies it; `pdi book move` takes it into another book',
    });
  }

  whole<T>(work: (content: PostgresContent) => Promise<T>): Promise<T> {
    const { database } = this;
    return database.transaction(() => work(new PostgresContent(database)));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async facts(): Promise<z.infer<typeof stateRow>> {
    const [facts] = await this.database.rows(stateRow, stateSql);
    if (facts === undefined) throw new Error('no row');
    return facts;
  }
}

/** The connection is made with the first statement. @throws UsageError for an address that cannot be obeyed */
export function openPostgresBook(
  { path, patienceMs, notice }: BookPlace,
  { variables, platform, home }: NonNullable<BookPlace['server']>,
): Book {
  const address = postgresAddress(path, variables, thisMachine(platform, home));
  const connection = new PostgresConnection(address, { maxWaitMs: patienceMs, notice });
  return new PostgresBook(new PostgresDatabase(connection, path));
}
