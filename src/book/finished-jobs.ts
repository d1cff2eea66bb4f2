/** What made each FILE that is complete: a text in the book. */
import * as z from 'zod/mini';
import { attempt } from '../errors.ts';
import { rowStatuses } from '../rows/row.ts';
import type { Book } from './book.ts';

const finishedJob = z.object({
  /** A hash of the command, its options and its input. */
  job: z.string(),
  file: z.object({ size: z.number(), modified: z.string() }),
  at: z.number(),
  rows: z.record(z.enum(rowStatuses), z.number()),
});
type Finished = z.infer<typeof finishedJob>;

/** Undefined where none is known of, or what is known cannot be read. @throws PdiError where the book cannot be used */
export async function findFinishedJob(book: Book, path: string): Promise<Finished | undefined> {
  const text = await book.finishedJob(path);
  return text === undefined ? undefined : attempt(() => z.parse(finishedJob, JSON.parse(text)));
}

export const keepFinishedJob = (book: Book, path: string, job: Finished): Promise<void> =>
  book.keepFinishedJob(path, JSON.stringify(job));
