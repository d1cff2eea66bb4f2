/** A book that somebody has touched: opened to others, in another journal mode. */
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBookFile } from '../../src/book/book-file.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { failureOf } from '../support/failure.ts';
import { newFolder } from '../support/run.ts';
import { booksAreClosed } from '../support/service.ts';
import { bookOptions, changedByHand } from './places.ts';

async function closedBook(): Promise<string> {
  const path = join(newFolder(), 'state', 'book.db');
  (await openBookFile(bookOptions({ path }))).close();
  await booksAreClosed();
  return path;
}

describe('a book that others may read', () => {
  const parts = ['', '-wal', '-shm'];

  it.each([0o644, 0o666])('is closed to them, with what is beside it: %o', async (mode) => {
    const path = await closedBook();
    const other = await openBookFile(bookOptions({ path }));
    for (const part of parts) chmodSync(path + part, mode);
    chmodSync(join(path, '..'), 0o755);
    const file = await openBookFile(bookOptions({ path }));
    expect([...parts, '/..'].map((part) => statSync(join(`${path}${part}`)).mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o700]);
    for (const one of [file, other]) one.close();
  });

  it('is refused by name where it is another user’s', async () => {
    const path = await closedBook();
    chownSync(path, 4321, 4321);
    (await openBookFile(bookOptions({ path }))).close();
    chmodSync(path, 0o644);
    const failure = await failureOf(openBookFile(bookOptions({ path })));
    expect(failure).toMatchObject({ code: 'internal', message: `the book ${path} is another user's, and open to others` });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

it('a book that another tool has put into another journal mode has a write-ahead log again', async () => {
  const path = await closedBook();
  await changedByHand(path, 'PRAGMA journal_mode=DELETE');
  const copy = join(newFolder(), 'copy.db');
  await changedByHand(path, `VACUUM INTO '${copy}'`);
  await booksAreClosed();
  for (const name of [path, copy]) {
    (await openBookFile(bookOptions({ path: name }))).close();
    await booksAreClosed();
    const database = (await sqliteEngine())(name);
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    database.close();
  }
});
