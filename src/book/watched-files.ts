/** Tells what somebody does to the files of the book under a run, or before it: their numbers, and the head of the book read as bytes. */
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
import { identityOf } from '../files/lock.ts';
import { closesAtOnce } from '../files/sqlite.ts';

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

  constructor(private readonly path: string) {
    this.realPath = path;
  }

  pathBeside(name: string): string {
    return `${this.realPath}-${name}`;
  }

  /** Before they are opened. */
  find(): void {
    this.realPath = realpathSync(this.path);
    this.modified = this.timeOfChange;
    this.head = openHere(this.realPath) > 0 ? undefined : headOf(this.realPath);
  }

  opened(): void {
    this.identity = identityOf(this.path);
    this.memory = identityOf(this.pathBeside('shm'));
    connections.set(this.realPath, openHere(this.realPath) + 1);
  }

  /** After the connection is closed. */
  closed(connection: object): void {
    const end = { path: this.realPath, descriptor: this.descriptor };
    this.descriptor = undefined;
    if (closesAtOnce()) ended(end);
    else endings.register(connection, end);
  }

  get isThere(): boolean {
    return this.identity === identityOf(this.path);
  }

  get hasName(): boolean {
    return this.identity !== undefined && this.isThere;
  }

  get areSame(): boolean {
    const isShared = this.memory === undefined || this.memory === identityOf(this.pathBeside('shm'));
    return this.hasName && isShared && !this.isRestored;
  }

  /** Others have written into the file that this run has open, and this run does not see it. */
  get isMixed(): boolean {
    return this.hasName && (this.isRestored || existsSync(this.pathBeside('shm')));
  }

  /** The write-ahead log is of a newer book than the file, as a run says that was killed. Without a log, any file may be here. */
  get isOverNewerLog(): boolean {
    const { head } = this;
    const hasLog = (statSync(this.pathBeside('wal'), { throwIfNoEntry: false })?.size ?? 0) > 0;
    return head !== undefined && hasLog && this.notes.some((note) => isOlder(head, notedIn(note) ?? head));
  }

  /** While a run goes on, it leaves beside the log what it last saw of the file that the log goes with. */
  noteFor(run: string): void {
    this.noteName = this.pathBeside(noteOf(run));
    this.note();
  }

  forgetNotes(): void {
    for (const note of this.notes) attempt(() => rmSync(note));
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
  setAside(which: readonly string[], ending: string): string {
    const aside = `${this.realPath}${ending}`;
    for (const part of which) if (existsSync(this.realPath + part)) renameSync(this.realPath + part, aside + part);
    return aside;
  }

  /** The engine brings its log into a file that others have changed, and deletes theirs; it does neither where the file has another name. */
  async elsewhere(close: () => Promise<void>): Promise<void> {
    attempt(() => renameSync(this.realPath, this.pathBeside('elsewhere')));
    await close().finally(() => this.comeBack());
  }

  /** A kill may have left the file under its other name. */
  get isElsewhere(): boolean {
    return !existsSync(this.path) && existsSync(this.pathBeside('elsewhere'));
  }

  comeBack(): void {
    attempt(() => renameSync(this.pathBeside('elsewhere'), this.realPath));
  }

  /** Only what brings the write-ahead log into the file changes it, and each time it is newer. */
  private get isRestored(): boolean {
    const modified = this.timeOfChange;
    if (modified === this.modified || openHere(this.realPath) !== 1) return false;
    this.descriptor ??= attempt(() => openSync(this.realPath, 'r'));
    const head = this.descriptor === undefined ? undefined : headIn(this.descriptor);
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

const places = { changes: 24, schema: 40 } as const;
const size = 100;

/** Undefined where there is none yet. To close the file frees all locks that this process has on it, so nobody here may have it open. */
function headOf(path: string): FileHead | undefined {
  // To open a named pipe would wait for a writer.
  const file = attempt(() => (statSync(path).isFile() ? openSync(path, 'r') : undefined));
  if (file === undefined) return undefined;
  try {
    return headIn(file);
  } finally {
    closeSync(file);
  }
}

function headIn(fileDescriptor: number): FileHead | undefined {
  const bytes = Buffer.alloc(size);
  if (attempt(() => readSync(fileDescriptor, bytes, 0, size, 0)) !== size) return undefined;
  return { changes: bytes.readUInt32BE(places.changes), schema: bytes.readUInt32BE(places.schema) };
}

function notedIn(note: string): FileHead | undefined {
  const [, changes, schema] = /^(\d+) (\d+)\n$/.exec(attempt(() => readFileSync(note, 'utf8')) ?? '') ?? [];
  return changes === undefined ? undefined : { changes: Number(changes), schema: Number(schema) };
}

const isOlder = (head: FileHead, than: FileHead): boolean =>
  head.changes < than.changes || (head.changes === than.changes && head.schema !== than.schema);
