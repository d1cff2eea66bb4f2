/** What a command works with. The session makes each at its first use, and closes it at the end. */
import type { Book } from '../book/book.ts';
import type { Owner } from '../book/calls.ts';
import type { Client } from '../client/client.ts';
import type { PdiError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { CallRules } from './plan.ts';
import type { RunCost } from './report.ts';

export interface Service {
  readonly baseUrl: string;
  /** Names the service in journals and bookmarks: its base URL, or the data of a sandbox, because its port changes. */
  readonly identity: string;
  readonly key: () => Promise<string>;
}

/** One connection serves all that asks the book, and is closed at the end. */
interface BookOfRun {
  readonly path: string;
  /** On a server, so that each answer takes a round trip. */
  readonly isFar: boolean;
  /** This run made it. */
  readonly isNew: boolean;
  /** Without opening it. */
  isThere(): boolean;
  /** Opens the book, and makes it where there is none. @throws as `path`, and PdiError `internal`, naming it: then nothing may be bought */
  open(): Promise<Book>;
  ifThere(): Promise<Book | undefined>;
}

export interface Say {
  isJson(): boolean;
  /** Tells whether json was chosen, or is the default of a pipe. What a terminal gets in words is JSON then. */
  expectsJson(): boolean;
  /** A remark, unless `--quiet` is given. It is one JSON object if errors are JSON. */
  notice(remark: string): void;
  /** Puts a hint into the words of the command: what it advises asks whom this one asks. */
  advice(hint: string): string;
  /** A text with its line end. No key is in what is written. */
  write(text: string): void;
  detail(line: string): void;
  redact(text: string): string;
  guardKey(key: string): void;
}

export interface Tools {
  readonly io: Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'platform' | 'pid' | 'currentDirectory'>;
  readonly version: string;
  /** Aborted at the first Ctrl-C; after that nothing more is sent. */
  readonly stop: AbortSignal;
  readonly say: Say;
  /** The environment of a program that pdi starts: no key is in it. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>;
  readonly mayAsk: boolean;
  /** Another program watches, on a machine that may be gone tomorrow. */
  readonly inCi: boolean;
  /** In CI a notice says, once, where the book was just made, that budget, bookmarks and journals need one that stays. */
  tellOfNewBook(): Promise<void>;
  /** @throws UsageError where there is none, or where the key must not be sent to it */
  service(): Promise<Service>;
  readonly client: () => Promise<Client>;
  /** A client of any service, such as one whose base URL and key are not stored yet. */
  clientOf(service: Pick<Service, 'baseUrl' | 'key'>, calls: CallRules): Promise<Client>;
  readonly book: BookOfRun;
  /** Another than the one in use: a file or a postgres:// address. @throws UsageError */
  bookAt(name: string): BookOfRun;
  readonly isSandbox: boolean;
  /** Whose answers, calls and journals these are. @throws as the key does */
  owner(): Promise<Owner>;
  /** Set as soon as the command may buy something, for the words of a failure. */
  runCost: RunCost | undefined;
  atEnd(close: () => Promise<void>): void;
  /** A command throws this after Ctrl-C ended it in good order, so that the exit code shows the interruption. */
  interrupted(): PdiError;
}

export function whenStopped(stop: AbortSignal, listener: () => void): void {
  if (stop.aborted) listener();
  else stop.addEventListener('abort', listener, { once: true });
}
