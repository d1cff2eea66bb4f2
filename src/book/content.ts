/** All that a book holds, as rows that both engines read and write. */

/** What is copied: the pace, the runs and what is counted stay. A column that is called as a table has the number of one of its rows. */
export const tables = {
  owner: { name: 'text', base_url: 'text', account: 'text' },
  source: {
    ...{ owner: 'number', profile: 'text', command: 'text', base_url: 'text', sandbox: 'flag' },
    ...{ user: 'text', host: 'text', file: 'text' },
  },
  call: {
    ...{ source: 'number', key: 'text', at: 'number', max_age: 'number', outcome: 'text' },
    ...{ operation: 'text', item: 'text', billing: 'text' },
  },
  answer: {
    ...{ owner: 'number', key: 'text', operation: 'text', at: 'number', until: 'number' },
    max_age: 'number',
    ...{ missing: 'flag', bytes: 'number', body: 'text' },
  },
  finished: { host: 'text', file: 'text', state: 'text' },
  bookmark: { name: 'text', sandbox: 'flag', state: 'text', next: 'text' },
  outbox: { bookmark: 'text', sandbox: 'flag', place: 'number', record: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, 'text' | 'number' | 'flag'>>>>;

export type TableName = keyof typeof tables;
export type NumberedTable = 'owner' | 'source';

/** So many rows are in memory at once. */
export const rowsAtOnce = 500;

/** A flag is 0 or 1. An owner and a source have their number as `id`. */
export type MovedRow = Readonly<Record<string, string | number | null>>;

/** All that a book holds, for one transaction. @throws PdiError, naming the book, each of these */
export interface BookContent {
  /** Whether nobody else is in the same book with this number, until the end; then waits until no other book is moved. */
  isAlone(number: number): Promise<boolean>;
  /** The runs that live, of these owners alone where the engine knows whose they are. Dead ones are concluded, and none begins until the end. */
  atWork(owners?: readonly number[]): Promise<readonly string[]>;
  rows(table: TableName): AsyncIterable<readonly MovedRow[]>;
  /** Adds those that are not there, and gives the number of each. */
  numbersOf(table: NumberedTable, rows: readonly MovedRow[]): Promise<readonly number[]>;
  /** Gives how many were added: of an answer and one that is there, the newer stays. */
  add(table: Exclude<TableName, NumberedTable>, rows: readonly MovedRow[]): Promise<number>;
  /** Whether a call that was added was there before. */
  hasTwice(): Promise<boolean>;
}
