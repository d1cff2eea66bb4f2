/** One connection to a book on PostgreSQL: statements in a row without waiting, tries while the server is away, and an end at once. */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import * as z from 'zod/mini';
import { Deadline } from '../client/pace.ts';
import { interruption, systemCodeOf } from '../errors.ts';
import { type PostgresAddress, type PostgresHost, placeOf } from './postgres-address.ts';
import { awayBy, BookAway, isLastWord, isOfHost, isOfServer, trouble } from './postgres-failure.ts';
import { openSocket, passwordFor } from './postgres-socket.ts';

type PostgresItem = string | number | boolean | null;
/** The place of an array in the statement names its type (`$1::text[]`). */
export type PostgresValue = PostgresItem | readonly PostgresItem[];

export interface PostgresOptions {
  /** How long `patient` tries again. */
  readonly maxWaitMs: number;
  readonly notice: (words: string) => void;
  /** A server that is silent for so long is taken for gone. */
  readonly answerMs?: number;
  /** After so long the user is told what is waited for. */
  readonly noticeMs?: number;
}

const [answerMs, noticeMs] = [15_000, 4000];
/** Of work that the user waits for, such as to delete a million answers. */
const longAnswerMs = 600_000;
const [shortestPauseMs, longestPauseMs] = [50, 2000];

/** Ways to a host that are tried one after the other. */
interface Try {
  readonly host: PostgresHost;
  readonly way: 'plain' | 'tls';
}

export class PostgresConnection {
  private readonly tries: readonly Try[];
  private at = 0;
  private opening: Promise<Link> | undefined;
  private link: Link | undefined;
  private readonly end = new AbortController();
  private longOnes = 0;
  /** A transaction is on this one. */
  private held: Link | 'gone' | undefined;
  private lacksPassword = false;
  private readonly notices = new Set<string>();

  constructor(
    private readonly address: PostgresAddress,
    private readonly options: PostgresOptions,
  ) {
    this.tries = address.hosts.flatMap((host) => host.ways.map((way) => ({ host, way })));
  }

  /**
   * The rows of one statement, which is a transaction of its own. Several may be under way: they are sent at once and done in order.
   * @throws BookAway; nobody knows whether a statement whose answer did not come was done
   */
  async ask<S extends z.ZodMiniType>(
    shape: S,
    text: string,
    ...values: readonly PostgresValue[]
  ): Promise<z.infer<S>[]> {
    const { data, error } = z.safeParse(z.array(shape), await this.rows(bound(text, values)));
    if (data !== undefined) return data;
    throw new BookAway('internal', 'the book: an answer of its server is not as expected', {
      billed: 'no',
      hint: 'nothing more was sent; see that nobody else changes the schema pdi',
      cause: error,
    });
  }

  /** The same without rows. Without values the text may be several statements, which are one transaction. */
  async run(text: string, ...values: readonly PostgresValue[]): Promise<void> {
    await this.rows(bound(text, values));
  }

  /** Tries again as long as the server is away, for `--max-wait`. @throws BookAway, and PdiError `interrupted` as soon as `stop` says so */
  async patient<T>(work: () => Promise<T>, stop?: AbortSignal): Promise<T> {
    const until = performance.now() + this.options.maxWaitMs;
    const telling = setTimeout(() => this.tellOfWait(), this.options.noticeMs ?? noticeMs);
    try {
      for (let pause = shortestPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
        try {
          return await unlessStopped(work, stop);
        } catch (error) {
          const isLast = performance.now() + pause > until;
          if (isLast || !(error instanceof BookAway) || !error.passes) throw error;
        }
        const ms = pause * (0.5 + Math.random());
        await unlessStopped(() => delay(ms, undefined, stop && { signal: stop }), stop);
      }
    } finally {
      clearTimeout(telling);
    }
  }

  private tellOfWait(): void {
    const { maxWaitMs } = this.options;
    const host = this.tries[this.at]?.host;
    if (this.longOnes === 0 && host !== undefined)
      this.tell(
        `waiting for the book ${placeOf(this.address, host)}, ${maxWaitMs / 1000} s at most`,
      );
  }

  /** Once. */
  private tell(words: string): void {
    if (!this.notices.has(words)) this.options.notice(words);
    this.notices.add(words);
  }

  /** Within it the server may take minutes for a statement. */
  async long<T>(work: () => Promise<T>): Promise<T> {
    this.longOnes += 1;
    try {
      return await work();
    } finally {
      this.longOnes -= 1;
    }
  }

  /** One transaction: once its connection is lost, nothing is asked on another. @throws BookAway, and what `work` throws */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('BEGIN');
    this.held = this.link ?? 'gone';
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      if (this.link === this.held) await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.held = undefined;
    }
  }

  /** At once, whatever is under way and however silent the server is. */
  close(): void {
    this.end.abort();
    this.link?.fail(trouble('ECONNRESET', 'the book is closed'));
  }

  private async rows(text: string): Promise<readonly unknown[]> {
    for (;;) {
      const { at } = this;
      const tried = this.tries[at];
      if (tried === undefined || this.end.signal.aborted)
        throw new BookAway('unavailable', 'the book is closed', { billed: 'no' });
      let link: Link | undefined;
      try {
        this.opening ??= this.open(tried);
        link = await this.opening;
        if (this.held !== undefined && link !== this.held)
          throw trouble('ECONNRESET', 'the connection was closed');
        return await link.ask(text);
      } catch (error) {
        const isUnsent = link === undefined || (!link.isReady && isRefusal(error));
        // The other way to this host, or the next one, has its turn within the same try.
        if (isUnsent && this.at > at) continue;
        const { address, lacksPassword } = this;
        throw awayBy(error, { address, host: tried.host, lacksPassword, text });
      }
    }
  }

  private async open(tried: Try): Promise<Link> {
    this.lacksPassword = false;
    try {
      const [{ default: connect }, socket] = await Promise.all([
        import('postgres'),
        openSocket(this.address, tried.host, tried.way, this.end.signal),
      ]);
      const sql = connect(this.optionsFor(tried, socket));
      const limitMs = () =>
        this.longOnes > 0 ? longAnswerMs : (this.options.answerMs ?? answerMs);
      this.link = new Link(socket, sql, limitMs, (why, isReady) => this.lost(why, isReady));
      return this.link;
    } catch (error) {
      this.lost(error, false);
      throw error;
    }
  }

  /** After a connection that served, the hosts have their turns anew. */
  private lost(why: unknown, isReady: boolean): void {
    const here = this.tries[this.at]?.host;
    const isNext = ({ host }: Try, at: number): boolean =>
      at > this.at && (host === here) !== isOfHost(why);
    this.at = isReady ? 0 : Math.max(0, this.tries.findIndex(isNext));
    this.link = undefined;
    this.opening = undefined;
  }

  private optionsFor({ host }: Try, socket: Socket) {
    const { user, database, applicationName, options } = this.address;
    return {
      ...ownOptions,
      host: host.name,
      port: host.port,
      user,
      database,
      pass: () => this.password(host),
      connection: { application_name: applicationName, ...(options && { options }) },
      socket: () => socket,
      onparameter: (name: string, value: string) => {
        if (name === 'in_hot_standby' && value === 'on' && this.address.hosts.length > 1)
          this.link?.fail(trouble('STANDBY', 'this server only reads'));
      },
    };
  }

  /** Asked for where the server wants one. */
  private password(host: PostgresHost): string {
    const password = passwordFor(this.address, host, (words) => this.tell(words));
    this.lacksPassword = password === undefined;
    return password ?? '';
  }
}

/** All that `postgres` would else read from the environment of the process, or do by itself. */
const ownOptions = {
  ...{ max: 1, idle_timeout: 0, connect_timeout: 0, max_lifetime: null, max_pipeline: 100 },
  ...{ backoff: false, keep_alive: 60, debug: false, ssl: false, sslnegotiation: null },
  ...{ fetch_types: false, prepare: false },
  target_session_attrs: undefined,
  onnotice: () => undefined,
  types: {
    // Sums of `bigint` are `numeric`.
    count: { to: 20, from: [20, 1700], serialize: String, parse: Number },
  },
};

/** The server, or we, refused the connection before any statement. */
const isRefusal = (error: unknown): boolean =>
  isOfServer(error) ||
  ['STANDBY', 'NOT_POSTGRES', 'UNKNOWN_PROOF'].includes(systemCodeOf(error) ?? '');

/** A connection until its end, of which it tells once. */
class Link {
  private readonly waiting = new Set<(why: unknown) => void>();
  private deadline: Deadline | undefined;
  private failure: unknown;
  /** The server has taken us in, and has answered. */
  isReady = false;

  constructor(
    private readonly socket: Socket,
    private readonly sql: postgres.Sql<{ count: number }>,
    private readonly limitMs: () => number,
    private readonly lost: (why: unknown, isReady: boolean) => void,
  ) {
    socket.on('data', () => this.deadline?.arrived());
    socket.on('close', () => this.fail(trouble('ECONNRESET', 'the connection was closed')));
  }

  ask(text: string): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      if (this.waiting.add(reject).size === 1) this.watch();
      this.sql.unsafe(text).then(
        (rows) => {
          this.answered(reject);
          resolve(rows);
        },
        (error: unknown) => {
          if (!isOfServer(error) || isLastWord(error)) this.fail(error);
          else this.answered(reject);
          reject(error);
        },
      );
    });
  }

  /** Whoever waits here is told why. */
  fail(why: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = why;
    this.deadline?.cancel();
    this.socket.destroy();
    this.lost(why, this.isReady);
    for (const reject of this.waiting) reject(why);
    this.waiting.clear();
  }

  private answered(waiter: (why: unknown) => void): void {
    this.isReady = true;
    this.waiting.delete(waiter);
    this.watch();
  }

  /** Each answer gives the next one its time anew. */
  private watch(): void {
    this.deadline?.cancel();
    const limit = this.limitMs();
    const words = `no answer within ${limit / 1000} s`;
    this.deadline =
      this.waiting.size === 0 || this.failure !== undefined
        ? undefined
        : new Deadline(
            limit,
            () => performance.now(),
            () => this.fail(trouble('NO_ANSWER', words)),
          );
  }
}

/** Ends at once where it is told to; what goes on is for nobody. */
async function unlessStopped<T>(work: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  if (stop === undefined) return work();
  if (stop.aborted) throw stoppedWaiting();
  return new Promise((resolve, reject) => {
    const stopped = () => reject(stoppedWaiting());
    const left = () => stop.removeEventListener('abort', stopped);
    work().then(resolve, reject).finally(left);
    stop.addEventListener('abort', stopped);
  });
}

const stoppedWaiting = () => interruption('stopped while waiting for the book', { billed: 'no' });

/**
 * The statement with its values in it. So it goes and comes back in one message each, which `postgres` does otherwise for statements
 * alone that the server has prepared, and those a pooler does not find again.
 */
function bound(text: string, values: readonly PostgresValue[]): string {
  if (values.length === 0) return text;
  return text.replace(/\$(\d+)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    if (value === undefined) throw new Error(`a statement has no value $${place}`);
    return literal(value);
  });
}

/** Without a type, which its place gives it, as that of a parameter. */
function literal(value: PostgresValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'object') return `ARRAY[${value.map(literal).join(',')}]`;
  const text = String(value);
  if (text.includes('\0')) throw new Error('a text for PostgreSQL holds no NUL');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
