/** Endpoint 5: GET /network/people. */
import { defaultLimit } from '../../contract/service.ts';
import { type HandlersOf, ok } from '../handler.ts';

/** The document gives no largest `limit`, but an answer needs some limit. */
const maxLimit = 1000;

export const networkRoutes: HandlersOf<'listNetworkPeople'> = {
  listNetworkPeople({ query: { page = 0, limit = defaultLimit } }, { dataset: { people } }) {
    const size = Math.min(Number(limit), maxLimit);
    const start = Number(page) * size;
    const amount = Math.max(0, Math.min(size, people.networkTotal - start));
    return ok(Array.from({ length: amount }, (_, offset) => people.networkPerson(start + offset)));
  },
};
