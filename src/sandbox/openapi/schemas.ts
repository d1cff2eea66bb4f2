/** Converts the contract's schemas to JSON Schema. Named schemas become components. */
import * as z from 'zod/mini';
import { investorInterestSignal } from '../../contract/feed.ts';
import { healthReport } from '../../contract/health.ts';
import { investor } from '../../contract/investors.ts';
import { described, jsonSchemaOf } from '../../contract/json-schema.ts';
import { companyListSummary, investorList, modifyPeopleList, peopleList } from '../../contract/lists.ts';
import { networkPerson } from '../../contract/network.ts';
import { personProfile } from '../../contract/person.ts';
import { basicPerson, personResolveIdentifier, resolveGroup, resolvePeople } from '../../contract/resolve.ts';
import { companyLatestRevenue } from '../../contract/revenue.ts';
import { savedSearch } from '../../contract/searches.ts';
import { errorBody } from '../../contract/service.ts';

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

/** OpenAPI sets the dialect itself, and a component is found by its place. */
const bare = ({ $schema, $id, ...schema }: Json): Json => schema;

export function namedSchemas(exampleOf: (id: string) => unknown): Json {
  const { schemas } = z.toJSONSchema(named, { ...described, uri: uriOf });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, { ...bare({ ...schema }), example: exampleOf(id) }]));
}

export function schemaOf(schema: z.core.$ZodType): Json {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uriOf(id) };
  if (schema instanceof z.core.$ZodArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  return bare(jsonSchemaOf(schema));
}
