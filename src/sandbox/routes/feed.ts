/** Endpoint 2: GET /investor-interest. */
import type { RequestOf } from '../../contract/endpoint.ts';
import type { Operations } from '../../contract/operations.ts';
import { defaultLimit } from '../../contract/service.ts';
import { type Handlers, invalid, notFound, ok, Refusal } from '../reply.ts';
import { sorts } from '../signal-order.ts';
import type { World } from '../world.ts';
import { visibleSearch } from './searches.ts';

/** Rules 1, 2, 5 and 6: if both ids are sent, `search_id` wins and `list_id` is not checked. */
function scopeOf({ search_id, list_id }: RequestOf<Operations['readInvestorInterest']>['query'], world: World): Uint32Array {
  if (search_id !== undefined) return searchScope(search_id, world);
  return list_id === undefined ? world.order.everything() : listScope(list_id, world);
}

function searchScope(id: string, world: World): Uint32Array {
  const scope = /^\d+$/.test(id) ? world.order.ofSearch(visibleSearch(world, id)) : undefined;
  if (scope !== undefined) return scope;
  throw /^\d+$/.test(id) ? new Refusal(500, `The filters of saved search ${id} cannot be parsed`) : notFound(`Saved search ${id}`);
}

/** The document does not give the answer for an unknown list. It is 404, as for an unknown search, even for a malformed id. */
function listScope(id: string, { lists, order }: World): Uint32Array {
  const lowered = id.toLowerCase();
  const list = [lists.companies, lists.people, lists.investors].map((ofKind) => ofKind.get(lowered)).find((found) => found !== undefined);
  if (list === undefined || list.sharing === 'team') throw notFound(`List ${id}`);
  return order.ofList(list);
}

export const feedRoutes = {
  readInvestorInterest({ query }, world) {
    const sort = sorts.find((known) => known === (query.sort ?? sorts[0]));
    if (sort === undefined) throw invalid(`sort must be one of ${sorts.join(', ')}`);
    const days = { after: query.signal_date_after, before: query.signal_date_before };
    const places = world.order.select(scopeOf(query, world), sort, days);
    const limit = Number(query.limit ?? defaultLimit);
    const start = Number(query.page ?? 0) * limit;
    return ok(Array.from(places.subarray(start, start + limit), (place) => world.dataset.signals.signal(place)));
  },
} satisfies Partial<Handlers>;
