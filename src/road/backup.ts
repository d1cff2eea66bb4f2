/** `pdi book` says which book is in use, and by whom; `pdi book backup` copies it while runs go on. It makes no call. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Book } from '../book/book.ts';
import type { Column } from '../contract/columns.ts';
import { attempt, UsageError } from '../errors.ts';
import { createEmpty } from '../files/lock.ts';
import { diskFailure, hiddenBeside, isSameFile, mayBeThere } from '../files/private.ts';
import { printRows, refuseEmpty, reportColumns } from './delivery.ts';
import type { Show } from './plan.ts';
import type { Tools } from './tools.ts';

const columns: readonly Column[] = reportColumns({
  book: 'text',
  version: 'count',
  bytes: 'count',
  at_work: 'list',
});

export async function showBook(show: Show, tools: Tools): Promise<void> {
  const { path } = tools.book;
  const shown = await printRows(show, tools, columns, async () => {
    const book = await tools.book.ifThere();
    return book === undefined ? [] : [{ book: path, ...(await book.state()) }];
  });
  if (shown === 0)
    tools.say.notice(
      `there is no book at ${path} yet: the first call that may be billed makes one`,
    );
  refuseEmpty(show, shown);
}

/** @throws UsageError for a file that is there, unless --force is given, and for one that a run may be using */
export async function backUpBook(show: Show, tools: Tools, name: string): Promise<void> {
  const backUp = async () => {
    const path = resolve(name);
    const book = await tools.book.ifThere();
    if (book === undefined)
      throw new UsageError(`there is no book at ${tools.book.path}`, { item: name });
    refuseInUse(name, path, tools.book.path);
    if (!show.force && mayBeThere(path))
      throw new UsageError(`${name}: the file exists`, {
        item: name,
        hint: 'add --force to replace it, or name another file',
      });
    await writeCopy(book, path);
    return [{ backup: path, bytes: statSync(path).size, book: tools.book.path }];
  };
  await printRows(
    show,
    tools,
    reportColumns({ backup: 'text', bytes: 'count', book: 'text' }),
    backUp,
    true,
  );
}

function refuseInUse(name: string, path: string, book: string): void {
  const refuse = (why: string) => {
    throw new UsageError(`${name} ${why}`, { item: name, hint: 'name another file' });
  };
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) refuse('is no file');
  if (isSameFile(path, book)) refuse('is the book itself');
  if (mayBeThere(`${path}-wal`)) refuse('is a book that is in use');
}

/** Whole or not at all, and private from its first byte on. */
async function writeCopy(book: Book, path: string): Promise<void> {
  const temporary = await hiddenBeside(path, 'backup');
  const orFail = (work: () => void) => {
    try {
      work();
    } catch (error) {
      throw diskFailure('cannot write', path, error);
    }
  };
  const makeEmpty = () => {
    rmSync(temporary, { force: true });
    createEmpty(temporary);
  };
  try {
    await book.copyInto(temporary, () => orFail(makeEmpty));
    orFail(() => {
      const descriptor = openSync(temporary, 'r+');
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(temporary, path);
    });
  } finally {
    attempt(() => rmSync(temporary, { force: true }));
  }
}
