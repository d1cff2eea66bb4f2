/** Converts the contract's schemas to JSON Schema. Named schemas become components. */
import * as z from 'zod/mini';
import { investorInterestSignal } from '../../contract/feed.ts';
import { healthReport } from '../../contract/health.ts';
import { investor } from '../../contract/investors.ts';
import { described, jsonSchemaOf } from '../../contract/json-schema.ts';
import { companyListSummary, investorList, modifyPeopleList, peopleList } from '../../contract/lists.ts';
import { networkPerson } from '../../contract/network.ts';
import type { OperationName } from '../../contract/operations.ts';
import { personProfile } from '../../contract/person.ts';
import { basicPerson, personResolveIdentifier, resolveGroup, resolvePeople } from '../../contract/resolve.ts';
import { companyLatestRevenue } from '../../contract/revenue.ts';
import { savedSearch } from '../../contract/searches.ts';
import { errorBody } from '../../contract/service.ts';
import type { Examples } from './examples.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A component: its schema, and where a record of it stands in the answer to an operation, or in what was sent. */
type Resource = readonly [schema: z.ZodMiniType, operation: OperationName, part: 'answer' | 'sent', ...path: readonly (string | number)[]];

const resources: Readonly<Record<string, Resource>> = {
  PersonResolveIdentifier: [personResolveIdentifier, 'resolvePeople', 'sent', 'to_resolve', 0],
  PersonResolveRequest: [resolvePeople.body, 'resolvePeople', 'sent'],
  PersonResolveGroup: [resolveGroup, 'resolvePeople', 'answer', 0],
  BasicPerson: [basicPerson, 'resolvePeople', 'answer', 0, 'matches', 0],
  Person: [personProfile, 'getPerson', 'answer'],
  InvestorInterestSignal: [investorInterestSignal, 'readInvestorInterest', 'answer', 0],
  NetworkPerson: [networkPerson, 'listNetworkPeople', 'answer', 0],
  CompanyLatestRevenue: [companyLatestRevenue, 'getCompanyLatestRevenue', 'answer'],
  SavedSearch: [savedSearch, 'getTalentSearch', 'answer'],
  CompanyListSummary: [companyListSummary, 'listCompanyLists', 'answer', 0],
  PeopleList: [peopleList, 'modifyPeopleList', 'answer'],
  PeopleListChange: [modifyPeopleList.body, 'modifyPeopleList', 'sent'],
  InvestorList: [investorList, 'getInvestorList', 'answer'],
  Investor: [investor, 'findInvestors', 'answer', 0],
  HealthReport: [healthReport, 'checkHealth', 'answer'],
};

const named = z.registry<{ id: string }>();
for (const [id, [schema]] of Object.entries(resources)) named.add(schema, { id });
named.add(errorBody, { id: 'Error' });

const uriOf = (id: string): string => `#/components/schemas/${id}`;

/** OpenAPI sets the dialect itself, and a component is found by its place. */
const bare = ({ $schema, $id, ...schema }: Json): Json => schema;

export function namedSchemas(examples: Examples): Json {
  const { schemas } = z.toJSONSchema(named, { ...described, uri: uriOf });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, { ...bare({ ...schema }), example: exampleOf(resources[id], examples) }]),
  );
}

function exampleOf(resource: Resource | undefined, examples: Examples): unknown {
  if (resource === undefined) return examples.refusal('getPerson', '404').body;
  const [, operation, part, ...path] = resource;
  const whole = part === 'sent' ? examples.body(operation) : examples.success(operation);
  return path.reduce((record: unknown, step) => Object.entries(record ?? {}).find(([name]) => name === String(step))?.[1], whole);
}

export function schemaOf(schema: z.core.$ZodType): Json {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uriOf(id) };
  if (schema instanceof z.core.$ZodArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  return bare(jsonSchemaOf(schema));
}
