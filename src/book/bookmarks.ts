/** Bookmarks in the book: one run has a bookmark alone, because two would deliver the same. */
import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { attempt, orFailure, PdiError, UsageError } from '../errors.ts';
import { InUse, type Lock } from '../files/lock.ts';
import { type ApiRecord, readRecord } from '../rows/row.ts';
import type { BookFile } from './book-file.ts';
import {
  type Bookmark,
  bookmarkShape,
  datedSignal,
  emptyBookmark,
  withDelivered,
} from './bookmark.ts';
import { bytesOf, storedText } from './schema.ts';

/** The base URL in its one form, and whatever else decides which signals a run sees, such as `search`, `list`, `sort`. */
type BookmarkScope = Readonly<Record<string, string | undefined>>;

interface MovedBookmark {
  readonly name: string;
  readonly scope: BookmarkScope;
  readonly savedAt: string;
  readonly bookmark: Bookmark;
}

export interface StoredBookmark extends MovedBookmark {
  /** The bookmark moves so once a program has taken what waits. */
  readonly next: Bookmark | undefined;
  readonly bytes: number;
  readonly waiting: number;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

const stateShape = z.extend(bookmarkShape, {
  scope: z.record(z.string(), z.string()),
  savedAt: z.string(),
});

const bookmarkRow = z.object({
  name: storedText,
  state: storedText,
  next: z.nullable(storedText),
  bytes: z.number(),
  waiting: z.number(),
});
const addSql = `INSERT INTO outbox (bookmark, sandbox, place, record)
  SELECT ?, ?, coalesce(max(place) + 1, 0), ? FROM outbox WHERE bookmark = ? AND sandbox = ?`;
const bookmarkSql = `SELECT ${bytesOf('name')}, ${bytesOf('state')}, ${bytesOf('next')},
  length(CAST(state AS BLOB)) + coalesce(length(CAST(next AS BLOB)), 0) AS bytes, (SELECT count(*) FROM outbox WHERE bookmark = name AND outbox.sandbox = bookmark.sandbox) AS waiting
  FROM bookmark WHERE sandbox = ?`;

export class Bookmarks {
  constructor(
    private readonly file: BookFile,
    /** A bookmark of the sandbox must not block the real one. */
    private readonly sandbox: boolean,
  ) {}

  /** In the place of one that is damaged stands its failure. */
  async list(): Promise<readonly (StoredBookmark | PdiError)[]> {
    return Promise.all((await this.rows()).map((row) => orFailure(async () => bookmarkIn(row))));
  }

  /** By name, damaged or not, how many signals wait. */
  async names(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.rows()).map(({ name, waiting }) => [name, waiting]));
  }

  async read(name: string): Promise<StoredBookmark | undefined> {
    const [row] = await this.rows('AND name = ?', name);
    const stored = row && bookmarkIn(row);
    if (stored?.next === undefined) return stored;
    const waiting = (await this.waiting(name)).map(({ value }) => datedSignal(value));
    return {
      ...stored,
      next: withDelivered({ ...stored.next, delivered: stored.bookmark.delivered }, waiting),
    };
  }

  take(name: string): Lock {
    const lock = this.file.lock(`bookmark-${hash('sha256', `${this.realm}${name}`).slice(0, 16)}`);
    if (lock !== undefined) return lock;
    throw new InUse(`the bookmark ${name}`, name);
  }

  /** Call it once the output is safe; nothing waits any more, unless `waits`. @throws PdiError `internal` where the book refuses */
  async save(moved: MovedBookmark, waits = false): Promise<void> {
    const sql = `INSERT INTO bookmark (name, sandbox, state) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET state = excluded.state, next = NULL`;
    await this.file.transaction(() => {
      this.file.run(sql, moved.name, this.realm, stateOf(moved));
      if (!waits) this.empty(moved.name);
    });
  }

  /** Keeps what was bought until it is safely written or a program has taken it, so that nobody pays for it again. @throws as `save` */
  async keepWaiting(
    before: MovedBookmark,
    next: Bookmark,
    records: readonly string[],
  ): Promise<void> {
    const { name } = before;
    const sql =
      'INSERT INTO bookmark (name, sandbox, state, next) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET next = excluded.next';
    // The signals of `next` are those of before and those that wait.
    const later = stateOf({ ...before, bookmark: { ...next, delivered: new Map() } });
    await this.file.transaction(() => {
      this.file.run(sql, name, this.realm, stateOf(before), later);
      for (const record of records)
        this.file.run(addSql, name, this.realm, record, name, this.realm);
    });
  }

  async waiting(name: string): Promise<readonly ApiRecord[]> {
    const sql = `SELECT ${bytesOf('record', 'text')} FROM outbox WHERE bookmark = ? AND sandbox = ? ORDER BY place`;
    const texts = await this.file.read(() => this.file.texts(sql, name, this.realm));
    return texts.map((text) => undamaged(name, () => readRecord(text)));
  }

  /** Gives how many signals waited. */
  remove(name: string): Promise<number> {
    return this.file.transaction(() => {
      this.file.run('DELETE FROM bookmark WHERE name = ? AND sandbox = ?', name, this.realm);
      return this.empty(name);
    });
  }

  private rows(condition = '', ...values: readonly string[]) {
    return this.file.read(() =>
      this.file.rows(
        bookmarkRow,
        `${bookmarkSql} ${condition} ORDER BY bookmark.name`,
        this.realm,
        ...values,
      ),
    );
  }

  private get realm(): number {
    return this.sandbox ? 1 : 0;
  }

  private empty(name: string): number {
    return this.file.run('DELETE FROM outbox WHERE bookmark = ? AND sandbox = ?', name, this.realm);
  }
}

const waitingRow = z.object({ bookmark: storedText, sandbox: z.number(), record: storedText });
const aboutSql =
  "FROM outbox WHERE CASE WHEN json_valid(record) THEN json_extract(record, '$.entity_id') = ? END";
const waitingAboutSql = `SELECT ${bytesOf('bookmark')}, sandbox, ${bytesOf('record')} ${aboutSql}`;
const stateSql = `SELECT ${bytesOf('state')} FROM bookmark WHERE name = ? AND sandbox = ?`;

/** Deletes the signals about this id that wait, within a transaction, and gives how many they were. They count as delivered: none comes again. */
export function forgetWaiting(file: BookFile, id: string): number {
  const about = file.rows(waitingRow, waitingAboutSql, id);
  file.run(`DELETE ${aboutSql}`, id);
  for (const { bookmark: name, sandbox, record } of about) {
    const stored = file.row(z.object({ state: storedText }), stateSql, name, sandbox);
    const moved = stored && attempt(() => stateIn(name, stored.state));
    if (moved === undefined) continue;
    const bookmark = withDelivered(moved.bookmark, [datedSignal(readRecord(record).value)]);
    file.run(
      'UPDATE bookmark SET state = ? WHERE name = ? AND sandbox = ?',
      stateOf({ ...moved, bookmark }),
      name,
      sandbox,
    );
  }
  return about.length;
}

function stateOf({ scope, savedAt, bookmark }: MovedBookmark): string {
  const delivered: Record<string, string[]> = {};
  for (const [id, day] of bookmark.delivered) {
    delivered[day] ??= [];
    delivered[day].push(id);
  }
  return JSON.stringify({ scope, savedAt, ...bookmark, delivered });
}

const bookmarkIn = ({
  name,
  state,
  next,
  bytes,
  waiting,
}: z.infer<typeof bookmarkRow>): StoredBookmark => ({
  ...stateIn(name, state),
  next: next === null ? undefined : stateIn(name, next).bookmark,
  bytes,
  waiting,
});

const stateIn = (name: string, text: string): MovedBookmark =>
  undamaged(name, () => {
    const { scope, savedAt, ...bookmark } = z.parse(stateShape, JSON.parse(text));
    return { name, scope, savedAt, bookmark };
  });

function undamaged<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const hint = `\`pdi bookmarks reset ${name}\` removes it: the next run begins it a week ago, or where --after says`;
    throw new PdiError('internal', `the bookmark ${name} in the book is damaged`, {
      item: name,
      hint,
      cause,
    });
  }
}

/** @throws UsageError for a bookmark of another feed */
export function bookmarkOf(
  stored: StoredBookmark | undefined,
  scope: BookmarkScope,
  name: string,
): Bookmark {
  if (stored === undefined) return emptyBookmark;
  const part = Object.keys({ ...scope, ...stored.scope }).find(
    (one) => stored.scope[one] !== scope[one],
  );
  if (part === undefined) return stored.next ?? stored.bookmark;
  const word = part === 'baseUrl' ? 'base URL' : part;
  const message = `the bookmark ${name} belongs to another feed: ${word} ${stored.scope[part] ?? 'none'}, not ${scope[part] ?? 'none'}`;
  throw new UsageError(message, {
    item: name,
    hint: 'give this feed a bookmark of its own: --since-last NAME',
  });
}

export function refuseBadName(name: string): void {
  if (namePattern.test(name)) return;
  const hint = 'a name has 1 to 64 letters, digits, dots, underscores or hyphens';
  throw new UsageError(`${JSON.stringify(name)} is not a valid name for a bookmark`, {
    item: name,
    hint,
  });
}
