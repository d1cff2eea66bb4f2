/** Endpoint 4: GET /people/{personId}. */
import { type HandlersOf, ok } from '../handler.ts';
import { notFound } from '../refusal.ts';

export const personRoutes: HandlersOf<'getPerson'> = {
  getPerson({ path: { personId } }, { dataset: { names, people } }) {
    const number = names.withId(personId);
    if (number === undefined) throw notFound(`Person ${personId}`);
    return ok(people.profile(number));
  },
};
