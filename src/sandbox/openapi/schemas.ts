/** The contract's schemas as JSON Schema, those with a name once, as components. */
import * as z from 'zod/mini';
import { investorInterestSignal } from '../../contract/feed.ts';
import { facts } from '../../contract/fields.ts';
import { healthReport } from '../../contract/health.ts';
import { investor } from '../../contract/investors.ts';
import { companyListSummary, investorList, modifyPeopleList, peopleList } from '../../contract/lists.ts';
import { networkPerson } from '../../contract/network.ts';
import { personProfile } from '../../contract/person.ts';
import { basicPerson, personResolveIdentifier, resolveGroup, resolvePeople } from '../../contract/resolve.ts';
import { companyLatestRevenue } from '../../contract/revenue.ts';
import { savedSearch } from '../../contract/searches.ts';
import { errorBody } from '../../contract/service.ts';

/** Any object of the document. */
export type Json = Readonly<Record<string, unknown>>;

const resources: Readonly<Record<string, z.ZodMiniType>> = {
  PersonResolveIdentifier: personResolveIdentifier,
  PersonResolveRequest: resolvePeople.body,
  PersonResolveGroup: resolveGroup,
  BasicPerson: basicPerson,
  Person: personProfile,
  InvestorInterestSignal: investorInterestSignal,
  NetworkPerson: networkPerson,
  CompanyLatestRevenue: companyLatestRevenue,
  SavedSearch: savedSearch,
  CompanyListSummary: companyListSummary,
  PeopleList: peopleList,
  PeopleListChange: modifyPeopleList.body,
  InvestorList: investorList,
  Investor: investor,
  HealthReport: healthReport,
  Error: errorBody,
};

const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(resources)) named.add(schema, { id });

const uriOf = (id: string): string => `#/components/schemas/${id}`;

/** Numbers are checks of our own: the facts that the contract notes with them say what they are. */
const parameters = { metadata: facts, unrepresentable: 'any' } as const;

/** The dialect is OpenAPI's own, and a component is found by its place. */
const bare = ({ $schema, $id, ...schema }: Json): Json => schema;

/** Every named schema by its name. */
export function namedSchemas(): Json {
  const { schemas } = z.toJSONSchema(named, { ...parameters, uri: uriOf });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare({ ...schema })]));
}

/** A reference to a named schema, an array of such, or the schema itself. */
export function schemaOf(schema: z.core.$ZodType): Json {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uriOf(id) };
  if (schema instanceof z.core.$ZodArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  return bare({ ...z.toJSONSchema(schema, parameters) });
}
