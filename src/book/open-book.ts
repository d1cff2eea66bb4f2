/** Chooses the engine of a book by its place. */
import type { Book, BookPlace } from './book.ts';
import { openSqliteBook } from './sqlite-book.ts';

/** Opens the book, or makes it where there is none. @throws PdiError `internal`, naming it: then nothing may be bought */
export const openBook = (place: BookPlace): Promise<Book> => openSqliteBook(place);
