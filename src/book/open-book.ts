/** Chooses the engine of a book by its place. */
import type { Book, BookPlace } from './book.ts';
import { openSqliteBook } from './sqlite-book.ts';

/** Opens the book, or makes it where there is none. @throws PdiError, naming it: then nothing may be bought */
export async function openBook(place: BookPlace): Promise<Book> {
  const { server } = place;
  if (server === undefined) return openSqliteBook(place);
  const { openPostgresBook } = await import('./postgres.ts');
  return openPostgresBook(place, server);
}
