/** The file of the book: opened, brought up to date, mended, and changed in transactions that wait without blocking the event loop. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { attempt, PdiError, systemCodeOf } from '../errors.ts';
import { type Lock, lockNow } from '../files/lock.ts';
import { mendingOf, otherOwner } from '../files/private.ts';
import {
  DamagedContent,
  type Database,
  type OpenDatabase,
  type SqlStatement,
  type SqlValue,
  sqliteEngine,
  troubleOf,
} from '../files/sqlite.ts';
import type { BookPlace } from './book.ts';
import { anotherBook, replaced } from './book.ts';
import { describeRun, reasonOfBook, runAtWork, runsAtWorkSql, storedText } from './schema.ts';
import { HeldUp, WatchedFiles } from './watched-files.ts';

/** How long, and until when, to wait while another process holds the book. */
interface Patience {
  readonly ms?: number;
  readonly stop?: AbortSignal | undefined;
}

/** Opens the book, or creates it (0600 in 0700). @throws PdiError `internal`, naming it: then nothing may be bought */
export async function openBookFile(place: BookPlace): Promise<BookFile> {
  const file = new BookFile(await sqliteEngine(), place);
  await file.connect();
  return file;
}

export class BookFile {
  private database: Database | undefined;
  private readonly statements = new Map<string, SqlStatement>();
  private readonly files: WatchedFiles;
  /** How often the book was begun anew under this run, because it was damaged or replaced: row numbers of before mean nothing now. */
  renewals = 0;
  /** Somebody has moved or replaced the book under this run, so that the one there now does not know what the run has asked. */
  isReplaced = false;
  /** The number of the run that uses this, which does not hold itself up. */
  ownRun = 0;
  /** Is told before this run leaves a book that was moved or replaced, while it can still be read. */
  beforeLeaving: () => void = () => undefined;
  private following: Promise<void> | undefined;
  /** A statement that another process kept waiting would hold an old state of the book, so the connection is made anew. */
  private isStale = false;

  constructor(
    readonly open: OpenDatabase,
    private readonly place: BookPlace,
  ) {
    this.files = new WatchedFiles(open, place);
  }

  get path(): string {
    return this.place.path;
  }

  /** `timesDamaged`: how often this run has met damage in it, whatever is there now. */
  async connect(timesDamaged = 0): Promise<void> {
    this.database = await this.untilFree(async () => this.files.connected(timesDamaged));
  }

  /** `work` may be rolled back, so only `whenDone` changes what is in memory, before anything else goes on. @throws PdiError */
  transaction<T>(work: () => T, whenDone?: (result: T) => void, patience?: Patience): Promise<T> {
    return this.mending(() => this.atOnce(work, whenDone), patience);
  }

  /** A transaction in which `work` waits for others, while nothing else asks this connection. @throws PdiError, and what `work` throws */
  async lasting<T>(work: () => Promise<T>): Promise<T> {
    await this.mending(() => this.live.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work();
      if (!this.files.areSame) throw replaced(this.path);
      this.beside(() => this.live.exec('COMMIT'));
      return result;
    } catch (error) {
      this.statements.clear();
      attempt(() => this.live.exec('ROLLBACK'));
      throw error;
    }
  }

  read<T>(work: () => T): Promise<T> {
    return this.mending(() => {
      try {
        return work();
      } catch (error) {
        this.noteTrouble(error);
        throw error;
      }
    });
  }

  /** @throws the engine's error, and DamagedContent for a row that is not as it was written */
  row<S extends z.ZodMiniType>(
    shape: S,
    sql: string,
    ...values: SqlValue[]
  ): z.infer<S> | undefined {
    const row = this.statement(sql).get(...values);
    return row === undefined || row === null ? undefined : checked(shape, row);
  }

  rows<S extends z.ZodMiniType>(shape: S, sql: string, ...values: SqlValue[]): z.infer<S>[] {
    return this.statement(sql)
      .all(...values)
      .map((row) => checked(shape, row));
  }

  number(sql: string, ...values: SqlValue[]): number {
    return this.row(numberRow, sql, ...values)?.number ?? 0;
  }

  text(sql: string, ...values: SqlValue[]): string | undefined {
    return this.row(textRow, sql, ...values)?.text;
  }

  texts(sql: string, ...values: SqlValue[]): readonly string[] {
    return this.rows(textRow, sql, ...values).map(({ text }) => text);
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return this.number(`${sql} RETURNING id AS number`, ...values);
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.statement(sql).run(...values).changes;
  }

  /** Waits for nobody; undefined where the book cannot be read now. */
  glance<T>(read: () => T): T | undefined {
    if (this.database === undefined) return undefined;
    try {
      return read();
    } catch (error) {
      if (this.noteTrouble(error) === undefined) throw error;
      return undefined;
    }
  }

  /** What is known of the file stays beside it as long as the run goes on, or after its death. */
  noteFor(run: string): void {
    this.files.noteFor(run);
  }

  get version(): number {
    return this.number('SELECT user_version AS number FROM pragma_user_version');
  }

  /** Within a transaction: the file counts it in its head, so that an older copy is told from this one. */
  markChange(): void {
    this.live.exec(`PRAGMA user_version=${this.version}`);
  }

  /** What was deleted leaves the disk, also the write-ahead log. */
  async shrink(): Promise<void> {
    await this.mending(() => {
      this.live.exec('PRAGMA incremental_vacuum');
      const { busy } = z.parse(
        z.object({ busy: z.number() }),
        this.live.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
      );
      if (busy !== 0) throw new HeldUp();
    });
  }

  /** Whole, as of one moment, whoever writes meanwhile; `prepare` makes an empty file there. */
  copyInto(path: string, prepare: () => void): Promise<void> {
    return this.mending(() => {
      prepare();
      this.live.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
    });
  }

  pathBeside(name: string): string {
    return this.files.pathBeside(name);
  }

  /** A lock beside the book; undefined where another run has it. @throws PdiError `internal` */
  lock(name: string): Lock | undefined {
    return this.beside(() => lockNow(this.open, this.pathBeside(name)));
  }

  /** Names the book in the engine's trouble, also with a file beside it. @throws PdiError `internal` */
  beside<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw failureOfBook(this.path, error);
    }
  }

  close(): void {
    const database = this.released();
    if (database === undefined) return;
    database.close();
    this.files.closed(database);
  }

  /** Forgets the connection, and gives it to be closed. */
  private released(): Database | undefined {
    const { database } = this;
    this.statements.clear();
    this.database = undefined;
    return database;
  }

  private get live(): Database {
    if (this.database === undefined) throw new Error('the book is closed');
    return this.database;
  }

  private statement(sql: string): SqlStatement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.live.prepare(sql);
    this.statements.set(sql, prepared);
    return prepared;
  }

  private noteTrouble(error: unknown): ReturnType<typeof troubleOf> {
    const trouble = troubleOf(error);
    this.isStale ||= trouble === 'busy';
    return trouble;
  }

  private atOnce<T>(work: () => T, whenDone?: (result: T) => void): T {
    // A prepared statement that another process keeps waiting goes on in libsql, and with it the state of the book that it has seen.
    this.live.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = work();
      this.live.exec('COMMIT');
    } catch (error) {
      // In libsql a statement that failed once fails again.
      this.statements.clear();
      // After some errors the engine has rolled back already.
      attempt(() => this.live.exec('ROLLBACK'));
      throw error;
    }
    whenDone?.(result);
    return result;
  }

  private mending<T>(work: () => T, patience?: Patience): Promise<T> {
    return this.untilFree(async () => {
      await this.followName();
      for (let failures = 1; ; failures += 1) {
        try {
          return work();
        } catch (error) {
          if (!(await this.isMended(troubleOf(error), failures))) throw error;
        }
      }
    }, patience);
  }

  /** Tries again while another process writes, or is stopped while it does. */
  private async untilFree<T>(
    work: () => Promise<T>,
    { ms = this.place.patienceMs, stop }: Patience = {},
  ): Promise<T> {
    const end = performance.now() + ms;
    for (let pause = shortestPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        return await work();
      } catch (error) {
        if (troubleOf(error) !== 'busy') throw failureOfBook(this.path, error);
        if (performance.now() > end || stop?.aborted === true) throw this.heldUp(error);
      }
      await delay(pause * (0.5 + Math.random()));
    }
  }

  private heldUp(cause: unknown): PdiError {
    const runs = this.glance(() => this.rows(runAtWork, runsAtWorkSql)) ?? [];
    const others = runs.filter(({ id }) => id !== this.ownRun).slice(0, 4);
    // The engine takes the answer of a disk without locks (ENOLCK) for that of another process.
    const nobody = 'another process, unless the file locks of its disk do not work';
    const who =
      others.length === 0 ? nobody : `another run (${others.map(describeRun).join('; or ')})`;
    return new PdiError(
      'internal',
      `the book ${this.path} has been held for ${Math.round(this.place.patienceMs / 1000)} s by ${who}`,
      {
        item: this.path,
        retryable: true,
        hint: 'wait for that process, or end it',
        rerun: 'run the command again',
        cause,
      },
    );
  }

  /** A book that is damaged also when it is opened again is begun anew; on a full disk the write-ahead log may hold room to spare. */
  private async isMended(
    trouble: ReturnType<typeof troubleOf>,
    failures: number,
  ): Promise<boolean> {
    if (trouble === 'damaged' && failures <= 2) {
      this.isReplaced ||= !this.files.isThere;
      this.close();
      await this.connect(failures);
      this.renewals += 1;
      return true;
    }
    if ((trouble !== 'full' && trouble !== 'failing') || failures > 1) return false;
    attempt(() => this.live.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return true;
  }

  /** Others look for what is written under the name of the book, whoever renames, replaces, restores or empties it. */
  private async followName(): Promise<void> {
    if (
      this.following === undefined &&
      this.database !== undefined &&
      !this.isStale &&
      this.files.areSame
    )
      return;
    this.following ??= this.opensAnew().finally(() => {
      this.following = undefined;
    });
    await this.following;
  }

  private async opensAnew(): Promise<void> {
    const { identity } = this.files;
    const isOurs = this.database === undefined ? this.files.isThere : this.files.areSame;
    if (isOurs) this.close();
    else await this.leave();
    await this.connect();
    this.isStale = false;
    if (isOurs && this.files.identity === identity) return;
    this.renewals += 1;
    this.isReplaced ||= !isOurs;
  }

  /** Where the book has another name now, what stands in the write-ahead log is brought into it, because the log is under the old one. */
  private async leave(): Promise<void> {
    attempt(() => this.beforeLeaving());
    if (!existsSync(this.path)) attempt(() => this.live.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    const database = this.released();
    if (database !== undefined) await this.files.leave(database);
  }
}

function checked<S extends z.ZodMiniType>(shape: S, row: unknown): z.infer<S> {
  const { data, error } = z.safeParse(shape, row);
  if (data === undefined)
    throw new DamagedContent('a row is not as it was written', { cause: error });
  return data;
}

const shortestPause = 1;
const longestPause = 50;

const numberRow = z.object({ number: z.number() });
const textRow = z.object({ text: storedText });

const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** It is never the mistake of a row, so that the rows of a job are left to be asked for; a bug stays as it is. */
function failureOfBook(path: string, error: unknown): unknown {
  const trouble = troubleOf(error);
  if (trouble === undefined && !isOfSystem(error)) return error;
  const isFull = trouble === 'full' || mendingOf(error).retryable;
  const isRefused =
    trouble === 'cannot open' || trouble === 'read only' || systemCodeOf(error) === 'EACCES';
  const owner = isRefused ? otherOwner(path) : undefined;
  const own =
    owner === undefined
      ? 'see that it and its folder can be written'
      : 'a book serves one user (pdi help team)';
  const advice = trouble === 'no locks' ? 'name one on a disk of this machine' : own;
  return new PdiError('internal', `cannot use the book ${path}: ${owner ?? reasonOfBook(error)}`, {
    item: path,
    retryable: isFull,
    hint: isFull ? 'free some space' : `${advice}; ${anotherBook}`,
    cause: error,
  });
}
