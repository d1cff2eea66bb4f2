/** A bookmark moves only after the output is safe, so a killed run delivers again. One run has it alone: two would deliver the same. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, type Lock, lockPath } from '../files/lock.ts';
import { diskFailure, type Write, writeToDisk } from '../files/private.ts';
import { makePrivateFolder, refuseUnlessRegular, replaceFile } from '../files/replace.ts';
import { type Bookmark, emptyBookmark } from './bookmark.ts';
import { type BookmarkScope, parseBookmark, type StoredBookmark, writtenBookmark } from './bookmark-text.ts';
import type { JsonObject } from './stored.ts';

interface BookmarkPlace {
  /** `bookmarks` is created in this state folder (0700) if need be. */
  readonly directory: string;
  /** It has 1 to 64 letters, digits, dots, underscores or hyphens. */
  readonly name: string;
}

export interface BookmarkOptions extends BookmarkPlace {
  readonly processes: ProcessTable;
  readonly clock: () => Date;
  readonly write?: Write;
}

/** `--since-last` without a name uses this one. */
export const defaultBookmark = 'default';

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;
const ending = '.json';

const folderIn = (directory: string): string => join(directory, 'bookmarks');
const pathOf = ({ directory, name }: BookmarkPlace): string => join(folderIn(directory), `${name}${ending}`);

/** Opens a bookmark for this run alone. @throws UsageError for a bad name or a bookmark in use */
export async function openBookmark(options: BookmarkOptions): Promise<BookmarkFile> {
  const { directory, name, processes, clock } = options;
  if (!namePattern.test(name)) throw badName(name);
  const path = pathOf(options);
  try {
    makePrivateFolder(directory);
    makePrivateFolder(folderIn(directory));
  } catch (error) {
    throw diskFailure('cannot use the folder', folderIn(directory), error);
  }
  refuseUnlessRegular(path, 'name another bookmark with --since-last NAME');
  return new BookmarkFile(path, options, await acquireLock({ path: lockPath(path), guarded: `the bookmark ${name}`, processes, clock }));
}

/** Reads a bookmark without opening it; undefined where there is none. @throws UsageError for a bad name, and as `parseBookmark` */
export function peekBookmark(place: BookmarkPlace): StoredBookmark | undefined {
  if (!namePattern.test(place.name)) throw badName(place.name);
  return read(pathOf(place));
}

class BookmarkFile {
  constructor(
    private readonly path: string,
    private readonly options: BookmarkOptions,
    private readonly lock: Lock,
  ) {}

  /** Gives undefined where there is no file. @throws as `parseBookmark` */
  stored(): StoredBookmark | undefined {
    return read(this.path);
  }

  /** Moves the bookmark, whole or not at all. Call it when the output is safe. @throws PdiError `internal` where the disk refuses */
  save(scope: JsonObject, bookmark: Bookmark): void {
    const { name, clock, write = writeToDisk } = this.options;
    try {
      replaceFile(this.path, writtenBookmark({ name, scope, savedAt: clock().toISOString(), bookmark }), write);
    } catch (error) {
      throw diskFailure('the output is written, but the bookmark did not move:', this.path, error);
    }
  }

  remove(): void {
    try {
      rmSync(this.path, { force: true });
    } catch (error) {
      throw diskFailure('cannot remove the bookmark', this.path, error);
    }
  }

  /** Lets the next run use the bookmark. What was not saved will be delivered again. */
  close(): void {
    this.lock.release();
  }
}

/** Gives what was delivered of a feed. @throws UsageError for a bookmark of another feed */
export function bookmarkOf(stored: StoredBookmark | undefined, scope: BookmarkScope, name: string): Bookmark {
  if (stored === undefined) return emptyBookmark;
  const difference = differenceOf({ ...stored.scope, name: stored.name }, { ...scope, name });
  if (difference !== undefined) throw otherScope(name, difference);
  return stored.bookmark;
}

/** It has `trouble` where it cannot be read. */
export interface ListedBookmark {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly stored: StoredBookmark | undefined;
  readonly trouble?: PdiError;
}

/** Gives all bookmarks of a state folder, by name. @throws PdiError `internal` where the folder cannot be read */
export function listBookmarks(directory: string): readonly ListedBookmark[] {
  const folder = folderIn(directory);
  try {
    const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ending)) : [];
    return names.sort().map((file) => listed(directory, file.slice(0, -ending.length)));
  } catch (error) {
    throw diskFailure('cannot read the folder', folder, error);
  }
}

function listed(directory: string, name: string): ListedBookmark {
  const path = pathOf({ directory, name });
  const { size: bytes } = statSync(path);
  try {
    return { name, path, bytes, stored: read(path) };
  } catch (error) {
    if (error instanceof PdiError) return { name, path, bytes, stored: undefined, trouble: error };
    throw error;
  }
}

function read(path: string): StoredBookmark | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw diskFailure('cannot read the bookmark', path, error);
  }
  return parseBookmark(text, path);
}

function differenceOf(theirs: JsonObject, ours: JsonObject): string | undefined {
  const parts = Object.keys({ ...ours, ...theirs });
  const part = parts.find((name) => theirs[name] !== ours[name]);
  return part === undefined ? undefined : `${part} ${shown(theirs[part])}, not ${shown(ours[part])}`;
}

const shown = (part: unknown): string => (typeof part === 'string' ? part : (JSON.stringify(part) ?? 'none'));

function badName(name: string): UsageError {
  const hint = 'a name has 1 to 64 letters, digits, dots, underscores or hyphens';
  return new UsageError(`${JSON.stringify(name)} is no name for a bookmark`, { item: name, hint });
}

function otherScope(name: string, difference: string): UsageError {
  const message = `the bookmark ${name} belongs to another feed: ${difference}`;
  return new UsageError(message, { item: name, hint: 'give this feed a bookmark of its own: --since-last NAME' });
}
