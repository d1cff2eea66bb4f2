/** What is read from a team's book, and written into it, to copy a whole one: a statement for many rows. */
import * as z from 'zod/mini';
import {
  type BookContent,
  type MovedRow,
  type NumberedTable,
  rowsAtOnce,
  type TableName,
  tables,
} from './content.ts';
import type { PostgresValue } from './postgres-connection.ts';
import { numberRow, type PostgresDatabase } from './postgres-database.ts';

const movedRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const types = { text: 'text', number: 'int8', flag: 'bool' } as const;

const kindsOf = (table: TableName): readonly (readonly [string, keyof typeof types])[] =>
  Object.entries(tables[table]);
const columnsOf = (table: TableName): string =>
  kindsOf(table)
    .map(([column]) => `"${column}"`)
    .join();

function readSql(table: TableName): string {
  const columns = kindsOf(table).map(([name, kind]) =>
    kind === 'flag' ? `"${name}"::int AS "${name}"` : `"${name}"`,
  );
  const [number, order] =
    table === 'owner' || table === 'source'
      ? ['id, ', '']
      : ['', table === 'call' ? 'ORDER BY id' : ''];
  return `SELECT ${number}${columns.join()} FROM pdi.${table} ${order}`;
}

/** The rows, an array a column, and the place of each. */
const givenIn = (table: TableName): string => {
  const arrays = kindsOf(table).map(([, kind], at) => `$${at + 1}::${types[kind]}[]`);
  return `unnest(${arrays.join()}) WITH ORDINALITY AS given (${columnsOf(table)}, given_at)`;
};

const naming: Readonly<Record<NumberedTable, string>> = {
  owner: 'name',
  source: columnsOf('source'),
};

const plainSql = (table: TableName): string => `WITH added AS (
  INSERT INTO pdi.${table} (${columnsOf(table)}) SELECT ${columnsOf(table)} FROM ${givenIn(table)}
    ${table === 'finished' ? 'ON CONFLICT (host, file) DO UPDATE SET state = excluded.state' : ''}
    RETURNING 1) SELECT count(*) AS number FROM added`;

// Where a million rows change one count in one transaction, each change looks at all before it. So rows of the run 0, which is none,
// pass by the triggers, and are counted together.
const callSql = `WITH added AS (
  INSERT INTO pdi.call (run, nonce, owner, ${columnsOf('call')})
    SELECT 0, $${kindsOf('call').length + 1} + given_at, source.owner, ${kindsOf('call')
      .map(([column]) => `given."${column}"`)
      .join()}
    FROM ${givenIn('call')} JOIN pdi.source ON source.id = given.source ORDER BY given_at
    RETURNING owner, source, at, outcome, billing), counted AS (
  INSERT INTO pdi.spent AS t SELECT source, pdi.day(at), pdi.reported(outcome, billing), count(*)
    FROM added WHERE outcome <> 'sent' GROUP BY 1, 2, 3
    ON CONFLICT (source, day, outcome) DO UPDATE SET calls = t.calls + excluded.calls), of_budget AS (
  INSERT INTO pdi.used AS t SELECT owner, pdi.day(at), count(*)
    FROM added WHERE outcome NOT IN ('sent', 'not_billed', 'cleared') GROUP BY 1, 2
    ON CONFLICT (owner, day) DO UPDATE SET calls = t.calls + excluded.calls)
  SELECT count(*) AS number FROM added`;
const answerSql = `WITH given AS (SELECT * FROM ${givenIn('answer')}), older AS (
  SELECT a.owner, a.operation, a.bytes FROM pdi.answer a JOIN given ON given.key = a.key
    WHERE a.at < given.at), added AS (
  INSERT INTO pdi.answer AS a (run, ${columnsOf('answer')}) SELECT 0, ${columnsOf('answer')} FROM given
    ON CONFLICT (key) DO UPDATE SET run = 0, at = excluded.at, until = excluded.until,
      max_age = excluded.max_age, missing = excluded.missing, bytes = excluded.bytes, body = excluded.body
      WHERE a.at < excluded.at
    RETURNING owner, operation, bytes), counted AS (
  INSERT INTO pdi.kept AS k SELECT owner, operation, sum(n), sum(n * bytes::int8) FROM (
      SELECT *, 1 AS n FROM added UNION ALL SELECT *, -1 FROM older) AS changed GROUP BY 1, 2
    ON CONFLICT (owner, operation)
    DO UPDATE SET answers = k.answers + excluded.answers, bytes = k.bytes + excluded.bytes)
  SELECT count(*) AS number FROM added`;

const aloneSql = 'SELECT pg_try_advisory_xact_lock(28743, $1)::int AS number';
/** The number 0 is no owner's: one book after the other is moved. */
const lineUpSql = 'SELECT pdi.line_up(0)';
const buryDeadSql = `SELECT pdi.bury_dead(id) FROM (SELECT id FROM pdi.owner
  WHERE $1::int4[] IS NULL OR id = ANY ($1::int4[]) ORDER BY id) AS owner`;
const lastSql = `SELECT (SELECT coalesce(max(id), 0) FROM pdi.call) AS call,
  (SELECT coalesce(max(nonce), 0) FROM pdi.call WHERE run = 0) AS nonce`;
const lastRow = z.object({ call: z.number(), nonce: z.number() });
const twiceSql = `SELECT EXISTS (SELECT key, at FROM pdi.call WHERE id > $1 AND run = 0
  INTERSECT SELECT key, at FROM pdi.call WHERE id <= $1)::int AS number`;

export class PostgresContent implements BookContent {
  private last: z.infer<typeof lastRow> = { call: 0, nonce: 0 };

  constructor(private readonly database: PostgresDatabase) {}

  async isAlone(number: number): Promise<boolean> {
    if ((await this.database.askNumber(aloneSql, number)) === 0) return false;
    await this.database.long(() => this.database.run(lineUpSql));
    return true;
  }

  async atWork(owners?: readonly number[]): Promise<readonly string[]> {
    const { database } = this;
    await database.long(() => database.run(buryDeadSql, owners ?? null));
    const [last] = await database.ask(lastRow, lastSql);
    if (last !== undefined) this.last = last;
    return runsAtWork(database, owners);
  }

  async *rows(table: TableName): AsyncGenerator<readonly MovedRow[]> {
    const { database } = this;
    await database.run(`DECLARE moved NO SCROLL CURSOR FOR ${readSql(table)}`);
    for (;;) {
      const rows = await database.ask(movedRow, `FETCH ${rowsAtOnce} FROM moved`);
      if (rows.length === 0) break;
      yield rows;
    }
    await database.run('CLOSE moved');
  }

  async numbersOf(table: NumberedTable, rows: readonly MovedRow[]): Promise<readonly number[]> {
    const { database } = this;
    const values = valuesOf(table, rows);
    const columns = columnsOf(table);
    const sql = `INSERT INTO pdi.${table} (${columns}) SELECT ${columns} FROM ${givenIn(table)} ON CONFLICT DO NOTHING`;
    const findSql = `SELECT ${table}.id AS number FROM ${givenIn(table)}
      JOIN pdi.${table} USING (${naming[table]}) ORDER BY given_at`;
    await database.run(sql, ...values);
    return (await database.ask(numberRow, findSql, ...values)).map(({ number }) => number);
  }

  async add(table: Exclude<TableName, NumberedTable>, rows: readonly MovedRow[]): Promise<number> {
    const values = valuesOf(table, rows);
    if (table === 'answer') return this.database.askNumber(answerSql, ...values);
    if (table !== 'call') return this.database.askNumber(plainSql(table), ...values);
    const added = await this.database.askNumber(callSql, ...values, this.last.nonce);
    this.last = { ...this.last, nonce: this.last.nonce + added };
    return added;
  }

  async hasTwice(): Promise<boolean> {
    const { call } = this.last;
    return (
      call > 0 && (await this.database.long(() => this.database.askNumber(twiceSql, call))) === 1
    );
  }
}

const valuesOf = (table: TableName, rows: readonly MovedRow[]): readonly PostgresValue[] =>
  kindsOf(table).map(([column]) => rows.map((row) => row[column] ?? null));

const runRow = z.object({ user: z.string(), host: z.string(), pid: z.number(), began: z.number() });
const runsSql = `SELECT source."user", source.host, pid, began FROM pdi.run
  JOIN pdi.source ON source.id = run.source WHERE NOT ended AND until > (SELECT pdi.ms())
  AND ($1::int4[] IS NULL OR run.owner = ANY ($1::int4[])) ORDER BY began`;

/** In one try. */
export async function runsAtWork(
  database: PostgresDatabase,
  owners?: readonly number[],
): Promise<readonly string[]> {
  const runs = await database.ask(runRow, runsSql, owners ?? null);
  return runs.map(
    ({ user, host, pid, began }) =>
      `process ${pid} of ${user} on ${host}, since ${new Date(began).toISOString()}`,
  );
}
