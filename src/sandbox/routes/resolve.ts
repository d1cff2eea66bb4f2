/** Endpoint 1: POST /people/resolve. */

import type { PersonResolveIdentifier, ResolveGroup } from '../../contract/resolve.ts';
import type { ExactNumber } from '../../json/parse.ts';
import { readProfileUrl } from '../dataset/names.ts';
import { type Handlers, invalid, ok } from '../reply.ts';
import type { World } from '../world.ts';

const isWhole = (value: number | ExactNumber): boolean => Number.isInteger(Number(value));

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** One bad item fails the whole request. */
function problemOf(item: PersonResolveIdentifier): string | undefined {
  const values = Object.values(item);
  if (values.length !== 1) return `has ${values.length} identifiers, exactly one is needed`;
  if (values.some(isBlank)) return 'is an empty identifier';
  const { profnet_url, profnet_num_id } = item;
  if (profnet_num_id !== undefined && !isWhole(profnet_num_id)) return 'profnet_num_id is not an integer';
  if (profnet_url !== undefined && readProfileUrl(profnet_url) === undefined) return 'profnet_url is not a profile URL with a slug';
  return undefined;
}

function groupOf(query: PersonResolveIdentifier, { names }: World['dataset']): ResolveGroup {
  const number = names.addressed(query);
  if (number === undefined) return { query, matches: [] };
  const { personId, fullName, url } = names.name(number);
  return { query, matches: [{ person_id: personId, full_name: fullName, profnet_url: url }] };
}

export const resolveRoutes = {
  resolvePeople({ body: { to_resolve } }, { dataset }) {
    for (const [at, item] of to_resolve.entries()) {
      const problem = problemOf(item);
      if (problem !== undefined) throw invalid(`to_resolve.${at} ${problem}`);
    }
    return ok(to_resolve.map((item) => groupOf(item, dataset)));
  },
} satisfies Partial<Handlers>;
