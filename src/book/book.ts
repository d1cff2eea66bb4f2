/** What a book answers and keeps, whichever engine it is in: the calls of a run, reports, bookmarks, and the little that runs share. */
import type { SharedPace } from '../client/rate-limiter.ts';
import { PdiError } from '../errors.ts';
import type { Bookmarks } from './bookmarks.ts';
import type { Cap, Limits } from './budget.ts';
import type { BookCall, KeptAnswer, keyOf, Lost, Owner, Settled, Taken, Ticket } from './calls.ts';
import type { BookContent } from './content.ts';
import type { Reports } from './reports.ts';

export interface BookPlace {
  readonly path: string;
  /** The user named the file, so others may use its folder, such as /tmp. */
  readonly isNamed?: boolean;
  /** Without a file: `:memory:`, or the sandbox's unnamed one on a Node without SQLite. */
  readonly inMemory?: 'always' | 'without SQLite' | undefined;
  readonly patienceMs: number;
  readonly notice: (words: string) => void;
  readonly clock: () => number;
  /** Of a server, not a file: what libpq would look at on the way to it. */
  readonly server?: {
    readonly variables: Readonly<Record<string, string | undefined>>;
    readonly platform: string;
    readonly home: string | undefined;
  };
}

export interface Book {
  /** The words that name it. */
  readonly path: string;
  readonly reports: Reports;
  /** For the one run that has opened the book. */
  ofRun(options: RunBookOptions): RunBook;
  /** A bookmark of the sandbox must not block the real one. */
  bookmarks(sandbox: boolean): Bookmarks;
  /** The pace that all runs of an owner share; `close` waits for what is under way, and later changes are not kept. */
  sharedPace(owner: Owner): (SharedPace & { close(): Promise<void> }) | undefined;
  /** The text that was kept of the job that made the file at this path. */
  finishedJob(path: string): Promise<string | undefined>;
  keepFinishedJob(path: string, text: string): Promise<void>;
  /** `at_work` are the runs that use the book now. */
  state(): Promise<{
    readonly version: number;
    readonly bytes: number;
    readonly at_work: readonly string[];
  }>;
  /** Finds out whether it can be written, and gives words about it. @throws PdiError `internal` */
  check(): Promise<string>;
  /** Whole, as of one moment, whoever writes meanwhile; `prepare` makes an empty file there. */
  copyInto(path: string, prepare: () => void): Promise<void>;
  /** One transaction, of which nothing stays where `work` fails. @throws what `work` throws, PdiError */
  whole<T>(work: (content: BookContent) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RunBookOptions {
  readonly clock: () => number;
  /** Whose calls they are, and how `pdi spend` counts them; `origin` is the base URL that they go to. */
  readonly facts: {
    readonly owner: Owner;
    readonly profile: string;
    readonly command: string;
    readonly origin: string;
    readonly sandbox: boolean;
    readonly user: string;
    readonly host: string;
    /** FILE of `--out`, or the text of `--tag`; empty without either. */
    readonly file: string;
  };
  readonly rules: {
    /** Only what was bought since this run began is taken. */
    readonly fresh: boolean;
    readonly retryUnknown: boolean;
    readonly limits: Limits;
    /** Above 1, so many answers to one question stay, past their age too: those that came before the last are never taken. */
    readonly keepVersions: number;
  };
  readonly cap: Cap;
  /** Of a book of many machines: one that has met the service's limit tells the others. */
  readonly limit?: { closedForMs(): number; close(milliseconds: number): void } | undefined;
  readonly pid: number;
  /** Once it is aborted, nobody waits to be given a call. */
  readonly stop?: AbortSignal | undefined;
  readonly onFirstKept: () => void;
}

/** The book of one run: its calls are taken before they are sent and settled after. */
export interface RunBook {
  now(): number;
  /** `ofThisRun`: in another run, the same page of a list holds other records. */
  keyOf(question: Parameters<typeof keyOf>[1], ofThisRun: boolean): string;
  /** When a question was last bought, in milliseconds, whatever became of its answer. @throws PdiError `internal` */
  boughtAt(call: BookCall): Promise<number | undefined>;
  /** Gives what the book has of a question that is not asked now. @throws PdiError `internal` */
  find(call: BookCall): Promise<{ readonly answer: KeptAnswer } | Lost | undefined>;
  /** Whether its answer was lost, and the service's log has shown that it was not billed. @throws PdiError `internal` */
  isCleared(call: BookCall): Promise<boolean>;
  /** Gives the right to make a call, once it is written down, or why there is none. @throws PdiError `internal`: then send nothing */
  take(call: BookCall): Promise<Taken>;
  /** The service did not carry the call out, and it waits to be taken again: a kill leaves nothing in doubt. @throws PdiError `internal` */
  giveBack(ticket: Ticket): Promise<Ticket>;
  /** Writes down how a call ended, and its answer. @throws PdiError `internal`: the answer goes out all the same */
  settle(end: Settled): Promise<undefined>;
  /** The calls whose answers were lost, of dead runs too: the number of the latest by key. @throws PdiError */
  lost(): Promise<ReadonlyMap<string, number>>;
  /** Whether what was taken is this run's for certain: a machine may have slept for long. */
  holds(): boolean;
  close(): Promise<void>;
}

/** A later pdi has changed the book's tables. */
export const newerBook = (path: string, version: number, supported: number): PdiError =>
  new PdiError(
    'internal',
    `${path} was written by a newer pdi: version ${version} of the book, and this one knows ${supported}`,
    { item: path, billed: 'no', hint: `use that pdi; ${anotherBook}` },
  );

export const replaced = (path: string): PdiError =>
  new PdiError('internal', `the book ${path} was moved or replaced while this run used it`, {
    item: path,
    billed: 'no',
    retryable: true,
    hint: 'nothing more was sent; do not move it while a run uses it',
    rerun: 'run the same command again',
  });

export const anotherBook = 'another book (PDI_BOOK) would buy again what this one has';
