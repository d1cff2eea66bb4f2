/** What a run has bought goes with it into the book that stands in the place of one that was moved or replaced. */
import * as z from 'zod/mini';
import type { BookFile } from './book-file.ts';
import { bytesOf, storedText } from './schema.ts';

const callRow = z.object({
  id: z.number(),
  key: storedText,
  at: z.number(),
  max_age: z.number(),
  outcome: storedText,
  operation: storedText,
  item: z.nullable(storedText),
  billing: storedText,
});
/** The calls under way are written down when they end. */
const callsSql = `SELECT id, ${bytesOf('key')}, at, max_age, ${bytesOf('outcome')}, ${bytesOf('operation')}, ${bytesOf('item')}, ${bytesOf('billing')}
  FROM call WHERE id > ? AND run = ? AND outcome <> 'sent'`;

const answerRow = z.object({
  key: storedText,
  operation: storedText,
  at: z.number(),
  until: z.number(),
  missing: z.number(),
  bytes: z.number(),
  body: storedText,
});
const answersSql = `SELECT ${bytesOf('key')}, ${bytesOf('operation')}, at, until, missing, bytes, ${bytesOf('body')}
  FROM answer WHERE id > ? AND run = ?`;

const knownSql = 'SELECT EXISTS (SELECT 1 FROM call WHERE id = ? AND key = ?) AS number';
export const callSql =
  'INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
export const keepSql = `INSERT INTO answer (key, run, owner, operation, at, until, missing, bytes, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface BegunRun {
  readonly run: number;
  readonly lastCall: number;
  readonly lastAnswer: number;
}

export class WorkOfRun {
  private readonly calls: readonly z.infer<typeof callRow>[];
  private readonly answers: readonly z.infer<typeof answerRow>[];

  constructor(file: BookFile, { run, lastCall, lastAnswer }: BegunRun) {
    this.calls = file.rows(callRow, callsSql, lastCall, run);
    this.answers = file.rows(answerRow, answersSql, lastAnswer, run);
  }

  /** Within a transaction. A copy of the book has the calls already, by the same numbers. */
  bringInto(file: BookFile, run: number, source: number, owner: number): void {
    for (const { id, key, at, max_age, outcome, operation, item, billing } of this.calls) {
      if (file.number(knownSql, id, key) === 0) file.run(callSql, run, source, key, at, max_age, outcome, operation, item, billing);
    }
    for (const { key, operation, at, until, missing, bytes, body } of this.answers) {
      file.run(`${keepSql} ON CONFLICT DO NOTHING`, key, run, owner, operation, at, until, missing, bytes, body);
    }
  }
}
