/** What is asked of the book takes no longer for its age: every question about calls and answers is answered by an index. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { BookFile, openBookFile } from '../../src/book/book-file.ts';
import { SqliteReports } from '../../src/book/sqlite-reports.ts';
import { SqliteRun } from '../../src/book/sqlite-run.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { newFolder } from '../support/run.ts';
import { bookOptions, noon, ticketOf } from './places.ts';

const planRow = z.object({ detail: z.string() });
const hour = 3_600_000;

const callOf = (key: string) =>
  ({
    key,
    operation: 'GET /people/{personId}',
    item: key,
    billing: 'charged',
    maxAge: hour,
  }) as const;

/** The book of a run, and the questions that it asks. */
async function watched() {
  const options = bookOptions({
    path: join(newFolder(), 'book.db'),
    rules: { limits: { month: 2, day: 2 } },
  });
  (await openBookFile(options)).close();
  const open = await sqliteEngine();
  const asked = new Set<string>();
  const watching = (path?: string) => {
    const database = open(path);
    return {
      exec: (sql: string) => database.exec(sql),
      close: () => database.close(),
      prepare: (sql: string) => {
        if (/^\s*(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql)) asked.add(sql);
        return database.prepare(sql);
      },
    };
  };
  const file = new BookFile(watching, options);
  await file.connect();
  return { file, asked, book: new SqliteRun(file, options), options };
}

it('no question scans the calls or the answers', async () => {
  const { file, asked, book, options } = await watched();
  expect(existsSync(options.path)).toBe(true);
  const [one, two] = await Promise.all([book.take(callOf('a')), book.take(callOf('b'))]);
  expect([await book.take(callOf('a')), Object.keys(await book.take(callOf('c')))]).toEqual([
    'held',
    ['full'],
  ]);
  for (const taken of [one, two]) {
    const ticket = ticketOf(taken);
    const answer = { at: noon, missing: false, body: '{}' };
    await book.settle({
      ticket,
      outcome: 'billed',
      answer: ticket.call.key === 'a' ? answer : undefined,
    });
  }
  expect([book.kept(callOf('a')), book.kept(callOf('b'))]).toMatchObject([
    { body: '{}' },
    undefined,
  ]);
  const reports = new SqliteReports(file);
  await reports.spend({ by: ['day', 'command'], sandbox: false });
  await reports.lostCalls();
  await reports.keptAnswers(noon);
  await reports.answersThere();
  await reports.forget('a', [{ operation: 'GET /people/{personId}', item: 'a' }]);
  expect(asked.size).toBeGreaterThan(15);
  for (const sql of asked) {
    const values = Array.from({ length: sql.split('?').length - 1 }, () => 1);
    const plan = file
      .rows(planRow, `EXPLAIN QUERY PLAN ${sql}`, ...values)
      .map(({ detail }) => detail);
    // A range of numbers is nearly all of them, and so is an index that has more than the few calls without an answer.
    const scans = plan.filter((step) =>
      /^SCAN (?:call|answer)\b(?! USING (?:COVERING )?INDEX call_(?:open|sent|lost)$)|^SEARCH (?:call|answer) USING INTEGER PRIMARY KEY \(rowid[<>]/.test(
        step,
      ),
    );
    // The largest number of all rows is found at once, and that of some by trying one row after the other.
    const walks = plan.filter(
      (step) => sql.includes(' WHERE ') && /^SEARCH (?:call|answer)$/.test(step),
    );
    expect([...scans, ...walks], sql).toEqual([]);
  }
  await book.close();
});
