/** The rows of bookmarks in SQLite, and of the signals that wait for them. */
import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import type { BookFile } from './book-file.ts';
import { type BookmarkRows, stateAfter } from './bookmarks.ts';
import { bytesOf, storedText } from './schema.ts';

const bookmarkRow = z.object({
  name: storedText,
  state: storedText,
  next: z.nullable(storedText),
  bytes: z.number(),
  waiting: z.number(),
});
const bookmarkSql = `SELECT ${bytesOf('name')}, ${bytesOf('state')}, ${bytesOf('next')},
  length(CAST(state AS BLOB)) + coalesce(length(CAST(next AS BLOB)), 0) AS bytes, (SELECT count(*) FROM outbox WHERE bookmark = name AND outbox.sandbox = bookmark.sandbox) AS waiting
  FROM bookmark WHERE sandbox = ?`;
const putSql = `INSERT INTO bookmark (name, sandbox, state) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET state = excluded.state, next = NULL`;
const putNextSql =
  'INSERT INTO bookmark (name, sandbox, state, next) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET next = excluded.next';
const addSql = `INSERT INTO outbox (bookmark, sandbox, place, record)
  SELECT ?, ?, coalesce(max(place) + 1, 0), ? FROM outbox WHERE bookmark = ? AND sandbox = ?`;
const waitingSql = `SELECT ${bytesOf('record', 'text')} FROM outbox WHERE bookmark = ? AND sandbox = ? ORDER BY place`;

export function bookmarkRowsIn(file: BookFile, sandbox: boolean): BookmarkRows {
  const realm = sandbox ? 1 : 0;
  const empty = (name: string) =>
    file.run('DELETE FROM outbox WHERE bookmark = ? AND sandbox = ?', name, realm);
  return {
    read: (name) =>
      file.read(() =>
        name === undefined
          ? file.rows(bookmarkRow, `${bookmarkSql} ORDER BY bookmark.name`, realm)
          : file.rows(bookmarkRow, `${bookmarkSql} AND name = ?`, realm, name),
      ),
    waiting: (name) => file.read(() => file.texts(waitingSql, name, realm)),
    put: (name, state, waits) =>
      file.transaction(() => {
        file.run(putSql, name, realm, state);
        if (!waits) empty(name);
      }),
    putNext: (name, state, next, records) =>
      file.transaction(() => {
        file.run(putNextSql, name, realm, state, next);
        for (const record of records) file.run(addSql, name, realm, record, name, realm);
      }),
    remove: (name) =>
      file.transaction(() => {
        file.run('DELETE FROM bookmark WHERE name = ? AND sandbox = ?', name, realm);
        return empty(name);
      }),
    lock: async (name) => file.lock(`bookmark-${hash('sha256', `${realm}${name}`).slice(0, 16)}`),
  };
}

const waitingRow = z.object({ bookmark: storedText, sandbox: z.number(), record: storedText });
const aboutSql =
  "FROM outbox WHERE CASE WHEN json_valid(record) THEN json_extract(record, '$.entity_id') = ? END";
const waitingAboutSql = `SELECT ${bytesOf('bookmark')}, sandbox, ${bytesOf('record')} ${aboutSql}`;
const stateSql = `SELECT ${bytesOf('state', 'text')} FROM bookmark WHERE name = ? AND sandbox = ?`;

/** Deletes the signals about this id that wait, within a transaction, and gives how many they were. They count as delivered: none comes again. */
export function forgetWaiting(file: BookFile, id: string): number {
  const about = file.rows(waitingRow, waitingAboutSql, id);
  file.run(`DELETE ${aboutSql}`, id);
  for (const { bookmark: name, sandbox, record } of about) {
    const stored = file.text(stateSql, name, sandbox);
    const state = stored && stateAfter(name, stored, record);
    if (state)
      file.run(
        'UPDATE bookmark SET state = ? WHERE name = ? AND sandbox = ?',
        state,
        name,
        sandbox,
      );
  }
  return about.length;
}
