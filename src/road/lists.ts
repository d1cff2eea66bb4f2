/** Reads and deletes lists. A deletion is permanent, so a terminal asks for the first characters of the id, and scripts need `--yes`. */

import { requireShape } from '../contract/identifier.ts';
import { deleteCompanyList, type deleteInvestorList, type deletePeopleList, getInvestorList, listCompanyLists } from '../contract/lists.ts';
import { PdiError, UsageError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { cleanLine } from '../output/clean.ts';
import type { CallRules, Plan } from './plan.ts';
import { call } from './run-call.ts';
import type { Tools } from './tools.ts';

/** @throws UsageError if the id is not a UUID */
export async function readList(plan: Plan, tools: Tools, written: string): Promise<void> {
  const listId = requireShape('uuid', written, 'listId');
  await call(plan, tools, { endpoint: getInvestorList, request: { path: { listId } }, item: listId });
}

export interface ListDeletion {
  readonly endpoint: typeof deleteCompanyList | typeof deletePeopleList | typeof deleteInvestorList;
  readonly title: string;
  readonly written: string;
  readonly confirmed: boolean;
}

/** @throws UsageError if the deletion is not confirmed, or if the command cannot ask */
export async function deleteList(plan: Plan, tools: Tools, { endpoint, title, written, confirmed }: ListDeletion): Promise<void> {
  const listId = requireShape('uuid', written, 'listId');
  if (!confirmed && !plan.isDry) await confirmDeletion({ endpoint, title, listId, calls: plan.calls }, tools);
  await call(plan, tools, { endpoint, request: { path: { listId } }, item: listId, standIn: { list_id: listId, deleted: true } });
}

const confirmedLength = 8;

/** The name of a list may take this many milliseconds. */
const longestLook = 3000;

interface OpenDeletion extends Pick<ListDeletion, 'endpoint' | 'title'> {
  readonly listId: string;
  readonly calls: CallRules;
}

/** A company list's name, which its free list tells; undefined where that is not known. */
async function nameOf({ endpoint, listId, calls }: OpenDeletion, tools: Tools): Promise<string | undefined> {
  if (endpoint !== deleteCompanyList) return undefined;
  try {
    // Somebody waits for the question.
    const hurried = { ...calls, retries: 0, maxWaitMs: 0, timeoutMs: Math.min(calls.timeoutMs, longestLook) };
    const client = await tools.clientOf(await tools.service(), hurried);
    const { body } = await client.call(listCompanyLists, { path: {} });
    const list = body.filter(isObject).find(({ id }) => typeof id === 'string' && id.toLowerCase() === listId.toLowerCase());
    return typeof list?.name === 'string' ? list.name : undefined;
  } catch (error) {
    if (error instanceof PdiError && error.code !== 'interrupted') return undefined;
    throw error;
  }
}

async function confirmDeletion(deletion: OpenDeletion, tools: Tools): Promise<void> {
  const { title, listId } = deletion;
  const { askLine } = await import('../config/ask.ts');
  if (!tools.mayAsk) {
    throw new UsageError(`deleting ${title} ${listId} is permanent and was not confirmed`, {
      item: listId,
      hint: 'pass --yes to delete it',
    });
  }
  const start = listId.slice(0, confirmedLength);
  const name = await nameOf(deletion, tools);
  const named = name === undefined ? title : `${title} "${cleanLine(name)}",`;
  const answer = await askLine(
    tools.io,
    `Deleting ${named} ${listId} is permanent. Type its first ${confirmedLength} characters to go on: `,
    tools.stop,
  );
  if (answer.trim() !== start) {
    throw new UsageError(`${title} ${listId} was not deleted: the characters typed are not ${start}`, {
      item: listId,
      hint: 'nothing was changed',
    });
  }
}
