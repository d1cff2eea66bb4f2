/**
 * `FILE.journal` beside `--out FILE`: a charged job writes each call and answer into it, and any job how it left FILE. It lives where the
 * book does not: on another machine, in a container without its state, where the book is lost.
 */
import { randomUUID } from 'node:crypto';
import { fstatSync, fsyncSync, ftruncateSync, lstatSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, PdiError, systemCodeOf, UsageError } from '../errors.ts';
import {
  diskFailure,
  type FileState,
  mendingOf,
  openNamelessFile,
  openPrivateFile,
  reasonOf,
  type Write,
  writeWhole,
} from '../files/private.ts';
import type { Outcome } from '../rows/row.ts';
import { roomForAnswer } from './calls.ts';
import {
  answerLine,
  headerLine,
  type JobIdentity,
  JobIndex,
  jobLine,
  type RowsOfFile,
} from './job-lines.ts';

interface JobFileOptions {
  readonly path: string;
  readonly identity: JobIdentity;
  readonly restart: boolean;
  readonly retryUnknown: boolean;
  /** Called before a journal that another job left becomes this job's. @throws where this one may not have FILE */
  readonly takeOver?: (journal: JobFile) => Promise<unknown>;
  readonly write?: Write;
}

/** Opens or creates it (0600), for a run that has the lock on FILE. @throws UsageError where it is another job's, damaged or no journal; PdiError `internal` for the disk */
export async function openJobFile(options: JobFileOptions): Promise<JobFile> {
  const { path, retryUnknown, write } = options;
  try {
    refuseUnlessRegular(path);
    const file = new JobFile(openPrivateFile(path), retryUnknown, path, false, write);
    return await file.begin(options).catch((error: unknown) => {
      file.abandon();
      throw error;
    });
  } catch (error) {
    throw diskFailure('cannot use the journal', path, error);
  }
}

/** For this run alone, in a file without a name: it spares memory and protects nothing. Undefined where there is no room for one. */
export function openNamelessJobFile(write?: Write): JobFile | undefined {
  const path = join(tmpdir(), `pdi-${randomUUID()}.journal`);
  return attempt(() => new JobFile(openNamelessFile(path), false, path, true, write));
}

/** Reads a journal without creating, locking or changing anything; undefined where there is none. @throws as `openJobFile` */
export async function peekJobFile(
  path: string,
  identity: JobIdentity,
  retryUnknown: boolean,
): Promise<JobIndex | undefined> {
  let index: JobIndex | undefined;
  try {
    refuseUnlessRegular(path);
    index = new JobIndex(openSync(path, 'r'), retryUnknown);
    await index.load(path, identity);
    return index;
  } catch (error) {
    index?.close();
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw diskFailure('cannot read the journal', path, error);
  }
}

function refuseUnlessRegular(path: string): void {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return;
  const refuse = (kind: string, hint: string) => {
    throw new UsageError(`${path} is ${kind}`, { item: path, hint });
  };
  if (status.isSymbolicLink())
    refuse(
      'a symbolic link',
      'put the file that it leads to in its place: what that holds is not bought again',
    );
  if (!status.isFile()) refuse('not a regular file', 'move it away, or choose another --out');
  if (status.nlink > 1)
    refuse(
      'a hard link, under whose other name another run may write it',
      'put a copy of it in its place: what it holds is not bought again',
    );
}

/** Larger blanks become larger pieces of the system's memory, in which a short line takes longer to write. */
const blankStep = 64 * 1024;
/** An answer is seldom twice as long as all before it; so many bytes may hold one of any length below. */
const blankLeast = 16 * 1024;

export class JobFile extends JobIndex {
  /** An earlier run left more than its head, which says nothing of FILE. */
  resumed = false;
  rowsOfFile: RowsOfFile = { has_data: false, settled: 0, finished: false };
  private size = 0;
  private blanksEnd = 0;
  private blanks: Buffer | undefined;
  private open = true;
  /** Bytes of an answer of this run. */
  private longest = 0;
  private readonly awaited = new Set<string>();

  constructor(
    fileDescriptor: number,
    retryUnknown: boolean,
    readonly path: string,
    readonly isNameless: boolean,
    private readonly writeBytes?: Write,
  ) {
    super(fileDescriptor, retryUnknown);
  }

  /** Goes on behind what earlier runs left; a journal that another job left without an answer is this job's from here on. */
  async begin({ identity, restart, takeOver }: JobFileOptions): Promise<this> {
    const { fileDescriptor, path } = this;
    const { offset, ended, isOurs } = await this.load(path, identity, restart);
    this.resumed = !this.isEmpty || this.files.length > 0;
    if (offset > 0 && !isOurs) await takeOver?.(this);
    // Some systems flush a file at close once it was cut to nothing, even if it was empty before and is deleted.
    if (fstatSync(fileDescriptor).size > offset) ftruncateSync(fileDescriptor, offset);
    const missing = (ended ? '' : '\n') + (isOurs ? '' : headerLine(identity));
    this.size =
      offset + (missing === '' ? 0 : writeWhole(fileDescriptor, missing, offset, this.writeBytes));
    return this;
  }

  get output(): string {
    return this.path.slice(0, -'.journal'.length);
  }

  /** Records a call that is about to be sent. @throws PdiError `internal`: then send nothing */
  sent(item: string): void {
    if (this.isNameless) return;
    this.awaited.add(item);
    this.write(jobLine({ sent: item }), item);
  }

  /** The service did not carry out the call that was recorded. Where the disk refuses, it stays one that may have been billed. */
  unsent(item: string): void {
    if (!this.awaited.delete(item)) return;
    this.tryToWrite(jobLine({ unsent: item }));
    this.takeBack(item);
  }

  /** What earlier runs lost was not billed, by the service's own log. */
  notBilled(item: string): void {
    while (this.lost(item) !== undefined) {
      this.tryToWrite(jobLine({ unsent: item }));
      this.takeBack(item);
    }
  }

  /** Before anyone uses the answer. @throws PdiError `internal` where it is not saved */
  answered(item: string, outcome: Outcome): void {
    this.write(answerLine(item, outcome), item, outcome);
    this.awaited.delete(item);
  }

  /** Whether an earlier run left FILE so; undefined without such a run: FILE is somebody else's. */
  get leftSo(): ((file: FileState) => boolean) | undefined {
    return this.resumed ? (file) => this.rowsIn(file) !== undefined : undefined;
  }

  /** What FILE has, where an earlier run of this job left it so. */
  rowsIn({ size, modified }: FileState): RowsOfFile | undefined {
    return this.files.findLast(({ file }) => size === file.size && modified === file.modified);
  }

  /** Where the disk refuses, the next run asks for --force before it replaces the file, which costs nothing. */
  willLeave(file: FileState): void {
    this.tryToWrite(jobLine({ file, ...this.rowsOfFile }));
  }

  override close(): void {
    this.end(() => {
      ftruncateSync(this.fileDescriptor, this.size);
      fsyncSync(this.fileDescriptor);
    });
  }

  remove(): void {
    this.end(() => rmSync(this.path, { force: true }));
  }

  /** Leaves the file as it is. */
  abandon(): void {
    super.close();
  }

  /** Answers under way overwrite these blanks: a disk that fills up stops the next call, not a paid answer. @throws the system's error */
  private takeRoom(): void {
    this.blanksEnd = Math.max(this.blanksEnd, this.size);
    const each = this.longest === 0 ? roomForAnswer : Math.max(blankLeast, 2 * this.longest);
    while (this.blanksEnd < this.size + this.awaited.size * each) {
      this.blanks ??= Buffer.alloc(blankStep, ' ');
      this.blanksEnd += writeWhole(
        this.fileDescriptor,
        this.blanks,
        this.blanksEnd,
        this.writeBytes,
      );
    }
  }

  /** Without an outcome it is about to be sent. A failure may leave half a line, which the next line overwrites. */
  private write(line: string, item: string, outcome?: Outcome): void {
    try {
      if (outcome === undefined) this.takeRoom();
      const length = writeWhole(this.fileDescriptor, line, this.size, this.writeBytes);
      this.note(item, {
        status: outcome?.status ?? 'unknown',
        offset: this.size,
        length,
        thisRun: true,
      });
      this.size += length;
      if (outcome !== undefined) this.longest = Math.max(this.longest, length);
    } catch (error) {
      throw this.failure(error, item, outcome);
    }
  }

  private tryToWrite(line: string): void {
    attempt(() => {
      this.size += writeWhole(this.fileDescriptor, line, this.size, this.writeBytes);
    });
  }

  private failure(cause: unknown, item: string, outcome?: Outcome): PdiError {
    if (outcome === undefined) this.awaited.delete(item);
    const words = outcome === undefined ? 'the call was not sent' : 'its answer is not kept';
    return new PdiError(
      'internal',
      `cannot write ${this.path}: ${reasonOf(cause)}; ${item}: ${words}`,
      {
        item,
        billed: outcome === undefined ? 'no' : 'unknown',
        ...mendingOf(cause),
        rerun: 'run the same command again',
        cause,
      },
    );
  }

  private end(last: () => void): void {
    if (!this.open) return;
    this.open = false;
    try {
      last();
    } catch (error) {
      throw diskFailure('cannot finish the journal', this.path, error);
    } finally {
      super.close();
    }
  }
}
