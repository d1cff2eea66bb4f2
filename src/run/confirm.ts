/** Deletes are permanent: a terminal is asked for the list's first characters, anything else needs `--yes`. */

import { UsageError } from '../errors.ts';
import type { Context } from './context.ts';

/** Characters of the list id that are asked for. */
const asked = 8;

/** @throws UsageError where the deletion is not confirmed, or nobody can be asked */
export async function confirmDeletion(context: Context, kind: string, listId: string, yes: boolean): Promise<void> {
  if (yes || context.flags.dryRun === true) return;
  const { askLine, mayAsk } = await import('../config/ask.ts');
  if (!mayAsk(context.io, !context.flags.input)) {
    throw new UsageError(`deleting ${kind} ${listId} is permanent and was not confirmed`, {
      item: listId,
      hint: 'pass --yes to delete it',
    });
  }
  const start = listId.slice(0, asked);
  const answer = await askLine(
    context.io,
    `Deleting ${kind} ${listId} is permanent. Type its first ${asked} characters to go on: `,
    context.stop,
  );
  if (answer.trim() !== start) {
    throw new UsageError(`${kind} ${listId} was not deleted: the characters typed are not ${start}`, {
      item: listId,
      hint: 'nothing was sent',
    });
  }
}
