/** `pdi lists people modify` reads and checks all ids before the one call that changes the list. */
import { requireShape } from '../contract/identifier.ts';
import { checkListChange, modifyPeopleList } from '../contract/lists.ts';
import { PdiError } from '../errors.ts';
import { isObject } from '../json/parse.ts';
import { findTarget } from '../output/sinks/target.ts';
import { refuseFiles } from './file-as-identifier.ts';
import type { Source } from './input-source.ts';
import type { Plan, Show } from './plan.ts';
import { readIdentifiers } from './read-identifiers.ts';
import { call } from './run-call.ts';
import type { Tools } from './tools.ts';

/** The files are read in the same way. */
interface Modification extends Pick<Source, 'format' | 'sheet' | 'encoding' | 'column' | 'headerRow'> {
  readonly add?: readonly string[] | undefined;
  readonly addFrom?: string | undefined;
  readonly delete?: readonly string[] | undefined;
  readonly deleteFrom?: string | undefined;
}

/** @throws UsageError for contradicting ids or files; PdiError `partial` if the changed list is not as asked */
export async function modifyList(plan: Plan, tools: Tools, written: string, change: Modification): Promise<void> {
  const listId = requireShape('uuid', written, 'listId');
  const { addFrom, deleteFrom, add: added = [], delete: removed = [], ...shape } = change;
  const command = `${plan.show.command} ${listId}`;
  refuseFiles(added, { command, flag: '--add-from' });
  refuseFiles(removed, { command, flag: '--delete-from' });
  const add = await readIdentifiers({ given: added, flag: '--add', file: addFrom, ...shape }, tools);
  const remove = await readIdentifiers({ given: removed, flag: '--delete', file: deleteFrom, ...shape }, tools);
  const body = checkListChange({ add_ids: add, delete_ids: remove }, (parameter) => (parameter === 'add_ids' ? '--add' : '--delete'));
  await refuseOverwriting(plan.show, [addFrom, deleteFrom]);
  const complaint = (list: Readonly<Record<string, unknown>>) => notAsAsked(list, { add, remove });
  await call(plan, tools, { endpoint: modifyPeopleList, request: { path: { listId }, body }, item: listId, complaint });
}

/** Input files are never overwritten, even with `--force`. @throws UsageError */
async function refuseOverwriting({ out, force }: Show, inputFiles: readonly (string | undefined)[]): Promise<void> {
  if (out === undefined) return;
  for (const inputFile of inputFiles) await findTarget(out, { force, inputFile });
}

interface ListChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const maxNamed = 10;

const named = (ids: readonly string[]): string =>
  ids.slice(0, maxNamed).join(', ') + (ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : '');

/** Names the ids that the answered list lacks or still holds; undefined if the list is as asked, or is not in the answer. */
export function notAsAsked({ people }: { readonly people?: unknown }, { add, remove }: ListChange): PdiError | undefined {
  if (!Array.isArray(people)) return undefined;
  const held = new Set(people.filter(isObject).map(({ person_id }) => person_id));
  const missing = add.filter((id) => !held.has(id));
  const left = remove.filter((id) => held.has(id));
  const complaints = [
    ...(missing.length > 0 ? [`does not hold ${named(missing)}`] : []),
    ...(left.length > 0 ? [`still holds ${named(left)}`] : []),
  ];
  if (complaints.length === 0) return undefined;
  return new PdiError('partial', `the list ${complaints.join(', and ')}`, {
    item: [...missing, ...left][0],
    retryable: false,
    hint: [
      ...(missing.length + left.length < add.length + remove.length ? ['the rest of the change was made'] : []),
      ...(missing.length > 0 ? ['check these ids (`pdi person ID`, 1 charged call each, tells whether there is such a person)'] : []),
      ...(left.length > 0 ? ['the service did not delete what it still holds'] : []),
    ].join('; '),
  });
}
