/** Answers the operations: what each does with a valid request. */
import type { DocumentedOf, RequestOf } from '../contract/endpoint.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import type { PersonResolveIdentifier, ResolveGroup } from '../contract/resolve.ts';
import { defaultLimit, errorCodes } from '../contract/service.ts';
import { revenueOf } from './dataset/companies.ts';
import { ids } from './dataset/data.ts';
import { investorOf } from './dataset/investors.ts';
import type { ListKind, StoredList } from './dataset/lists.ts';
import {
  addressed,
  nameOf,
  networkPersonAt,
  numberOf,
  personOf,
  readProfileUrl,
} from './dataset/people.ts';
import { streamOf } from './dataset/random.ts';
import { dayNumber, daySignalled, factsOf, signalOf } from './dataset/signals.ts';
import type { StoreFault } from './faults.ts';
import { invalid, Refusal, type World } from './world.ts';

/** A new operation in the contract does not compile until it has a route. */
type Routes = {
  readonly [N in OperationName]: {
    /** It answers synchronously, so that a call is executed and billed in one step. @throws Refusal for everything except success */
    readonly answer: (
      request: RequestOf<Operations[N]>,
      world: World,
    ) => DocumentedOf<Operations[N]>;
    readonly status?: (answered: DocumentedOf<Operations[N]>) => number;
    readonly example: Example;
  };
};

function found<T>(record: T | undefined, what: string): T {
  if (record === undefined)
    throw new Refusal(404, `${what} does not exist or is not shared with the API`);
  return record;
}

/** Section "Authentication", rule 5: the API sees all lists and searches except those of sharing `team`. */
const isVisible = ({ sharing }: { readonly sharing: string }): boolean => sharing !== 'team';

const visible = <T extends { readonly sharing: string }>(record: T | undefined, what: string): T =>
  found(record !== undefined && isVisible(record) ? record : undefined, what);

/** A request whose answer the document shows; it names no other parameter an example, since tools send together what they show. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

const ofList = (kind: ListKind): Example => ({ path: { listId: ids.lists[kind].make(1) } });

const deletion = (kind: ListKind, answer: (id: string) => unknown = () => undefined) => ({
  answer({ path: { listId } }: { readonly path: { readonly listId: string } }, world: World) {
    world.lists.delete(ownList(world, kind, listId).id);
    return answer(listId);
  },
  example: ofList(kind),
});

export const routes: Routes = {
  resolvePeople: {
    answer({ body: { to_resolve } }, { dataset }) {
      for (const [at, item] of to_resolve.entries()) {
        const problem = problemOf(item);
        if (problem !== undefined) throw invalid(`to_resolve.${at} ${problem}`);
      }
      return to_resolve.map((item) => groupOf(item, dataset));
    },
    example: {
      body: { to_resolve: [{ profnet_url: 'https://www.profnet.example/in/ada-sample-1' }] },
    },
  },
  readInvestorInterest: {
    answer({ query }, world) {
      const sort = sorts.find((known) => known === (query.sort ?? sorts[0]));
      if (sort === undefined) throw invalid(`sort must be one of ${sorts.join(', ')}`);
      const days = { after: query.signal_date_after, before: query.signal_date_before };
      const signals = ordered(signalsIn(query, world), sort, days, world.dataset);
      const limit = world.faults.isOn('ignores-limit')
        ? defaultLimit
        : Number(query.limit ?? defaultLimit);
      const start = Number(query.page ?? 0) * limit;
      const listed =
        sort === sorts[0] && world.faults.isOn('changing-order')
          ? mixedWithinDays(signals, world)
          : signals;
      return listed.slice(start, start + limit).map((number) => signalOf(world.dataset, number));
    },
    example: { query: { page: 0, limit: 2 } },
  },
  listCompanyLists: {
    answer: (_request, { lists }) =>
      [...lists.values()]
        .filter((list) => list.kind === 'companies' && isVisible(list))
        .map(summaryOf),
    example: {},
  },
  // The bodies of deletions are not documented. They differ on purpose, because a client must accept any.
  deleteCompanyList: deletion('companies', (id) => ({ id, deleted: true })),
  deletePeopleList: deletion('people'),
  deleteInvestorList: { ...deletion('investors'), status: () => 204 },
  modifyPeopleList: {
    answer({ path: { listId }, body }, world) {
      const list = modified(ownList(world, 'people', listId), body, world);
      world.lists.set(list.id, list);
      return {
        ...headOf(list),
        people: Array.from(list.members, ([person_id, created_at]) => ({ person_id, created_at })),
      };
    },
    example: { ...ofList('people'), body: { add_ids: [ids.people.make(1)], delete_ids: [] } },
  },
  getInvestorList: {
    answer({ path: { listId } }, world) {
      const list = visibleList(world, 'investors', listId);
      return {
        ...headOf(list),
        investors: Array.from(list.members, ([investor_id, created_at]) => ({
          investor_id,
          created_at,
        })),
      };
    },
    example: ofList('investors'),
  },
  getFundingRoundsSearch: {
    answer: ({ path: { searchId } }, world) => details(world, searchId, 'funding_rounds'),
    example: { path: { searchId: '103' } },
  },
  getTalentSearch: {
    answer: ({ path: { searchId } }, world) => details(world, searchId, 'talent'),
    example: { path: { searchId: '101' } },
  },
  getPerson: {
    answer: ({ path: { personId } }, { dataset }) =>
      personOf(dataset, found(numberOf(dataset, personId), `Person ${personId}`)),
    example: { path: { personId: ids.people.make(1) } },
  },
  listNetworkPeople: {
    answer({ query: { page = 0, limit = defaultLimit } }, { dataset }) {
      const size = Math.min(Number(limit), maxLimit);
      const start = Number(page) * size;
      const amount = Math.max(0, Math.min(size, Math.ceil(dataset.total.people / 2) - start));
      return Array.from({ length: amount }, (_, offset) =>
        networkPersonAt(dataset, start + offset),
      );
    },
    example: { query: { page: 0, limit: 2, connected_on: 'profnet' } },
  },
  getCompanyLatestRevenue: {
    answer: ({ path: { companyId } }, { dataset }) =>
      found(revenueOf(dataset, companyId), `Company ${companyId}`),
    example: { path: { companyId: ids.companies.make(1) } },
  },
  findInvestors: {
    /** The document does not define this: a request without parameters is refused; with two parameters, both must match. */
    answer({ query }, { dataset }) {
      const name = nonBlank(query.name);
      const website = nonBlank(query.website);
      if (name === undefined && website === undefined) throw invalid('Send name, website, or both');
      const named = name === undefined ? undefined : dataset.investorsBy.name(name);
      const there = website === undefined ? undefined : dataset.investorsBy.website(website);
      const numbers = (named ?? there ?? []).filter((number) => there?.includes(number) ?? true);
      return numbers.map((number) => investorOf(dataset, number));
    },
    example: { query: { name: 'Sample Harbor Ventures 1' } },
  },
  checkHealth: {
    answer(_request, { faults }) {
      const stateOf = (store: StoreFault) => (faults.isOn(store) ? 'ERROR' : 'OK');
      const stores = {
        relational_store: stateOf('relational-store'),
        analytics_store: stateOf('analytics-store'),
      };
      const isUp = stores.relational_store === 'OK' && stores.analytics_store === 'OK';
      return { status: isUp ? 'OK' : 'ERROR', ...stores };
    },
    status: ({ status }) => (status === 'OK' ? 200 : 503),
    example: {},
  },
};

/** The document gives no largest `limit`, but an answer needs some limit. */
const maxLimit = 1000;

const nonBlank = (value: string | undefined): string | undefined =>
  value?.trim() === '' ? undefined : value;

function problemOf(item: PersonResolveIdentifier): string | undefined {
  const values = Object.values(item);
  if (values.length !== 1) return `has ${values.length} identifiers, exactly one is needed`;
  if (values.some((value) => typeof value === 'string' && value.trim() === ''))
    return 'is an empty identifier';
  const { profnet_url, profnet_num_id } = item;
  if (profnet_num_id !== undefined && !Number.isInteger(Number(profnet_num_id)))
    return 'profnet_num_id is not an integer';
  if (profnet_url !== undefined && readProfileUrl(profnet_url) === undefined)
    return 'profnet_url is not a profile URL with a slug';
  return undefined;
}

function groupOf(query: PersonResolveIdentifier, dataset: World['dataset']): ResolveGroup {
  const number = addressed(dataset, query);
  if (number === undefined) return { query, matches: [] };
  const { person_id, full_name, profnet_url } = nameOf(dataset, number);
  return { query, matches: [{ person_id, full_name, profnet_url }] };
}

/** The document does not give the values of `sort`; these are the sandbox's own. */
const sorts = ['signal_date_desc', 'signal_date_asc', 'signal_score_desc'] as const;

/** Gives the numbers of signals, newest first. Rules 1, 2, 5 and 6: if both ids are sent, `search_id` wins and `list_id` is not checked. */
function signalsIn(
  { search_id, list_id }: RequestOf<Operations['readInvestorInterest']>['query'],
  world: World,
): readonly number[] {
  if (search_id === undefined)
    return list_id === undefined ? world.dataset.signals : signalsOfList(list_id, world);
  const signals = visibleSearch(world, search_id).signals();
  if (signals === undefined)
    throw new Refusal(500, `The filters of saved search ${search_id} cannot be parsed`);
  return signals;
}

/** The document does not give the answer for an unknown list: it is 404, as for an unknown search, even for a malformed id. */
function signalsOfList(
  id: string,
  { lists, dataset: { signals, signalsOf } }: World,
): readonly number[] {
  const { kind, members } = visible(lists.get(id.toLowerCase()), `List ${id}`);
  const found = new Set(
    [...members.keys()].flatMap((member) => signalsOf[kind](ids[kind].read(member) ?? 0)),
  );
  return signals.filter((number) => found.has(number));
}

/** Gives the signals between both dates in the wanted order. Equal dates or scores keep the default order. */
function ordered(
  signals: readonly number[],
  sort: (typeof sorts)[number],
  { after, before }: { readonly after: string | undefined; readonly before: string | undefined },
  dataset: World['dataset'],
): readonly number[] {
  const newest = before === undefined ? Number.POSITIVE_INFINITY : dayNumber(before);
  const oldest = after === undefined ? Number.NEGATIVE_INFINITY : dayNumber(after);
  const dayOf = (number: number) => daySignalled(dataset, number);
  const within = signals.filter((number) => dayOf(number) >= oldest && dayOf(number) <= newest);
  if (sort === 'signal_date_desc') return within;
  const rankOf =
    sort === 'signal_date_asc'
      ? (number: number) => -dayOf(number)
      : (number: number) => factsOf(dataset, number).score;
  const ranks = new Map(within.map((number) => [number, rankOf(number)]));
  return within.sort((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
}

/** As a database may, for which the signals of a day are alike. */
function mixedWithinDays(
  signals: readonly number[],
  { dataset, requests }: World,
): readonly number[] {
  const asked = requests.get('readInvestorInterest') ?? 0;
  const drawn = (number: number) => streamOf(dataset.seed, `order ${asked}`, number)();
  const ranks = new Map(
    signals.map((number) => [number, drawn(number) - daySignalled(dataset, number)]),
  );
  return signals.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

function visibleList({ lists }: World, kind: ListKind, id: string): StoredList {
  const list = lists.get(id.toLowerCase());
  return visible(list?.kind === kind ? list : undefined, `List ${id}`);
}

/** The document does not say so, but a list that the service curates for all users cannot be changed: 403. */
function ownList(world: World, kind: ListKind, id: string): StoredList {
  const list = visibleList(world, kind, id);
  if (list.sharing === 'global')
    throw new Refusal(403, `List ${id} is global: it cannot be changed`, errorCodes.notPermitted);
  return list;
}

const headOf = ({ id, name, createdAt, updatedAt }: StoredList) => ({
  id,
  name,
  created_at: createdAt,
  updated_at: updatedAt,
});

const summaryOf = (list: StoredList): DocumentedOf<Operations['listCompanyLists']>[number] => ({
  ...headOf(list),
  is_global: list.sharing === 'global',
  shared_with: [...list.sharedWith],
  company_count: list.members.size,
});

/** The document leaves this open: unknown people are ignored, an id in both arrays is deleted, a repeated member keeps its date. */
function modified(
  list: StoredList,
  {
    add_ids = [],
    delete_ids = [],
  }: Partial<Record<'add_ids' | 'delete_ids', readonly string[] | undefined>>,
  { dataset, settings }: World,
): StoredList {
  const updatedAt = new Date(settings.now()).toISOString();
  const members = new Map(list.members);
  for (const id of add_ids)
    if (!members.has(id) && numberOf(dataset, id) !== undefined) members.set(id, updatedAt);
  for (const id of delete_ids) members.delete(id);
  return { ...list, members, updatedAt };
}

/** A search that only the team can see does not exist, even if its product is wrong too. */
function visibleSearch({ dataset }: World, id: string) {
  const search = dataset.searches.find((one) => /^\d+$/.test(id) && one.id === Number(id));
  return visible(search, `Saved search ${id}`);
}

/** Only the feed must fail for filters that cannot be parsed, so here they count 0 matches. */
function details(
  world: World,
  id: string,
  product: 'funding_rounds' | 'talent',
): DocumentedOf<Operations['getTalentSearch']> {
  const search = visibleSearch(world, id);
  if (search.product !== product) {
    throw new Refusal(
      400,
      `Saved search ${id} is of product ${search.product}, not ${product}`,
      errorCodes.notSupportedProduct,
    );
  }
  return {
    id: search.id,
    name: search.name,
    query_id: search.id + 5000,
    product_type: search.product,
    is_global: search.sharing === 'global',
    full_count: search.signals()?.length ?? 0,
  };
}
