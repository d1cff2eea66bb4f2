/** What is read from a book in SQLite, and written into it, to copy a whole one. */
import { hostname } from 'node:os';
import type { SqlValue } from '../files/sqlite.ts';
import type { BookFile } from './book-file.ts';
import {
  type BookContent,
  type MovedRow,
  type NumberedTable,
  rowsAtOnce,
  type TableName,
  tables,
} from './content.ts';
import { Runs } from './runs.ts';
import { bytesOf, describeRun } from './schema.ts';
import { storedRow } from './work-of-run.ts';

/** A file is of the machine that made it, and so is this book. */
const columnsOf = (table: TableName): readonly string[] =>
  Object.keys(tables[table]).filter((column) => table !== 'finished' || column !== 'host');

const isNumbered = (table: TableName): boolean =>
  !['finished', 'bookmark', 'outbox'].includes(table);

function readSql(table: TableName): string {
  const kinds: Readonly<Record<string, string>> = tables[table];
  const columns = columnsOf(table).map((name) => (kinds[name] === 'text' ? bytesOf(name) : name));
  return isNumbered(table)
    ? `SELECT id, ${columns.join()} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${rowsAtOnce}`
    : `SELECT ${columns.join()} FROM ${table} LIMIT ${rowsAtOnce} OFFSET ?`;
}

/** No run has the number 0, of which are the calls and answers that came from another book. */
function addSql(table: TableName): string {
  const names = columnsOf(table);
  const [more, zero] = table === 'call' || table === 'answer' ? [', run', ', 0'] : ['', ''];
  return `INSERT INTO ${table} (${names.join()}${more}) VALUES (${names.map(() => '?').join()}${zero})`;
}

const onConflict: Readonly<Partial<Record<TableName, string>>> = {
  owner: 'ON CONFLICT DO UPDATE SET name = name',
  source: 'ON CONFLICT DO UPDATE SET profile = profile',
  answer: 'ON CONFLICT DO NOTHING',
  finished: 'ON CONFLICT DO UPDATE SET state = excluded.state',
};
/** An upsert would pass by the trigger that counts what is deleted. */
const dropOlderSql = 'DELETE FROM answer WHERE key = ? AND at < ?';
const twiceSql = `SELECT EXISTS (SELECT key, at FROM call WHERE id > ?
  INTERSECT SELECT key, at FROM call WHERE id <= ?) AS number`;

export class SqliteContent implements BookContent {
  private readonly lastCall: number;

  constructor(private readonly file: BookFile) {
    this.lastCall = file.number('SELECT coalesce(max(id), 0) AS number FROM call');
  }

  /** Two names of one file are found out before. */
  async isAlone(): Promise<boolean> {
    return true;
  }

  async atWork(): Promise<readonly string[]> {
    return this.file.beside(() => {
      const runs = new Runs(this.file);
      runs.concludeDead();
      return runs.living().map(describeRun);
    });
  }

  async *rows(table: TableName): AsyncGenerator<readonly MovedRow[]> {
    const sql = readSql(table);
    for (let after: SqlValue = 0; ; ) {
      const rows = this.file.beside(() => this.file.rows(storedRow, sql, after));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield table === 'finished' ? rows.map((row) => ({ ...row, host: hostname() })) : rows;
      after = last.id ?? Number(after) + rows.length;
    }
  }

  async numbersOf(table: NumberedTable, rows: readonly MovedRow[]): Promise<readonly number[]> {
    const sql = `${addSql(table)} ${onConflict[table]}`;
    return this.file.beside(() =>
      rows.map((row) => this.file.insert(sql, ...valuesOf(table, row))),
    );
  }

  async add(table: Exclude<TableName, NumberedTable>, rows: readonly MovedRow[]): Promise<number> {
    const { file } = this;
    const sql = `${addSql(table)} ${onConflict[table] ?? ''}`;
    const ours = table === 'finished' ? rows.filter(({ host }) => host === hostname()) : rows;
    return file.beside(() => {
      let added = 0;
      for (const row of ours) {
        if (table === 'answer') file.run(dropOlderSql, row.key ?? null, row.at ?? null);
        added += file.run(sql, ...valuesOf(table, row));
      }
      return added;
    });
  }

  async hasTwice(): Promise<boolean> {
    const { file, lastCall } = this;
    return lastCall > 0 && file.beside(() => file.number(twiceSql, lastCall, lastCall)) === 1;
  }
}

const valuesOf = (table: TableName, row: MovedRow): readonly SqlValue[] =>
  columnsOf(table).map((column) => row[column] ?? null);
