/** What made each FILE that is complete: a row of the book. */
import * as z from 'zod/mini';
import { attempt } from '../errors.ts';
import { rowStatuses } from '../rows/row.ts';
import type { BookFile } from './book-file.ts';
import { bytesOf } from './schema.ts';

const finishedJob = z.object({
  /** A hash of the command, its options and its input. */
  job: z.string(),
  file: z.object({ size: z.number(), modified: z.string() }),
  at: z.number(),
  rows: z.record(z.enum(rowStatuses), z.number()),
});
type Finished = z.infer<typeof finishedJob>;

const findSql = `SELECT ${bytesOf('state', 'text')} FROM finished WHERE file = ?`;
const keepSql =
  'INSERT INTO finished (file, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state';

/** Undefined where none is known of, or what is known cannot be read. @throws PdiError where the book cannot be used */
export async function findFinishedJob(book: BookFile, path: string): Promise<Finished | undefined> {
  const text = await book.read(() => book.text(findSql, path));
  return text === undefined ? undefined : attempt(() => z.parse(finishedJob, JSON.parse(text)));
}

export async function keepFinishedJob(book: BookFile, path: string, job: Finished): Promise<void> {
  await book.transaction(() => book.run(keepSql, path, JSON.stringify(job)));
}
