/** Endpoint 1 of the API document. */
import * as z from 'zod/mini';
import {
  type Column,
  columnsOf,
  documented,
  id,
  maybe,
  numericId,
  object,
  personId,
  text,
  topFields,
  url,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { resolveLimit } from './service.ts';

const personResolveIdentifier = documented(
  z.strictObject({
    profnet_url: z.optional(url()),
    profnet_id: z.optional(id()),
    profnet_num_id: z.optional(numericId()),
    profnet_urn: z.optional(id()),
  }),
  { minProperties: 1, maxProperties: 1 },
);

export const identifierKinds = topFields(personResolveIdentifier);

const basicPerson = object({
  person_id: personId(),
  full_name: maybe(text()),
  profnet_url: maybe(url()),
});

const query = object({
  profnet_url: maybe(url()),
  profnet_id: maybe(id()),
  profnet_num_id: maybe(numericId()),
  profnet_urn: maybe(id()),
});

/** One group per input item, in input order; more matches than documented are accepted. */
const resolveGroup = object({ query, matches: documented(z.array(basicPerson), { maxItems: 1 }) });

export type PersonResolveIdentifier = z.infer<typeof personResolveIdentifier>;
export type ResolveGroup = z.infer<typeof resolveGroup>;

export const resolvePeople = {
  title: 'Resolve person ids',
  records: 'people',
  method: 'POST',
  path: '/people/resolve',
  billing: 'free',
  body: z.strictObject({
    to_resolve: z.array(personResolveIdentifier).check(z.minLength(1), z.maxLength(resolveLimit)),
  }),
  response: z.array(resolveGroup),
  result: 'list',
  askedBy: identifierKinds.map((kind) => `query.${kind}`),
  columns: columnsOf(basicPerson, { table: ['person_id', 'full_name', 'profnet_url'] }).map(
    (column): Column => ({ ...column, paths: [`matches.0.${column.name}`] }),
  ),
} as const satisfies Endpoint;
