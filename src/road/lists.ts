/** Reads, changes and deletes lists. A deletion is permanent, so a terminal asks for the first characters of the id, and scripts need `--yes`. */
import type { Endpoint } from '../contract/endpoint.ts';
import { plainIdentifier, requireShape } from '../contract/identifier.ts';
import {
  deleteCompanyList,
  getInvestorList,
  listCompanyLists,
  modifyPeopleList,
} from '../contract/lists.ts';
import {
  listed,
  orFailureUnlessStopped,
  PdiError,
  pluralize,
  UsageError,
  withPipeInto,
} from '../errors.ts';
import { shownPosition } from '../input/lines.ts';
import { openInput } from '../input/open-input.ts';
import { isObject } from '../json/exact.ts';
import { cleanLine } from '../output/clean.ts';
import { type FileForm, type InputRow, identityIn, oneByOne } from '../rows/row.ts';
import { NoQuestion, questionOf } from './ask.ts';
import { loadKnown, refuseFiles } from './input-source.ts';
import type { CallRules, Plan } from './plan.ts';
import { call } from './run-calls.ts';
import type { Tools } from './tools.ts';

export async function readList(plan: Plan, tools: Tools, written: string): Promise<void> {
  const listId = requireShape('uuid', written, 'listId');
  await call(plan, tools, { endpoint: getInvestorList, request: { path: { listId } } });
}

interface ListDeletion {
  readonly endpoint: Endpoint;
  readonly title: string;
  readonly written: string;
  readonly confirmed: boolean;
}

export async function deleteList(plan: Plan, tools: Tools, deletion: ListDeletion): Promise<void> {
  const { endpoint, title } = deletion;
  const listId = requireShape(
    'uuid',
    deletion.written,
    'listId',
    endpoint.pathParameters?.listId?.shownBy,
  );
  if (!deletion.confirmed && !tools.mayAsk && !plan.isDry) {
    throw new UsageError(`deleting ${title} ${listId} is permanent and was not confirmed`, {
      item: listId,
      hint: 'pass --yes to delete it',
    });
  }
  const confirm = deletion.confirmed
    ? undefined
    : () => confirmDeletion(deletion, listId, plan.calls, tools);
  await call(plan, tools, {
    endpoint,
    request: { path: { listId } },
    standIn: { list_id: listId, deleted: true },
    confirm,
  });
}

const confirmedLength = 8;

const longestLook = 3000;

/** A company list's name, which its free list tells; undefined where that is not known. */
async function nameOfCompanyList(
  listId: string,
  calls: CallRules,
  tools: Tools,
): Promise<string | undefined> {
  const hurried = {
    ...calls,
    retries: 0,
    maxWaitMs: 0,
    timeoutMs: Math.min(calls.timeoutMs, longestLook),
  };
  const lists = await orFailureUnlessStopped(async () =>
    (await tools.clientOf(await tools.service(), hurried)).call(listCompanyLists, { path: {} }),
  );
  if (lists instanceof PdiError) return undefined;
  const shared = lists.records.map(({ value }) => value).filter(isObject);
  const list = shared.find(
    ({ id }) => typeof id === 'string' && id.toLowerCase() === listId.toLowerCase(),
  );
  return typeof list?.name === 'string' ? list.name : undefined;
}

async function confirmDeletion(
  { endpoint, title }: ListDeletion,
  listId: string,
  calls: CallRules,
  tools: Tools,
): Promise<void> {
  const { askLine } = await import('../config/ask.ts');
  // Nobody is asked about a call that cannot be made.
  await (await tools.service()).key();
  const start = listId.slice(0, confirmedLength);
  const name =
    endpoint === deleteCompanyList ? await nameOfCompanyList(listId, calls, tools) : undefined;
  const named = name === undefined ? title : `${title} "${cleanLine(name)}",`;
  const answer = await askLine(
    tools.io,
    `Deleting ${named} ${listId} is permanent. Type its first ${confirmedLength} characters to go on: `,
    tools.stop,
  );
  if (answer.trim() !== start) {
    throw new UsageError(
      `${title} ${listId} was not deleted: the characters typed are not ${start}`,
      {
        item: listId,
        hint: 'nothing was changed',
      },
    );
  }
}

interface Modification extends FileForm {
  readonly add?: readonly string[] | undefined;
  readonly addFrom?: string | undefined;
  readonly delete?: readonly string[] | undefined;
  readonly deleteFrom?: string | undefined;
}

/** @throws UsageError for contradicting ids or files; PdiError `partial` if the changed list is not as asked */
export async function modifyList(
  plan: Plan,
  tools: Tools,
  written: string,
  change: Modification,
): Promise<void> {
  const listId = requireShape('uuid', written, 'listId');
  const { addFrom, deleteFrom, add: added = [], delete: removed = [], ...form } = change;
  const command = `${plan.show.command} ${listId}`;
  refuseFiles(added, { command, flag: '--add-from' });
  refuseFiles(removed, { command, flag: '--delete-from' });
  const add = await readIds('--add', added, addFrom, form, tools);
  const remove = await readIds('--delete', removed, deleteFrom, form, tools);
  const flagOf = (parameter: string) => (parameter === 'add_ids' ? '--add' : '--delete');
  const { body } = modifyPeopleList.check(
    { path: {}, body: { add_ids: add, delete_ids: remove } },
    flagOf,
  );
  const complaint = (list: unknown) => {
    if (!namesPeople(list)) tools.say.notice(peopleUnknown);
    return notAsAsked(list, body);
  };
  const inputFiles = [addFrom, deleteFrom];
  await call(plan, tools, {
    endpoint: modifyPeopleList,
    request: { path: { listId }, body },
    complaint,
    inputFiles,
  });
}

/** Nothing else tells who is on a people list. */
function peopleOn(list: unknown): readonly string[] | undefined {
  const members = isObject(list) ? list.people : undefined;
  if (!Array.isArray(members)) return undefined;
  const ids = members
    .map((member) => identityIn(member, 'person_id'))
    .filter((id) => id !== undefined);
  return ids.length < members.length ? undefined : ids;
}

export const namesPeople = (answer: unknown): boolean => peopleOn(answer) !== undefined;

export const peopleUnknown =
  'the answer does not name the people of the list, so that it is not known whether the change is made';

const idsIn = (ids: unknown): readonly string[] => (Array.isArray(ids) ? ids.map(String) : []);

/** Names the ids that the answered list lacks or still holds; undefined if the list is as asked, or is not in the answer. */
export function notAsAsked(answer: unknown, change: unknown): PdiError | undefined {
  const people = peopleOn(answer);
  if (people === undefined || !isObject(change)) return undefined;
  const [add, remove] = [idsIn(change.add_ids), idsIn(change.delete_ids)];
  const held = new Set(people);
  const missing = add.filter((id) => !held.has(id));
  const left = remove.filter((id) => held.has(id));
  const complaints = [
    ...(missing.length > 0 ? [`does not hold ${listed(missing)}`] : []),
    ...(left.length > 0 ? [`still holds ${listed(left)}`] : []),
  ];
  if (complaints.length === 0) return undefined;
  return new PdiError('partial', `the list ${complaints.join(', and ')}`, {
    item: [...missing, ...left][0],
    retryable: false,
    hint: [
      ...(missing.length + left.length < add.length + remove.length
        ? ['the rest of the change was made']
        : []),
      ...(missing.length > 0
        ? [
            'check these ids (`pdi person ID`, 1 charged call each, tells whether there is such a person)',
          ]
        : []),
      ...(left.length > 0 ? ['the service did not delete these ids'] : []),
    ].join('; '),
  });
}

/** Gives the distinct ids in order, and counts skipped file rows on stderr. @throws UsageError with the flag, or file and line, of a malformed id */
async function readIds(
  flag: string,
  texts: readonly string[],
  path: string | undefined,
  form: FileForm,
  { io, stop, say, interrupted }: Tools,
): Promise<readonly string[]> {
  const ids = new Set(
    texts.map((text) =>
      idOf({ line: 1, text }, `${flag} ${text.trim()}`, 'give several ids separated by blanks'),
    ),
  );
  if (path === undefined) return [...ids];
  const candidates = ['person_id', 'matches.0.person_id'];
  try {
    const input = await openInput({
      path,
      ...form,
      io,
      stop,
      candidates,
      loadKnown,
      notice: say.notice,
    });
    let without = 0;
    for await (const row of oneByOne(input.batches)) {
      // The mistake of the input comes after its last row.
      if (row.status === 'skipped') continue;
      if (carriesNone(row)) without += 1;
      else
        ids.add(
          idOf(
            row,
            shownPosition(input.name, row),
            'give one id a line; of a table, say --input-format csv',
          ),
        );
    }
    // A list change is made completely or not at all.
    if (stop.aborted) throw interrupted();
    if (without > 0)
      say.notice(
        `${input.name}: ${pluralize(without, 'row')} without an id ${without === 1 ? 'is' : 'are'} passed over`,
      );
  } catch (error) {
    throw withPipeInto(`pdi … ${flag}-from -`, error);
  }
  return [...ids];
}

/** A file row without an id is skipped. A blank argument is a mistake, because it comes from an unset variable. */
const carriesNone = ({ text, invalid, status, wasBlank }: InputRow): boolean =>
  status === 'not_found' || wasBlank === true || (text === undefined && invalid === undefined);

/** The service silently ignores an unknown id, so several ids in one text must not be sent as one. */
function idOf(row: InputRow, place: string, separately: string): string {
  const found = questionOf(row, (text) => plainIdentifier(text, 'person'));
  if (!(found instanceof NoQuestion)) return found.text;
  const hint = row.text?.includes(',') === true ? separately : found.hint;
  throw new UsageError(`${place}: ${found.error}`, {
    item: row.text,
    hint: hint === undefined ? 'nothing was sent' : `nothing was sent; ${hint}`,
  });
}
