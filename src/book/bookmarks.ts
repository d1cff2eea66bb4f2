/** Bookmarks in the book: one run has a bookmark alone, because two would deliver the same. */
import * as z from 'zod/mini';
import { attempt, orFailure, PdiError, UsageError } from '../errors.ts';
import { InUse, type Lock } from '../files/lock.ts';
import { type ApiRecord, readRecord } from '../rows/row.ts';
import {
  type Bookmark,
  bookmarkShape,
  datedSignal,
  emptyBookmark,
  withDelivered,
} from './bookmark.ts';

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

/** A bookmark as it is kept, and how many signals wait for it; `bytes` are those of its texts. */
interface BookmarkRow {
  readonly name: string;
  readonly state: string;
  readonly next: string | null;
  readonly bytes: number;
  readonly waiting: number;
}

/** The bookmarks of the sandbox, or the others, as an engine keeps them. @throws PdiError `internal`, each of these */
export interface BookmarkRows {
  /** By name; only this one, where one is given. */
  read(name?: string): Promise<readonly BookmarkRow[]>;
  /** The records that wait, in the order in which they were put there. */
  waiting(name: string): Promise<readonly string[]>;
  /** Puts a state in the place of the one there and of its `next`; what waits goes, unless `waits`. */
  put(name: string, state: string, waits: boolean): Promise<void>;
  /** Puts a `next` in the place of the one there, `state` only where there is none, and the records after those that wait. */
  putNext(name: string, state: string, next: string, records: readonly string[]): Promise<void>;
  /** Gives how many records waited. */
  remove(name: string): Promise<number>;
  /** Undefined where another run has it. */
  lock(name: string): Promise<Lock | undefined>;
}

export class Bookmarks {
  constructor(private readonly kept: BookmarkRows) {}

  /** In the place of one that is damaged stands its failure. */
  async list(): Promise<readonly (StoredBookmark | PdiError)[]> {
    const rows = await this.kept.read();
    return Promise.all(rows.map((row) => orFailure(async () => bookmarkIn(row))));
  }

  /** By name, damaged or not, how many signals wait. */
  async names(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.kept.read()).map(({ name, waiting }) => [name, waiting]));
  }

  async read(name: string): Promise<StoredBookmark | undefined> {
    const [row] = await this.kept.read(name);
    const stored = row && bookmarkIn(row);
    if (stored?.next === undefined) return stored;
    const waiting = (await this.waiting(name)).map(({ value }) => datedSignal(value));
    return {
      ...stored,
      next: withDelivered({ ...stored.next, delivered: stored.bookmark.delivered }, waiting),
    };
  }

  async take(name: string): Promise<Lock> {
    const lock = await this.kept.lock(name);
    if (lock !== undefined) return lock;
    throw new InUse(`the bookmark ${name}`, name);
  }

  /** Call it once the output is safe; nothing waits any more, unless `waits`. @throws PdiError `internal` where the book refuses */
  save(moved: MovedBookmark, waits = false): Promise<void> {
    return this.kept.put(moved.name, stateOf(moved), waits);
  }

  /** Keeps what was bought until it is safely written or a program has taken it, so that nobody pays for it again. @throws as `save` */
  keepWaiting(before: MovedBookmark, next: Bookmark, records: readonly string[]): Promise<void> {
    // The signals of `next` are those of before and those that wait.
    const later = stateOf({ ...before, bookmark: { ...next, delivered: new Map() } });
    return this.kept.putNext(before.name, stateOf(before), later, records);
  }

  async waiting(name: string): Promise<readonly ApiRecord[]> {
    const texts = await this.kept.waiting(name);
    return texts.map((text) => undamaged(name, () => readRecord(text)));
  }

  /** Gives how many signals waited. */
  remove(name: string): Promise<number> {
    return this.kept.remove(name);
  }
}

/** The state of a bookmark once this record counts as delivered, because it does not come again; undefined for one that is damaged. */
export function stateAfter(name: string, state: string, record: string): string | undefined {
  const moved = attempt(() => stateIn(name, state));
  if (moved === undefined) return undefined;
  const bookmark = withDelivered(moved.bookmark, [datedSignal(readRecord(record).value)]);
  return stateOf({ ...moved, bookmark });
}

function stateOf({ scope, savedAt, bookmark }: MovedBookmark): string {
  const delivered: Record<string, string[]> = {};
  for (const [id, day] of bookmark.delivered) {
    delivered[day] ??= [];
    delivered[day].push(id);
  }
  return JSON.stringify({ scope, savedAt, ...bookmark, delivered });
}

const bookmarkIn = ({ name, state, next, bytes, waiting }: BookmarkRow): StoredBookmark => ({
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
