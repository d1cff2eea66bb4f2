/** Chooses the engine of a book by its place. */
import { hasSqlite } from '../files/sqlite.ts';
import type { Book, BookPlace } from './book.ts';
import { openMemoryBook } from './memory-book.ts';
import { openSqliteBook } from './sqlite-book.ts';

/** Opens the book, or makes it where there is none. @throws PdiError, naming it: then nothing may be bought */
export async function openBook(place: BookPlace): Promise<Book> {
  const { server } = place;
  if (server === undefined) {
    const isInMemory =
      place.inMemory === 'always' || (place.inMemory !== undefined && !(await hasSqlite()));
    return isInMemory ? openMemoryBook(place.path) : openSqliteBook(place);
  }
  const { openPostgresBook } = await import('./postgres.ts');
  return openPostgresBook(place, server);
}
