/** What these tests share: a clock that stands still, a book. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { BookPlace, RunBook, RunBookOptions } from '../../src/book/book.ts';
import { type BookFile, openBookFile } from '../../src/book/book-file.ts';
import { Cap } from '../../src/book/budget.ts';
import { Buyer } from '../../src/book/buyer.ts';
import type { Taken, Ticket } from '../../src/book/calls.ts';
import type { JobIdentity } from '../../src/book/job-lines.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import type { Answer, Client } from '../../src/client/client.ts';
import type { CallOutcome } from '../../src/contract/price.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { type Outcome, type RowStatus, readRecord } from '../../src/rows/row.ts';
import { newFolder } from '../support/run.ts';

export const noon = Date.parse('2026-01-02T12:00:00.000Z');

/** An outcome whose record is told by its text. */
export interface Told {
  readonly status: RowStatus;
  readonly record?: string | undefined;
  readonly error?: string | undefined;
}

export const outcomeOf = ({ status, record, error }: Told): Outcome => ({
  status,
  ...(record !== undefined && { record: readRecord(record) }),
  ...(error !== undefined && { error }),
});

/** An outcome as a test tells it. */
export const told = (outcome: Outcome | undefined): Told | undefined =>
  outcome && { status: outcome.status, error: outcome.error, record: outcome.record?.text };

export const newBookPath = (): string => join(newFolder(), 'state', 'book.db');

/** Whose calls they are in these tests. */
export const facts: RunBookOptions['facts'] = {
  owner: { baseUrl: 'https://api.example.test/api/v1', key: 'k' },
  profile: 'default',
  command: 'person',
  origin: 'https://api.example.test',
  sandbox: false,
  ...{ user: 'ada', host: 'here', file: '' },
};

export interface BookOfTest extends Partial<Omit<RunBookOptions, 'rules'> & BookPlace> {
  readonly rules?: Partial<RunBookOptions['rules']>;
}

/** What a run says when it opens the book. */
export const bookOptions = ({ rules, ...more }: BookOfTest = {}): RunBookOptions & BookPlace => ({
  path: join(newFolder(), 'book.db'),
  patienceMs: 5000,
  notice: () => {},
  clock: () => noon,
  facts,
  cap: new Cap('unlimited'),
  pid: 1000,
  onFirstKept: () => {},
  rules: { fresh: false, retryUnknown: false, limits: {}, keepVersions: 1, ...rules },
  ...more,
});

/** A run's book, closed when the test is over. */
export async function bookOf(more: BookOfTest = {}): Promise<SqliteRun> {
  const options = bookOptions(more);
  const file = await openBookFile(options);
  const book = new SqliteRun(file, options);
  onTestFinished(() => book.close().finally(() => file.close()));
  return book;
}

/** The ticket that a call was given. */
export function ticketOf(taken: Taken): Ticket {
  if (typeof taken !== 'object' || !('ticket' in taken)) throw new Error('no ticket');
  return taken.ticket;
}

/** Settles a call: `at` is when its answer came. */
export const settle = (
  book: RunBook,
  ticket: Ticket,
  { outcome = 'billed', at = noon, body = '{}' }: SettledOfTest = {},
) =>
  book.settle({
    ticket,
    outcome,
    answer: outcome === 'billed' ? { at, missing: false, body } : undefined,
  });

interface SettledOfTest {
  readonly outcome?: CallOutcome;
  readonly at?: number;
  readonly body?: string;
}

interface BuyerOfTest extends BookOfTest {
  readonly client: Client;
  readonly maxAge?: number;
  readonly retriesOfUnknown?: number;
  readonly longestWaitMs?: number;
}

/** A client whose calls end so. */
export const clientOf = (
  call: (...asked: Parameters<Client['call']>) => Promise<Answer>,
): Client => ({
  call: async (endpoint, request, asked = {}) => {
    await asked.ticket?.take();
    return call(endpoint, request, asked);
  },
  limit: { closedForMs: () => 0, close: () => {} },
  atOnce: 1,
  pause: async () => {},
  finish: () => {},
  close: async () => {},
  serviceText: (told) => told,
});

/** A buyer whose book is opened at its first charged call. */
export function buyerOf({
  client,
  maxAge = 0,
  retriesOfUnknown = 0,
  longestWaitMs = 2000,
  cap = new Cap('unlimited'),
  rules,
  ...more
}: BuyerOfTest): Buyer {
  let book: Promise<SqliteRun> | undefined;
  return new Buyer({
    client: async () => client,
    place: { isFar: false, isThere: () => true },
    book: () => {
      book ??= bookOf({ cap, ...more, rules: { retryUnknown: retriesOfUnknown > 0, ...rules } });
      return book;
    },
    cap,
    maxAge,
    retriesOfUnknown,
    longestWaitMs,
    redact: (text) => text,
  });
}

/** Whose job it is in these tests. */
export const identity: JobIdentity = {
  ...facts.owner,
  command: 'person',
  operation: 'GET /people/{personId}',
};

/** How many rows of calls the book at a path has with this outcome. */
export async function callsAt(path: string, outcome: CallOutcome | 'settled'): Promise<number> {
  const file = await openBookFile(bookOptions({ path }));
  const count = countIn(file, `SELECT count(*) AS count FROM call WHERE outcome = '${outcome}'`);
  file.close();
  return count;
}

/** Changes a database by hand, as another program does. */
export async function changedByHand(path: string, sql: string): Promise<void> {
  const database = (await sqliteEngine())(path);
  database.exec(sql);
  database.close();
}

/** The answer to a question for one number. */
export const countIn = (file: BookFile, sql: string): number =>
  file.row(z.object({ count: z.number() }), sql)?.count ?? -1;
