/** Copies one book into another, whichever engines keep them: in one transaction of each, table by table, some rows at a time. */
import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { interruption, listed, PdiError, shellWord, UsageError, withMoreHint } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import type { Book } from './book.ts';
import type { BookContent, MovedRow, NumberedTable, TableName } from './content.ts';
import { BookAway } from './postgres-failure.ts';

interface Moved {
  readonly calls: number;
  readonly answers: number;
  readonly bookmarks: number;
}

/**
 * All of it goes, or nothing: on PostgreSQL too it is one transaction. Where the server goes away while it commits, a second try tells,
 * because a book that is there already is refused. @throws UsageError for what is refused, PdiError; then nothing of it is in `to`
 */
export const moveBook = (from: Book, to: () => Promise<Book>, stop: AbortSignal): Promise<Moved> =>
  from.whole(async (content) => {
    const number = randomInt(2 ** 31 - 1);
    await content.isAlone(number);
    refuseAtWork(from, await content.atWork());
    const book = await to();
    const locks = await takeBookmarks(from, content);
    let isCopied = false;
    const copied = async (into: BookContent) => {
      if (!(await into.isAlone(number))) throw sameBook(from.path, book.path);
      const moved = await new Move(
        { path: from.path, content },
        { path: book.path, content: into },
        stop,
      ).all();
      isCopied = true;
      return moved;
    };
    try {
      return await book.whole(copied);
    } catch (error) {
      throw isCopied && error instanceof BookAway
        ? withMoreHint(
            error,
            `nobody knows whether all of it is in ${book.path}: run it again, which is refused if it is`,
          )
        : withPlace(error, book.path);
    } finally {
      for (const lock of locks) lock.release();
    }
  });

const withPlace = (error: unknown, path: string): unknown =>
  error instanceof PdiError && error.code !== 'usage'
    ? withMoreHint(error, `nothing of it is in ${path}`)
    : error;

export const sameBook = (from: string, to: string): UsageError =>
  new UsageError(`${from} and ${to} are the same book`, { item: to, hint: 'name another book' });

/** What they have under way would be copied as lost. */
function refuseAtWork({ path }: Pick<Book, 'path'>, runs: readonly string[]): void {
  if (runs.length === 0) return;
  throw new UsageError(`the book ${path} is in use by ${listed(runs)}`, {
    item: path,
    retryable: true,
    hint: 'end it first, or wait until it ends: nothing was moved',
  });
}

/** A run that only delivers what waits has not begun for the book. @throws InUse */
async function takeBookmarks(book: Book, content: BookContent): Promise<readonly Lock[]> {
  const locks: Lock[] = [];
  try {
    for await (const rows of content.rows('bookmark'))
      for (const { name, sandbox } of rows)
        locks.push(await book.bookmarks(sandbox === 1).take(String(name)));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw error;
  }
}

interface Side {
  readonly path: string;
  readonly content: BookContent;
}

class Move {
  /** The numbers in the other book by those in this one. */
  private readonly numbers = {
    owner: new Map<unknown, number>(),
    source: new Map<unknown, number>(),
  };

  constructor(
    private readonly from: Side,
    private readonly to: Side,
    private readonly stop: AbortSignal,
  ) {}

  async all(): Promise<Moved> {
    await this.refuseSameBookmarks();
    await this.name('owner');
    refuseAtWork(this.to, await this.to.content.atWork([...this.numbers.owner.values()]));
    await this.name('source');
    const calls = await this.copy('call', () => this.refuseTwice());
    await this.refuseTwice();
    const answers = await this.copy('answer');
    await this.copy('finished');
    const bookmarks = await this.copy('bookmark');
    await this.copy('outbox');
    return { calls, answers, bookmarks };
  }

  private async refuseSameBookmarks(): Promise<void> {
    const there = new Set<string>();
    const nameOf = ({ name, sandbox }: MovedRow): string =>
      `${name}${sandbox === 1 ? ' (--sandbox)' : ''}`;
    for await (const rows of this.to.content.rows('bookmark'))
      for (const row of rows) there.add(nameOf(row));
    for await (const rows of this.from.content.rows('bookmark')) {
      const both = rows.filter((row) => there.has(nameOf(row)));
      if (both.length === 0) continue;
      const { path } = this.to;
      throw new UsageError(`${path} has a bookmark of this name too: ${listed(both.map(nameOf))}`, {
        item: path,
        hint: `nothing was moved; where that one is not needed, \`PDI_BOOK=${shellWord(path)} pdi bookmarks reset NAME\` removes it`,
      });
    }
  }

  private async refuseTwice(): Promise<void> {
    if (!(await this.to.content.hasTwice())) return;
    const [from, to] = [this.from.path, this.to.path];
    throw new UsageError(`${from} was moved there already: ${to} has its calls`, {
      item: to,
      hint: 'nothing was moved: they would be counted twice',
    });
  }

  private async name(table: NumberedTable): Promise<void> {
    for await (const rows of this.rows(table)) {
      const numbers = await this.to.content.numbersOf(table, rows.map(this.renumbered));
      for (const [place, number] of numbers.entries())
        this.numbers[table].set(rows[place]?.id, number);
    }
  }

  /** `afterFirst` may end it before a million rows are read. */
  private async copy(
    table: Exclude<TableName, NumberedTable>,
    afterFirst?: () => Promise<void>,
  ): Promise<number> {
    let added = 0;
    for await (const rows of this.rows(table)) {
      const isFirst = added === 0;
      added += await this.to.content.add(table, rows.filter(isWhole).map(this.renumbered));
      if (isFirst) await afterFirst?.();
    }
    return added;
  }

  /** Between two statements of a file nothing else has its turn. */
  private async *rows(table: TableName): AsyncGenerator<readonly MovedRow[]> {
    for await (const rows of this.from.content.rows(table)) {
      await setImmediate();
      if (this.stop.aborted) throw interruption('the move was stopped');
      yield rows;
    }
  }

  private readonly renumbered = (row: MovedRow): MovedRow => ({
    ...row,
    ...(row.owner !== undefined && { owner: this.numbers.owner.get(row.owner) ?? null }),
    ...(row.source !== undefined && { source: this.numbers.source.get(row.source) ?? null }),
  });
}

/** A disk that changed a letter of an answer has lost it. */
const isWhole = ({ body }: MovedRow): boolean => body !== '';
