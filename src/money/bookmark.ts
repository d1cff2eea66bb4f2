/**
 * What `feed --all --since-last [NAME]` has delivered, in `bookmarks/NAME.json` of the state folder.
 *
 * A date is not enough to go on from: signals are dated by day, and one may arrive late with an older date. So every
 * delivered id is kept (about 40 bytes each, on disk and in memory), and a run delivers what is not among them.
 * The file moves on only when `save` is called, after the output is safe: a run killed in between delivers again rather
 * than never. One run at a time: two would deliver the same signals.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PdiError, systemCodeOf, UsageError } from '../errors.ts';
import type { ProcessTable } from '../files/liveness.ts';
import { acquireLock, type Lock, lockPath } from '../files/lock.ts';
import { diskFailure, type Write, writeToDisk } from '../files/private.ts';
import { makePrivateFolder, refuseUnlessRegular, replaceFile } from '../files/replace.ts';
import { isObject } from '../json/parse.ts';
import { type JsonObject, parseObject } from './stored.ts';

/** The base URL, in its one form, and whatever else decides which signals a run sees, such as `search`, `list`, `sort`. */
export interface BookmarkScope {
  readonly baseUrl: string;
  readonly [part: string]: string | undefined;
}

export interface BookmarkOptions {
  /** The state folder; `bookmarks` is created in it (0700) if need be. */
  readonly directory: string;
  /** 1 to 64 letters, digits, dots, underscores, hyphens. */
  readonly name: string;
  readonly scope: BookmarkScope;
  readonly processes: ProcessTable;
  readonly clock: () => Date;
  readonly write?: Write;
}

/** The name of `--since-last` without a name. */
export const defaultBookmark = 'default';

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Opens a bookmark for this run alone; one that does not exist has delivered nothing.
 * Throws UsageError for a bad name, a bookmark of another scope, or one in use; PdiError `internal` for a damaged file.
 */
export async function openBookmark(options: BookmarkOptions): Promise<Bookmark> {
  const { directory, name, processes, clock } = options;
  if (!namePattern.test(name)) throw badName(name);
  const folder = join(directory, 'bookmarks');
  const path = join(folder, `${name}.json`);
  try {
    makePrivateFolder(directory);
    makePrivateFolder(folder);
  } catch (error) {
    throw diskFailure('cannot use the folder', folder, error);
  }
  refuseUnlessRegular(path, 'name another bookmark with --since-last NAME');
  const lock = await acquireLock({ path: lockPath(path), guarded: `the bookmark ${name}`, processes, clock });
  try {
    return new Bookmark(path, options, lock, load(path, options));
  } catch (error) {
    lock.release();
    throw diskFailure('cannot read the bookmark', path, error);
  }
}

/** A bookmark open for this run; made by `openBookmark`. */
export class Bookmark {
  private readonly path: string;
  private readonly options: BookmarkOptions;
  private readonly lock: Lock;
  private readonly delivered: Set<string>;

  constructor(path: string, options: BookmarkOptions, lock: Lock, delivered: Set<string>) {
    this.path = path;
    this.options = options;
    this.lock = lock;
    this.delivered = delivered;
  }

  /** Whether an earlier run, or this one, has delivered the signal. */
  has(id: string): boolean {
    return this.delivered.has(id);
  }

  /** Notes a signal as delivered by this run; nothing is written before `save`. */
  deliver(id: string): void {
    this.delivered.add(id);
  }

  /** Moves the bookmark, whole or not at all. To be called when the output is safe. Throws PdiError `internal` when the disk refuses. */
  save(): void {
    const { name, scope, clock } = this.options;
    const facts = { pdi_bookmark: 1, name, scope, saved_at: clock().toISOString() };
    try {
      replaceFile(this.path, `${JSON.stringify({ ...facts, delivered: [...this.delivered] })}\n`, this.options.write ?? writeToDisk);
    } catch (error) {
      throw diskFailure('the output is written, but the bookmark did not move:', this.path, error);
    }
  }

  /** Lets the next run use the bookmark. What was not saved will be delivered again. */
  close(): void {
    this.lock.release();
  }
}

function load(path: string, { name, scope }: BookmarkOptions): Set<string> {
  const text = readIfThere(path);
  if (text === undefined) return new Set();
  const object = parseObject(text);
  const delivered = object?.delivered;
  if (object?.pdi_bookmark !== 1 || !isObject(object.scope) || !isTextList(delivered)) throw damaged(path);
  const difference = differenceOf({ ...object.scope, name: object.name }, { ...scope, name });
  if (difference !== undefined) throw otherScope(name, difference);
  return new Set(delivered);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((id) => typeof id === 'string');

/** The first part in which two scopes differ, in words. A part that is absent is none. */
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

function damaged(path: string): PdiError {
  const hint = 'restore it, or move it away: the next run then reads and delivers every signal again, for a billed call a page';
  return new PdiError('internal', `the bookmark ${path} is damaged`, { item: path, retryable: false, hint });
}
