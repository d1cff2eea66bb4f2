/**
 * `FILE.journal` beside `--out FILE` lets the same command, run again, buy nothing twice, on whatever machine. A charged job writes a line
 * before each call and one after it, before anyone uses the answer; a free job writes only how far FILE is. Room for the answers under way
 * is taken before a call, so a disk that fills up stops the next call, not an answer that was paid for.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PdiError, systemCodeOf } from '../errors.ts';
import { gather } from '../files/gather.ts';
import type { Lock } from '../files/lock.ts';
import {
  attempt,
  diskFailure,
  type FileState,
  noFollow,
  openPrivateFile,
  type Write,
  writeTexts,
  writeToDisk,
  writeWhole,
} from '../files/private.ts';
import { refuseUnlessRegular, replaceFile } from '../files/replace.ts';
import { mendingOf, reasonOf } from '../files/system-reasons.ts';
import type { Outcome } from '../rows/result-row.ts';
import { JobIndex, type JournalEnd, type LinePlace, refuseForeignFile } from './job-index.ts';
import { answerLine, headerLine, type JobIdentity, type JobProgress, jobLine, sentLine } from './job-lines.ts';

export interface JobFileOptions {
  /** It is `FILE.journal`, and its folder must exist. */
  readonly path: string;
  readonly identity: JobIdentity;
  /** `--restart` discards what an earlier run left. */
  readonly restart: boolean;
  readonly retryUnknown: boolean;
  /** It is the run's lock on FILE. Whoever opens the journal has it, and the journal lets it go. */
  readonly lock: Lock;
  readonly write?: Write;
}

interface OpenedFile extends Pick<JobFileOptions, 'path' | 'lock'> {
  readonly fileDescriptor: number;
  readonly write: Write;
  /** It counts the bytes up to the end of the last good line. */
  readonly size: number;
  readonly resumed: boolean;
}

/**
 * Opens or creates a journal (0600) for the run that has the lock on FILE. @throws UsageError when it holds answers for another command,
 * base URL or key, when a middle line is damaged, or when it is no journal; PdiError `internal` when the disk refuses
 */
export async function openJobFile(options: JobFileOptions): Promise<JobFile> {
  const { path, lock } = options;
  try {
    refuseUnlessRegular(path, 'choose another --out');
    return await opened(options);
  } catch (error) {
    lock.release();
    throw diskFailure('cannot use the journal', path, error);
  }
}

async function opened(options: JobFileOptions): Promise<JobFile> {
  const { path, identity, write = writeToDisk } = options;
  const fileDescriptor = openPrivateFile(path, noFollow);
  let loaded: JobFile | readonly FileState[] | undefined;
  try {
    loaded = await load(options, fileDescriptor);
  } finally {
    if (!(loaded instanceof JobFile)) closeSync(fileDescriptor);
  }
  if (loaded instanceof JobFile) return loaded;
  // It is replaced in one piece: a killed run must leave a journal there, which says that the file beside it is ours.
  replaceFile(path, headerLine(identity) + loaded.map((file) => jobLine({ file })).join(''), write);
  return opened(options);
}

/** Gives only how FILE was left, where another run left a journal that holds nothing else: it is begun anew. */
async function load(options: JobFileOptions, fileDescriptor: number): Promise<JobFile | readonly FileState[]> {
  const { path, identity, lock, write = writeToDisk } = options;
  refuseForeignFile(path, fileDescriptor);
  if (options.restart) ftruncateSync(fileDescriptor, 0);
  const index = new JobIndex(fileDescriptor, options.retryUnknown);
  const end = await index.load(path, identity);
  if (end.abandoned) return index.files;
  // Some systems flush a file at close once it was cut to nothing, even if it was empty before and is deleted.
  if (fstatSync(fileDescriptor).size > end.offset) ftruncateSync(fileDescriptor, end.offset);
  const missing = missingText(end, identity);
  const size = end.offset + (missing === '' ? 0 : writeWhole(fileDescriptor, missing, write, end.offset));
  return new JobFile({ path, fileDescriptor, lock, write, size, resumed: end.offset > 0 }, index);
}

function missingText({ offset, ended }: JournalEnd, identity: JobIdentity): string {
  if (offset === 0) return headerLine(identity);
  return ended ? '' : '\n';
}

/** Opens a journal for this run alone, in a file that has no name any more; undefined where there is no room for one. */
export function openNamelessJobFile(retryUnknown: boolean): JobFile | undefined {
  const path = join(tmpdir(), `pdi-${randomUUID()}.journal`);
  try {
    const fileDescriptor = openPrivateFile(path, noFollow | constants.O_EXCL);
    // Windows keeps the name until the end.
    attempt(() => unlinkSync(path));
    const lock = { release: () => undefined };
    return new JobFile(
      { path, fileDescriptor, lock, write: writeToDisk, size: 0, resumed: false },
      new JobIndex(fileDescriptor, retryUnknown),
    );
  } catch {
    return undefined;
  }
}

export interface JobView {
  known(item: string): Outcome | undefined;
  close(): void;
}

/** Reads the journal at `path` without creating, locking or changing anything; undefined where there is none. @throws as `openJobFile` */
export async function peekJobFile({
  path,
  identity,
  retryUnknown,
}: Pick<JobFileOptions, 'path' | 'identity' | 'retryUnknown'>): Promise<JobView | undefined> {
  refuseUnlessRegular(path, 'choose another --out');
  let fileDescriptor: number | undefined;
  try {
    const readable = openSync(path, 'r');
    fileDescriptor = readable;
    refuseForeignFile(path, readable);
    const index = new JobIndex(readable, retryUnknown);
    await index.load(path, identity);
    return { known: (item) => index.known(item), close: () => closeSync(readable) };
  } catch (error) {
    if (fileDescriptor !== undefined) closeSync(fileDescriptor);
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw diskFailure('cannot read the journal', path, error);
  }
}

/** It is more than the longest profile that is to be expected. */
const roomForAnswer = 256 * 1024;
/** Larger blanks become larger pieces of the system's memory, and a short line in a large piece takes longer to write. */
const blankStep = 64 * 1024;

interface ItemLine {
  readonly item: string;
  readonly outcome?: Outcome;
}

const notSent = { words: 'the call was not sent', billed: 'no' } as const;
const answerLost = { words: 'its answer is lost', billed: 'unknown' } as const;

export class JobFile {
  private size: number;
  private blanksEnd = 0;
  private blanks: Buffer | undefined;
  private open = true;
  private readonly awaited = new Set<string>();
  private readonly writeLine = gather((lines: readonly ItemLine[]) => Promise.resolve(this.append(lines)));

  constructor(
    private readonly file: OpenedFile,
    private readonly index: JobIndex,
  ) {
    this.size = file.size;
  }

  get path(): string {
    return this.file.path;
  }

  /** It is FILE, whose journal this is. */
  get output(): string {
    return this.file.path.slice(0, -'.journal'.length);
  }

  get resumed(): boolean {
    return this.file.resumed;
  }

  /** Gives what need not be asked for, because an earlier run answered it, or this one. */
  known(item: string): Outcome | undefined {
    return this.index.known(item);
  }

  /** Gives the outcome of an item that an earlier run sent, and whose answer was lost; undefined once this run has sent it too. */
  lost(item: string): Outcome | undefined {
    return this.index.lost(item);
  }

  /** No item was ever sent or answered, so the journal is worth nothing. */
  get isEmpty(): boolean {
    return this.index.isEmpty && this.index.progress === undefined;
  }

  get unclaimed(): number {
    return this.index.unclaimed;
  }

  get progress(): JobProgress | undefined {
    return this.index.progress;
  }

  /** Records that a call about an item is about to be sent. @throws PdiError `internal`: then send nothing */
  async sent(item: string): Promise<void> {
    const failure = await this.writeLine({ item });
    if (failure !== undefined) throw failure;
  }

  /** Records an answer before it is used. @throws PdiError `internal` where it is not saved */
  async answered(item: string, outcome: Outcome): Promise<void> {
    const failure = await this.writeLine({ item, outcome });
    if (failure !== undefined) throw failure;
  }

  /** Tells whether an earlier run left FILE so; undefined where there was no run, because FILE is then somebody else's. */
  get leftSo(): ((file: FileState) => boolean) | undefined {
    const isLeft = (file: FileState) => this.index.files.some(({ size, modified }) => size === file.size && modified === file.modified);
    return this.resumed ? isLeft : undefined;
  }

  /** Records how FILE is about to be left. Where the disk refuses, the next run asks before it replaces the file, which costs nothing. */
  willLeave(file: FileState): void {
    this.tryToWrite(jobLine({ file }));
  }

  /** Records how far FILE is. Where the disk refuses, the next run begins earlier, which costs nothing. */
  hasCome(progress: JobProgress): void {
    this.index.progress = progress;
    this.tryToWrite(jobLine({ progress }));
  }

  /** Forces the journal to the disk and leaves it for a later run. Doing it twice does no harm. */
  close(): void {
    this.end(() => {
      ftruncateSync(this.file.fileDescriptor, this.size);
      fsyncSync(this.file.fileDescriptor);
    });
  }

  /** No row is left to ask for, so the journal is deleted. */
  remove(): void {
    this.end(() => rmSync(this.file.path, { force: true }));
  }

  private append(lines: readonly ItemLine[]): readonly (PdiError | undefined)[] {
    const begun = lines.filter(({ outcome }) => outcome === undefined).length;
    const cause = begun === 0 ? undefined : this.roomFailure(this.awaited.size + begun);
    const taken = cause === undefined ? lines : lines.filter(({ outcome }) => outcome !== undefined);
    const failures = this.write(taken);
    return lines.map((line) => {
      const place = taken.indexOf(line);
      return place === -1 ? this.failure(line.item, notSent, cause) : failures[place];
    });
  }

  /** Takes the room for answers as blanks, which they overwrite. */
  private roomFailure(answers: number): unknown {
    const { fileDescriptor, write } = this.file;
    try {
      this.blanksEnd = Math.max(this.blanksEnd, this.size);
      while (this.blanksEnd < this.size + answers * roomForAnswer) {
        this.blanks ??= Buffer.alloc(blankStep, ' ');
        this.blanksEnd += writeWhole(fileDescriptor, this.blanks, write, this.blanksEnd);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Half a line may follow a failure, which the next line overwrites. */
  private write(lines: readonly ItemLine[]): readonly (PdiError | undefined)[] {
    const { fileDescriptor, write } = this.file;
    const start = this.size;
    const texts = lines.map(({ item, outcome }) => (outcome === undefined ? sentLine(item) : answerLine(item, outcome)));
    const { ends, written, cause } = writeTexts(fileDescriptor, texts, write, start);
    return lines.map(({ item, outcome }, at) => {
      const end = ends[at] ?? 0;
      if (end > written) return this.failure(item, outcome === undefined ? notSent : answerLost, cause);
      this.note(item, outcome, { offset: this.size, length: start + end - this.size });
      this.size = start + end;
      return undefined;
    });
  }

  private note(item: string, outcome: Outcome | undefined, place: LinePlace): void {
    this.index.note(item, { state: outcome?.status ?? 'sent', ...place, thisRun: true });
    if (outcome === undefined) this.awaited.add(item);
    else this.awaited.delete(item);
  }

  private tryToWrite(line: string): void {
    try {
      this.size += writeWhole(this.file.fileDescriptor, line, this.file.write, this.size);
    } catch {
      // Half a line may be there. It is the last one, and is cut off.
    }
  }

  private failure(item: string, { words, billed }: typeof notSent | typeof answerLost, cause: unknown): PdiError {
    return new PdiError('internal', `cannot write ${this.file.path}: ${reasonOf(cause)}; ${item}: ${words}`, {
      item,
      billed,
      retryable: true,
      hint: `what was bought before is kept: ${mendingOf(cause)} and run the same command again`,
      cause,
    });
  }

  private end(last: () => void): void {
    if (!this.open) return;
    this.open = false;
    try {
      last();
    } catch (error) {
      throw diskFailure('cannot finish the journal', this.file.path, error);
    } finally {
      closeSync(this.file.fileDescriptor);
      this.file.lock.release();
    }
  }
}
