/** Reading a list and deleting one. Deletes are permanent: a terminal is asked for the list's first characters, anything else needs `--yes`. */

import { type deleteCompanyList, type deleteInvestorList, type deletePeopleList, getInvestorList } from '../contract/lists.ts';
import { UsageError } from '../errors.ts';
import { requireShape } from '../input/identifier.ts';
import { call } from './call.ts';
import type { Context } from './context.ts';

/** @throws UsageError where the id is none */
export async function readList(context: Context, listId: string): Promise<void> {
  requireShape('uuid', listId, 'listId');
  await call(context, { endpoint: getInvestorList, request: { path: { listId } }, item: listId });
}

export interface ListDeletion {
  readonly endpoint: typeof deleteCompanyList | typeof deletePeopleList | typeof deleteInvestorList;
  /** As a question names such a list. */
  readonly title: string;
  readonly listId: string;
  /** `--yes`. */
  readonly confirmed: boolean;
}

/** @throws UsageError where the deletion is not confirmed, or nobody can be asked */
export async function deleteList(context: Context, { endpoint, title, listId, confirmed }: ListDeletion): Promise<void> {
  requireShape('uuid', listId, 'listId');
  if (!confirmed && context.flags.dryRun !== true) await confirmDeletion(context, title, listId);
  await call(context, { endpoint, request: { path: { listId } }, item: listId, standIn: { list_id: listId, deleted: true } });
}

/** Characters of the list id that are asked for. */
const confirmedLength = 8;

async function confirmDeletion(context: Context, title: string, listId: string): Promise<void> {
  const { askLine, mayAsk } = await import('../config/ask.ts');
  if (!mayAsk(context.io, !context.flags.input)) {
    throw new UsageError(`deleting ${title} ${listId} is permanent and was not confirmed`, {
      item: listId,
      hint: 'pass --yes to delete it',
    });
  }
  const start = listId.slice(0, confirmedLength);
  const answer = await askLine(
    context.io,
    `Deleting ${title} ${listId} is permanent. Type its first ${confirmedLength} characters to go on: `,
    context.stop,
  );
  if (answer.trim() !== start) {
    throw new UsageError(`${title} ${listId} was not deleted: the characters typed are not ${start}`, {
      item: listId,
      hint: 'nothing was sent',
    });
  }
}
