/**
 * The files of the book: opened where they can be used, set aside by name where they cannot, and watched, by their numbers and the head of
 * the book read as bytes, because somebody may change them under a run, or before it.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { createEmpty, identityOf, type Lock, lockNow } from '../files/lock.ts';
import { bookMark, isPrivate, makePrivateFolder } from '../files/private.ts';
import {
  closesAtOnce,
  DamagedContent,
  type Database,
  type OpenDatabase,
  whenClosed,
} from '../files/sqlite.ts';
import type { BookPlace } from './book.ts';
import { connected, openToOthers, otherFile } from './schema.ts';

/** Another process is in the way, though the engine said so in no error: it has the engine's own code of that. */
export class HeldUp extends Error {
  readonly errcode = 5;
}

/** The log and the memory go with the file that they are beside. */
const parts = ['-wal', '-shm', ''] as const;

/** The files of the book as this run found them: whoever moves, replaces, restores or tidies away one of them is seen. */
export class WatchedFiles {
  /** Without links, because what is beside it must have one name for all runs. */
  realPath: string;
  identity: string | undefined;
  /** Of the file of the memory that runs share: without it they do not see what another writes. */
  private memory: string | undefined;
  private modified: bigint | undefined;
  private head: FileHead | undefined;
  private descriptor: number | undefined;
  private noteName: string | undefined;
  private readonly path: string;

  constructor(
    private readonly open: OpenDatabase,
    private readonly place: BookPlace,
  ) {
    this.path = place.path;
    this.realPath = place.path;
  }

  /** `timesDamaged`: how often this run has met damage in it, whatever is there now. */
  connected(timesDamaged: number): Database {
    makePrivateFolder(dirname(this.path), this.place.isNamed);
    if (this.isElsewhere) this.alone(() => this.comeBack());
    createEmpty(this.path);
    const start = this.find();
    if (timesDamaged === 0 && this.isNoBook(start)) throw otherFile(this.path);
    // Answers are profiles of people, and whoever may write the book decides what is bought.
    if (!parts.every((part) => isPrivate(this.realPath + part))) throw openToOthers(this.path);
    if (this.isOverNewerLog) this.alone(() => this.setLogAside());
    const isUsable = timesDamaged === 0 && !this.isLeftover;
    const database =
      (isUsable ? this.connection() : undefined) ??
      this.alone(() => this.begunAnew(timesDamaged > 1));
    this.identity = identityOf(this.path);
    this.memory = identityOf(this.pathBeside('shm'));
    return database;
  }

  /** It counts from its opening: one of libsql that came to nothing, because another process was in the way, has its locks for a while too. */
  private connection(): Database | undefined {
    const opened: Database[] = [];
    const open: OpenDatabase = (path) => {
      const database = this.open(path);
      if (path !== this.path) return database;
      connections.set(this.realPath, openHere(this.realPath) + 1);
      opened.push(database);
      return database;
    };
    let database: Database | undefined;
    try {
      database = connected(open, this.path);
      return database;
    } finally {
      for (const other of opened) if (other !== database) this.closed(other);
    }
  }

  pathBeside(name: string): string {
    return `${this.realPath}-${name}`;
  }

  /** Somebody named a file that was never a book. What has lost its beginning, and is where books are kept or beside its log, was one. */
  private isNoBook(start: Buffer | undefined): boolean {
    if (this.place.isNamed !== true || start === undefined || start.length === 0) return false;
    const text = start.toString('latin1');
    if (text.startsWith(databaseMark) || text.startsWith(bookMark, places.mark)) return false;
    return (
      this.notes.length === 0 &&
      !parts.some((part) => part !== '' && existsSync(this.realPath + part))
    );
  }

  /** Gives the first bytes of the book, where nobody here has it open. */
  private find(): Buffer | undefined {
    this.realPath = realpathSync(this.path);
    this.modified = this.timeOfChange;
    const start = openHere(this.realPath) > 0 ? undefined : startOf(this.realPath);
    this.head = headFrom(start);
    return start;
  }

  /** After the connection is closed. */
  closed(connection: object): void {
    const end = { path: this.realPath, descriptor: this.descriptor };
    this.descriptor = undefined;
    if (closesAtOnce()) ended(end);
    else endings.register(connection, end);
  }

  get isThere(): boolean {
    return this.identity !== undefined && this.identity === identityOf(this.path);
  }

  get areSame(): boolean {
    const isShared =
      this.memory === undefined || this.memory === identityOf(this.pathBeside('shm'));
    return this.isThere && isShared && !this.isRestored;
  }

  /** Others have written into the file that this run has open, and this run does not see it. */
  private get isMixed(): boolean {
    return this.isThere && (this.isRestored || existsSync(this.pathBeside('shm')));
  }

  /** The write-ahead log is of a newer book than the file, as a run says that was killed. Without a log, any file may be here. */
  private get isOverNewerLog(): boolean {
    const { head } = this;
    const hasLog = (statSync(this.pathBeside('wal'), { throwIfNoEntry: false })?.size ?? 0) > 0;
    return (
      head !== undefined &&
      hasLog &&
      this.notes.some((note) => isOlder(head, notedIn(note) ?? head))
    );
  }

  /** While a run goes on, it leaves beside the log what it last saw of the file that the log goes with. */
  noteFor(run: string): void {
    this.noteName = this.pathBeside(noteOf(run));
    this.note();
  }

  /** Where the disk refuses, an older copy is found later, or not at all. */
  private note(): void {
    const { noteName, head } = this;
    if (noteName !== undefined && head !== undefined)
      attempt(() => writeFileSync(noteName, `${head.changes} ${head.schema}\n`, { mode: 0o600 }));
  }

  private get notes(): readonly string[] {
    const [folder, start] = [dirname(this.realPath), basename(this.pathBeside(noteOf('')))];
    const names = attempt(() => readdirSync(folder)) ?? [];
    return names.filter((name) => name.startsWith(start)).map((name) => join(folder, name));
  }

  /** Gives where these files are now. */
  private setAside(which: readonly string[], why: string): string {
    const aside = `${this.realPath}.${why}-${new Date(this.place.clock()).toISOString().replaceAll(':', '-')}`;
    for (const part of which)
      if (existsSync(this.realPath + part)) renameSync(this.realPath + part, aside + part);
    return aside;
  }

  /**
   * Closes a connection to what others have changed. The engine brings its log into such a file, and deletes theirs; it does neither where
   * the file has another name.
   */
  async leave(database: Database): Promise<void> {
    const { isMixed } = this;
    const lock = isMixed ? this.lock() : undefined;
    if (isMixed) attempt(() => renameSync(this.realPath, this.pathBeside('elsewhere')));
    await whenClosed(database).finally(() => {
      if (isMixed) this.comeBack();
      lock?.release();
    });
    this.closed(database);
  }

  /** A kill may have left the file under its other name. */
  private get isElsewhere(): boolean {
    return !existsSync(this.path) && existsSync(this.pathBeside('elsewhere'));
  }

  private comeBack(): void {
    attempt(() => renameSync(this.pathBeside('elsewhere'), this.realPath));
  }

  private lock(): Lock | undefined {
    return lockNow(this.open, this.pathBeside('mending'));
  }

  /** While no other run mends the book. */
  private alone<T>(work: () => T): T {
    const lock = this.lock();
    if (lock === undefined) throw new HeldUp();
    try {
      return work();
    } finally {
      lock.release();
    }
  }

  /** An older copy is never opened with the write-ahead log of a newer book: the engine would mix the two. */
  private setLogAside(): void {
    if (!this.isOverNewerLog) return;
    const aside = this.setAside(['-shm', '-wal'], 'newer');
    for (const note of this.notes) attempt(() => rmSync(note));
    const { notice, path } = this.place;
    notice(
      `the book ${path} is an older copy: what a newer one wrote later is now in ${aside}-wal`,
    );
  }

  /** An empty book beside the write-ahead log of another one, which runs may be using: the engine would mix the two. */
  private get isLeftover(): boolean {
    return (
      statSync(this.path).size === 0 &&
      ['-wal', '-shm'].some((part) => existsSync(this.realPath + part))
    );
  }

  /** Another run may have mended the book already, so it is looked at again under a lock. */
  private begunAnew(isOursDamaged: boolean): Database {
    const { path, notice } = this.place;
    // One that somebody has emptied cannot be made a book again, because of the locks that libsql keeps on it.
    const isEmpty = statSync(path).size === 0;
    const mended = (isOursDamaged && this.isThere) || isEmpty ? undefined : this.connection();
    if (mended !== undefined) return mended;
    const aside = this.setAside(parts, 'damaged');
    createEmpty(path);
    this.find();
    const what = isEmpty
      ? 'emptied or moved while a run used it: what is left is'
      : 'damaged: it is';
    notice(
      `the book ${path} was ${what} now ${aside}, and a new one is begun, without what was bought before`,
    );
    const anew = this.connection();
    if (anew === undefined) throw new DamagedContent('a book that was just begun is damaged');
    return anew;
  }

  /** Only what brings the write-ahead log into the file changes it, and each time it is newer. */
  private get isRestored(): boolean {
    const modified = this.timeOfChange;
    if (modified === this.modified || openHere(this.realPath) !== 1) return false;
    this.descriptor ??= attempt(() => openSync(this.realPath, 'r'));
    const head = this.descriptor === undefined ? undefined : headFrom(startIn(this.descriptor));
    if (head === undefined) return false;
    if (this.head !== undefined && isOlder(head, this.head)) return true;
    [this.modified, this.head] = [modified, head];
    this.note();
    return false;
  }

  private get timeOfChange(): bigint | undefined {
    return statSync(this.realPath, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
  }
}

/** How many connections this process has to the book at a path. */
const connections = new Map<string, number>();

interface ConnectionEnd {
  readonly path: string;
  readonly descriptor: number | undefined;
}

/** To close any handle of the file frees all locks that this process has on it: another process would take the log from under a connection. */
function ended({ path, descriptor }: ConnectionEnd): void {
  connections.set(path, openHere(path) - 1);
  if (descriptor !== undefined && openHere(path) === 0) closeSync(descriptor);
}

/** A connection of libsql, and its locks, last until it is collected. */
const endings = new FinalizationRegistry(ended);

export const noteOf = (run: string): string => `head-${run}`;

const openHere = (path: string): number => connections.get(path) ?? 0;

/** `changes` grows with each run that writes; a copy that was made by VACUUM counts from 1, and has another `schema`. */
interface FileHead {
  readonly changes: number;
  readonly schema: number;
}

const places = { changes: 24, schema: 40, mark: 68 } as const;
const size = 100;
const databaseMark = 'SQLite format 3';

/** Undefined where there is none yet. To close the file frees all locks that this process has on it, so nobody here may have it open. */
function startOf(path: string): Buffer | undefined {
  // To open a named pipe would wait for a writer.
  const file = attempt(() => (statSync(path).isFile() ? openSync(path, 'r') : undefined));
  if (file === undefined) return undefined;
  try {
    return startIn(file);
  } finally {
    closeSync(file);
  }
}

function startIn(fileDescriptor: number): Buffer | undefined {
  const bytes = Buffer.alloc(size);
  const length = attempt(() => readSync(fileDescriptor, bytes, 0, size, 0));
  return length === undefined ? undefined : bytes.subarray(0, length);
}

const headFrom = (start: Buffer | undefined): FileHead | undefined =>
  start?.length === size
    ? { changes: start.readUInt32BE(places.changes), schema: start.readUInt32BE(places.schema) }
    : undefined;

function notedIn(note: string): FileHead | undefined {
  const [, changes, schema] =
    /^(\d+) (\d+)\n$/.exec(attempt(() => readFileSync(note, 'utf8')) ?? '') ?? [];
  return changes === undefined ? undefined : { changes: Number(changes), schema: Number(schema) };
}

const isOlder = (head: FileHead, than: FileHead): boolean =>
  head.changes < than.changes || (head.changes === than.changes && head.schema !== than.schema);
