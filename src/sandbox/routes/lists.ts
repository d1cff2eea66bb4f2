/** Endpoints 3, 9, 11, 12, 13 and 14: lists of companies, people and investors. */
import type { CompanyListSummary, InvestorList, PeopleList } from '../../contract/lists.ts';
import { errorCodes } from '../../contract/service.ts';
import type { ListKind, StoredList } from '../dataset/lists.ts';
import { type Handlers, notFound, ok, Refusal } from '../reply.ts';
import type { World } from '../world.ts';

const isVisible = ({ sharing }: StoredList): boolean => sharing !== 'team';

/** @throws Refusal 404 for a list that does not exist or that only the team can see */
function visibleList({ lists }: World, kind: ListKind, id: string): StoredList {
  const list = lists[kind].get(id.toLowerCase());
  if (list === undefined || !isVisible(list)) throw notFound(`List ${id}`);
  return list;
}

/** The document does not say so, but a list that the service curates for all users cannot be changed: 403. */
function ownList(world: World, kind: ListKind, id: string): StoredList {
  const list = visibleList(world, kind, id);
  if (list.sharing === 'global') throw new Refusal(403, `List ${id} is global: it cannot be changed`, errorCodes.notPermitted);
  return list;
}

function deleteList(world: World, kind: ListKind, id: string): void {
  world.lists[kind].delete(ownList(world, kind, id).id);
}

const headOf = ({ id, name, createdAt, updatedAt }: StoredList) => ({ id, name, created_at: createdAt, updated_at: updatedAt });

const summaryOf = (list: StoredList): CompanyListSummary => ({
  ...headOf(list),
  is_global: list.sharing === 'global',
  shared_with: [...list.sharedWith],
  company_count: list.members.size,
});

const peopleListOf = (list: StoredList): PeopleList => ({
  ...headOf(list),
  people: Array.from(list.members, ([person_id, created_at]) => ({ person_id, created_at })),
});

const investorListOf = (list: StoredList): InvestorList => ({
  ...headOf(list),
  investors: Array.from(list.members, ([investor_id, created_at]) => ({ investor_id, created_at })),
});

/** The document leaves this open: unknown people are ignored, an id in both arrays is deleted, a repeated member keeps its date. */
function modified(
  list: StoredList,
  { add_ids = [], delete_ids = [] }: Partial<Record<'add_ids' | 'delete_ids', readonly string[] | undefined>>,
  { dataset, now }: World,
): StoredList {
  const updatedAt = new Date(now()).toISOString();
  const members = new Map(list.members);
  for (const id of add_ids) if (!members.has(id) && dataset.names.withId(id) !== undefined) members.set(id, updatedAt);
  for (const id of delete_ids) members.delete(id);
  return { ...list, members, updatedAt };
}

/** The bodies of deletions are not documented. They differ on purpose, because a client must accept any. */
export const listRoutes = {
  listCompanyLists: (_request, { lists }) => ok([...lists.companies.values()].filter(isVisible).map(summaryOf)),
  deleteCompanyList({ path: { listId } }, world) {
    deleteList(world, 'companies', listId);
    return ok({ id: listId, deleted: true });
  },
  modifyPeopleList({ path: { listId }, body }, world) {
    const list = modified(ownList(world, 'people', listId), body, world);
    world.lists.people.set(list.id, list);
    return ok(peopleListOf(list));
  },
  deletePeopleList({ path: { listId } }, world) {
    deleteList(world, 'people', listId);
    return ok(undefined);
  },
  getInvestorList: ({ path: { listId } }, world) => ok(investorListOf(visibleList(world, 'investors', listId))),
  deleteInvestorList({ path: { listId } }, world) {
    deleteList(world, 'investors', listId);
    return { status: 204, body: undefined };
  },
} satisfies Partial<Handlers>;
