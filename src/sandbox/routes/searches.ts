/** Endpoints 7 and 8: details of saved searches. */

import type { SavedSearch } from '../../contract/searches.ts';
import { errorCodes } from '../../contract/service.ts';
import type { StoredSearch } from '../dataset/searches.ts';
import { type Handlers, notFound, ok, Refusal } from '../reply.ts';
import type { World } from '../world.ts';

/** @throws Refusal 404 for a search that does not exist or that only the team can see, even if its product is wrong too */
export function visibleSearch({ dataset }: World, id: string): StoredSearch {
  const search = dataset.searches.get(Number(id));
  if (search === undefined || search.sharing === 'team') throw notFound(`Saved search ${id}`);
  return search;
}

/** Only the feed must fail for filters that cannot be parsed, so here they count 0 matches. */
function details(world: World, id: string, product: StoredSearch['product']): SavedSearch {
  const search = visibleSearch(world, id);
  if (search.product !== product) {
    throw new Refusal(400, `Saved search ${id} is of product ${search.product}, not ${product}`, errorCodes.notSupportedProduct);
  }
  return {
    id: search.id,
    name: search.name,
    query_id: search.id + 5000,
    product_type: search.product,
    is_global: search.sharing === 'global',
    full_count: world.order.ofSearch(search)?.length ?? 0,
  };
}

export const searchRoutes = {
  getFundingRoundsSearch: ({ path: { searchId } }, world) => ok(details(world, searchId, 'funding_rounds')),
  getTalentSearch: ({ path: { searchId } }, world) => ok(details(world, searchId, 'talent')),
} satisfies Partial<Handlers>;
