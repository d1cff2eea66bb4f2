/** What a run has bought goes with it into the book that stands in the place of one that was moved or replaced. */
import * as z from 'zod/mini';
import type { BookFile } from './book-file.ts';
import { bytesOf, storedText } from './schema.ts';

/** Of one row, in the order in which the statement names them. */
export const storedRow = z.record(z.string(), z.union([z.number(), storedText, z.null()]));

/** The calls under way are written down when they end. */
const callsSql = `SELECT id, ${bytesOf('key')}, at, max_age, ${bytesOf('outcome')}, ${bytesOf('operation')}, ${bytesOf('item')}, ${bytesOf('billing')}
  FROM call WHERE id > ? AND run = ? AND outcome <> 'sent'`;

const answersSql = `SELECT ${bytesOf('key')}, ${bytesOf('operation')}, at, until, max_age, missing, bytes, ${bytesOf('body')}
  FROM answer WHERE id > ? AND run = ?`;

export const callSql =
  'INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
export const keepSql = `INSERT INTO answer (run, owner, key, operation, at, until, max_age, missing, bytes, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** A copy of the book has the calls already, by the same numbers. */
const bringSql = `INSERT INTO call (run, source, key, at, max_age, outcome, operation, item, billing)
  SELECT ?, ?, key, at, max_age, outcome, operation, item, billing
    FROM (SELECT ? AS id, ? AS key, ? AS at, ? AS max_age, ? AS outcome, ? AS operation, ? AS item, ? AS billing) AS one
    WHERE NOT EXISTS (SELECT 1 FROM call WHERE call.id = one.id AND call.key = one.key)`;

interface BegunRun {
  readonly run: number;
  readonly lastCall: number;
  readonly lastAnswer: number;
}

export class WorkOfRun {
  private readonly calls: readonly z.infer<typeof storedRow>[];
  private readonly answers: readonly z.infer<typeof storedRow>[];

  constructor(file: BookFile, { run, lastCall, lastAnswer }: BegunRun) {
    this.calls = file.rows(storedRow, callsSql, lastCall, run);
    this.answers = file.rows(storedRow, answersSql, lastAnswer, run);
  }

  /** Within a transaction. */
  bringInto(file: BookFile, run: number, source: number, owner: number): void {
    for (const call of this.calls) file.run(bringSql, run, source, ...Object.values(call));
    for (const answer of this.answers)
      file.run(`${keepSql} ON CONFLICT DO NOTHING`, run, owner, ...Object.values(answer));
  }
}
