/** Collects the handlers of all operations, and leads from a raw request to one of them. */
import type { RequestOf } from '../contract/endpoint.ts';
import { type OperationName, type Operations, operations } from '../contract/operations.ts';
import { defaultLimit } from '../contract/service.ts';
import type { StoreFault } from './faults.ts';
import { type Handler, type Handlers, invalid, notFound, ok, type RouteReply } from './reply.ts';
import { feedRoutes } from './routes/feed.ts';
import { listRoutes } from './routes/lists.ts';
import { resolveRoutes } from './routes/resolve.ts';
import { searchRoutes } from './routes/searches.ts';
import { type RawRequest, requireValid } from './validation.ts';
import type { World } from './world.ts';

/** The document gives no largest `limit`, but an answer needs some limit. */
const maxLimit = 1000;

/** A blank parameter counts as not sent. */
const given = (value: string | undefined): string | undefined => (value?.trim() === '' ? undefined : value);

const handlers: Handlers = {
  ...resolveRoutes,
  ...feedRoutes,
  ...listRoutes,
  ...searchRoutes,
  getPerson({ path: { personId } }, { dataset: { names, people } }) {
    const number = names.withId(personId);
    if (number === undefined) throw notFound(`Person ${personId}`);
    return ok(people.profile(number));
  },
  listNetworkPeople({ query: { page = 0, limit = defaultLimit } }, { dataset: { people } }) {
    const size = Math.min(Number(limit), maxLimit);
    const start = Number(page) * size;
    const amount = Math.max(0, Math.min(size, people.networkTotal - start));
    return ok(Array.from({ length: amount }, (_, offset) => people.networkPerson(start + offset)));
  },
  getCompanyLatestRevenue({ path: { companyId } }, { dataset: { companies } }) {
    const revenue = companies.revenue(companyId);
    if (revenue === undefined) throw notFound(`Company ${companyId}`);
    return ok(revenue);
  },
  /** The document does not define this: a request without parameters is refused; with two parameters, both must match. */
  findInvestors({ query }, { dataset: { investors } }) {
    const name = given(query.name);
    const website = given(query.website);
    if (name === undefined && website === undefined) throw invalid('Send name, website, or both');
    const named = name === undefined ? undefined : investors.named(name);
    const there = website === undefined ? undefined : investors.at(website);
    const numbers = (named ?? there ?? []).filter((number) => there?.includes(number) ?? true);
    return ok(numbers.map((number) => investors.investor(number)));
  },
  checkHealth(_request, { faults }) {
    const stateOf = (store: StoreFault) => (faults.isDown(store) ? 'ERROR' : 'OK');
    const stores = { relational_store: stateOf('relational-store'), analytics_store: stateOf('analytics-store') };
    const isUp = stores.relational_store === 'OK' && stores.analytics_store === 'OK';
    return { status: isUp ? 200 : 503, body: { status: isUp ? 'OK' : 'ERROR', ...stores } };
  },
};

/** Validates a request and returns its execution. @throws Refusal if the request breaks the contract */
export function prepare<N extends OperationName>(operation: N, request: RawRequest, world: World): () => RouteReply<unknown> {
  const endpoint: Operations[N] = operations[operation];
  const handle: Handler<N> = handlers[operation];
  requireValid(endpoint, request);
  const valid: RequestOf<Operations[N]> = request;
  return () => handle(valid, world);
}
