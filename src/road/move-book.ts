/** `pdi book move` copies one book into another. It makes no call. */
import { moveBook, sameBook } from '../book/move.ts';
import { shellWord, UsageError } from '../errors.ts';
import { isSameFile } from '../files/private.ts';
import { printRows, reportColumns } from './delivery.ts';
import type { Show } from './plan.ts';
import type { Tools } from './tools.ts';

const columns = reportColumns({
  from: 'text',
  to: 'text',
  calls: 'count',
  answers: 'count',
  bookmarks: 'count',
});

/** With one name, the book in use is copied there. @throws UsageError for what is refused */
export async function moveBetween(
  show: Show,
  tools: Tools,
  first: string,
  second: string | undefined,
): Promise<void> {
  const from = second === undefined ? tools.book : tools.bookAt(first);
  const to = tools.bookAt(second ?? first);
  const move = async () => {
    const book = await from.ifThere();
    if (book === undefined)
      throw new UsageError(`there is no book at ${from.path}`, { item: from.path });
    // Two addresses of one database are told apart by the server alone.
    if (isSameFile(from.path, to.path)) throw sameBook(from.path, to.path);
    const moved = await moveBook(book, to.open, tools.stop);
    return [{ from: from.path, to: to.path, ...moved }];
  };
  await printRows(show, tools, columns, move, true);
  const next =
    to.path === tools.book.path
      ? `pdi uses ${to.path}`
      : `\`pdi config set book ${shellWord(to.path)}\` makes pdi use the copy`;
  tools.say.notice(`${from.path} is left as it is: ${next}`);
}
