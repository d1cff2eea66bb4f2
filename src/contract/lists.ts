/** Endpoints 3, 9, 11, 12, 13 and 14 of the API document. */
import * as z from 'zod/mini';
import { isObject } from '../json/exact.ts';
import {
  columnsOf,
  count,
  dateTime,
  flag,
  id,
  investorId,
  listOfIds,
  object,
  personId,
  record,
  text,
  topFields,
  uuid,
} from './columns.ts';
import type { Endpoint } from './endpoint.ts';
import { notSent, requireShape } from './identifier.ts';
import type { Billing } from './price.ts';
import { errorCodes } from './service.ts';

const companyListSummary = record(
  { id: uuid() },
  {
    name: text(),
    is_global: flag(),
    shared_with: listOfIds(),
    created_at: dateTime(),
    updated_at: dateTime(),
    company_count: count(),
  },
);

const listMember = record({ person_id: personId() }, { created_at: dateTime() });
const listInvestor = record({ investor_id: investorId() }, { created_at: dateTime() });

const listFields = { name: text(), created_at: dateTime(), updated_at: dateTime() };

const peopleList = record({ id: uuid() }, { ...listFields, people: z.array(listMember) });
const investorList = record({ id: uuid() }, { ...listFields, investors: z.array(listInvestor) });

const memberColumns = (member: z.ZodMiniObject) =>
  columnsOf(object({ list_id: uuid(), list_name: z.nullish(text()), ...member.shape }), {
    table: [...topFields(member), 'list_name'],
  });

const listId = {
  shape: 'uuid',
  malformed: { status: 400, errorCode: errorCodes.invalidListUuid },
} as const;
const pathParameters = { listId } as const;

export const listCompanyLists = {
  title: 'List company lists',
  records: 'lists',
  method: 'GET',
  path: '/lists/companies',
  billing: 'free',
  response: z.array(companyListSummary),
  refusals: { 422: [] },
  result: 'list',
  columns: columnsOf(companyListSummary, {
    table: ['id', 'name', 'company_count', 'updated_at', 'is_global'],
  }),
} as const satisfies Endpoint;

/** The success bodies of the three are not documented, nor the statuses of two, so the output is pdi's own. */
const deletion = <const P extends string, const B extends Billing>(
  title: string,
  path: P,
  billing: B,
) =>
  ({
    title,
    records: 'lists',
    method: 'DELETE',
    path,
    billing,
    pathParameters,
    response: z.unknown(),
    result: 'one',
    successBody: 'open',
    columns: columnsOf(object({ list_id: id(), deleted: flag() }), {
      table: ['list_id', 'deleted'],
    }),
  }) as const satisfies Endpoint;

export const deleteCompanyList = {
  ...deletion('Delete a company list', '/lists/companies/{listId}', 'unstated'),
  pathParameters: { listId: { ...listId, shownBy: '`pdi lists companies list` (free) shows it' } },
} as const;
export const deletePeopleList = {
  ...deletion('Delete a people list', '/lists/people/{listId}', 'unstated'),
  successStatus: 'open',
} as const;
export const deleteInvestorList = {
  ...deletion('Delete an investor list', '/lists/investors/{listId}', 'free'),
  successStatus: 'open',
} as const;

const bareIds = (ids: unknown, name: string): string[] =>
  Array.isArray(ids) ? ids.map((one) => requireShape('person', String(one), name)) : [];

export const modifyPeopleList = {
  title: 'Modify a people list',
  records: 'people',
  method: 'PATCH',
  path: '/lists/people/{listId}',
  billing: 'unstated',
  pathParameters,
  body: z.partial(
    z.strictObject({ add_ids: z.array(personId()), delete_ids: z.array(personId()) }),
  ),
  /** The document does not say what happens to an id in both arrays. @throws UsageError for such an id, and for no change */
  check({ body, ...request }, named) {
    const { add_ids, delete_ids } = isObject(body) ? body : {};
    const added = bareIds(add_ids, named('add_ids'));
    const removed = bareIds(delete_ids, named('delete_ids'));
    if (added.length + removed.length === 0)
      throw notSent(
        'there is nothing to change',
        `give person ids with ${named('add_ids')} or ${named('delete_ids')}`,
      );
    const gone = new Set(removed);
    const both = added.find((id) => gone.has(id));
    if (both !== undefined)
      throw notSent(`${both} is both to be added and to be deleted`, 'name it once', both);
    return {
      ...request,
      body: {
        ...(added.length > 0 && { add_ids: added }),
        ...(removed.length > 0 && { delete_ids: removed }),
      },
    };
  },
  response: peopleList,
  result: 'one',
  columns: columnsOf(peopleList, { table: ['id', 'name', 'created_at', 'updated_at', 'people'] }),
  members: { field: 'people', columns: memberColumns(listMember) },
} as const satisfies Endpoint;

export const getInvestorList = {
  title: 'Get an investor list',
  records: 'investors',
  method: 'GET',
  path: '/lists/investors/{listId}',
  billing: 'unstated',
  pathParameters,
  response: investorList,
  result: 'one',
  columns: columnsOf(investorList, {
    table: ['id', 'name', 'created_at', 'updated_at', 'investors'],
  }),
  members: { field: 'investors', columns: memberColumns(listInvestor) },
} as const satisfies Endpoint;
