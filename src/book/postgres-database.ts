/** The schema of a team's book on one connection: asked in tries until the server answers, and made where there is none. */
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { newerBook } from './book.ts';
import type { PostgresConnection, PostgresValue } from './postgres-connection.ts';
import { BookAway } from './postgres-failure.ts';
import { migrations, otherVersion, version } from './postgres-schema.ts';

export const numberRow = z.object({ number: z.number() });
export const textRow = z.object({ text: z.nullable(z.string()) });

/** No such schema, function or table, or another version of them. */
const lacksSchema = new Set<unknown>(['3F000', '42883', '42P01', otherVersion]);
/** Somebody else has made it meanwhile. */
const isMadeMeanwhile = new Set<unknown>(['42P06', '42P07', otherVersion]);
export const stateOf = (error: unknown) => (error instanceof BookAway ? error.sqlState : undefined);

/** At the end, and after a stop, what is under way to the server is waited for so long: it may be done there already. */
export const patienceAtEndMs = 2000;

/** One connection, and the schema on it, which is made where there is none. */
export class PostgresDatabase {
  private readonly last: Promise<unknown>[] = [];

  constructor(
    private readonly connection: PostgresConnection,
    readonly path: string,
  ) {}

  /** One try. @throws BookAway, and the words of another holder */
  ask<S extends z.ZodMiniType>(
    shape: S,
    sql: string,
    ...values: readonly PostgresValue[]
  ): Promise<z.infer<S>[]> {
    return this.connection.ask(shape, sql, ...values);
  }

  /** The same without rows. */
  run(sql: string, ...values: readonly PostgresValue[]): Promise<void> {
    return this.connection.run(sql, ...values);
  }

  /** Until the server answers, `--max-wait` is over or `stop` is aborted. @throws PdiError */
  patient<T>(work: () => Promise<T>, stop?: AbortSignal): Promise<T> {
    const withSchema = async () => {
      try {
        return await work();
      } catch (error) {
        if (!lacksSchema.has(stateOf(error))) throw error;
      }
      await this.bringUpToDate();
      return work();
    };
    return this.connection.patient(withSchema, stop);
  }

  /** Within it, `ask` and `run` alone. @throws BookAway, and what `work` throws */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.change('SELECT pdi.require($1)', version);
    return this.connection.transaction(work);
  }

  /** Within it the server may take minutes for a statement. */
  long<T>(work: () => Promise<T>): Promise<T> {
    return this.connection.long(work);
  }

  rows<S extends z.ZodMiniType>(shape: S, sql: string, ...values: readonly PostgresValue[]) {
    return this.patient(() => this.ask(shape, sql, ...values));
  }

  change(sql: string, ...values: readonly PostgresValue[]): Promise<void> {
    return this.patient(() => this.run(sql, ...values));
  }

  /** One try. */
  async askNumber(sql: string, ...values: readonly PostgresValue[]): Promise<number> {
    return (await this.ask(numberRow, sql, ...values))[0]?.number ?? 0;
  }

  number(sql: string, ...values: readonly PostgresValue[]): Promise<number> {
    return this.patient(() => this.askNumber(sql, ...values));
  }

  async text(sql: string, ...values: readonly PostgresValue[]): Promise<string | undefined> {
    return (await this.rows(textRow, sql, ...values))[0]?.text ?? undefined;
  }

  /** The connection is closed only after this, or soon. */
  atEnd(last: Promise<unknown>): void {
    this.last.push(last.catch(() => undefined));
  }

  async close(): Promise<void> {
    await Promise.race([Promise.all(this.last), delay(patienceAtEndMs, undefined, { ref: false })]);
    this.connection.close();
  }

  private async bringUpToDate(): Promise<void> {
    const [row] = await this.ask(textRow, "SELECT to_regclass('pdi.version')::text AS text");
    const isThere = typeof row?.text === 'string';
    const there = isThere ? await this.askNumber('SELECT number FROM pdi.version') : 0;
    if (there > version) throw newerBook(this.path, there, version);
    if (there === version) return;
    const isStill = there === 0 ? '' : `SELECT pdi.require(${there});`;
    const made = there === 0 ? '' : `UPDATE pdi.version SET number = ${version}`;
    const changes = migrations.slice(there).join('\n');
    // Statements without values are one transaction.
    const sql = `SELECT pg_advisory_xact_lock(28742, 0); ${isStill} ${changes} ${made}`;
    try {
      await this.run(sql);
    } catch (error) {
      if (!isMadeMeanwhile.has(stateOf(error))) throw error;
    }
  }
}
