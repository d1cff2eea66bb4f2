/** Endpoint 1 of the API document. */
import * as z from 'zod/mini';
import {
  type Column,
  columnsOf,
  documented,
  id,
  numericId,
  object,
  personId,
  record,
  text,
  topFields,
  url,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { resolveLimit } from './service.ts';

const personResolveIdentifier = documented(
  z.partial(
    z.strictObject({
      profnet_url: url(),
      profnet_id: id(),
      profnet_num_id: numericId(),
      profnet_urn: id(),
    }),
  ),
  { minProperties: 1, maxProperties: 1 },
);

export const identifierKinds = topFields(personResolveIdentifier);

const basicPerson = record({ person_id: personId() }, { full_name: text(), profnet_url: url() });

const query = record(
  {},
  { profnet_url: url(), profnet_id: id(), profnet_num_id: numericId(), profnet_urn: id() },
);

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
