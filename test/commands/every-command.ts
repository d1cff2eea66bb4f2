/**
 * Every command of the contract's table with the request it makes and an answer as the API document says, typed out by hand:
 * with fields that nobody documents and a number past 2^53.
 */
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../../src/contract/operations.ts';
import { resources } from '../contract/resources.ts';
import type { Answer, ReceivedRequest } from '../support/origin.ts';

interface Typed {
  readonly name: string;
  readonly argv: readonly string[];
  /** Below the base URL, with its query. */
  readonly path: string;
  /** The body sent by the tool, if any. */
  readonly body?: unknown;
  /** The body that the service answers with. */
  readonly answer: string;
  /** What json output holds, where it is not the whole answer: the one group of a resolve. */
  readonly record?: string;
  /** An identifier that a table shows. */
  readonly shown: string;
  /** The fields of the record in csv: fixed, whatever a record holds. */
  readonly columns: readonly string[];
  /** Its answers may be kept, so its files say when they were fetched. */
  readonly kept?: true;
  /** Rows answer inputs: csv has `input`, `pdi_status` and `pdi_error`. */
  readonly job?: true;
}

/** Method and price are the contract's, which a test of the OpenAPI document holds against a table that is typed out by hand. */
export type CommandCase = Typed & Pick<Endpoint, 'method' | 'billing'>;

/** Past 2^53, and with more decimals than a double holds. */
export const exactDigits = ['9007199254740993', '0.12345678901234567890'] as const;
const unknownFields = `"field_of_tomorrow":{"deep":[1,{"x":null}]},"exact":${exactDigits[0]},"finer":${exactDigits[1]}`;

const list = {
  people: 'b0000000-0000-4000-8000-000000000001',
  companies: 'c0000000-0000-4000-8000-000000000001',
};
const investorList = 'd0000000-0000-4000-8000-000000000001';
const times = '"created_at":"2026-01-02T03:04:05Z","updated_at":"2026-02-03T04:05:06Z"';

const group = `{"query":{"profnet_id":"ada-sample-1"},"matches":[{"person_id":"per_a1","full_name":"Ada","profnet_url":"https://profnet.example/in/ada",${unknownFields}}],"also":true}`;

const profile = `{"person_id":"per_a1","last_updated":"2026-01-02 03:04:05","full_name":"Ada Sample","profnet_num_id":9007199254740993,
 "highlights":["tag_of_tomorrow"],"education_level":"","experience":[{"company_name":"Example Ltd","company_id":"company-1","job_order":1,"tech_verticals":[["A","B"]],"more":1}],
 "languages":[{"name":"English"}],"skills":["one","two"],"current_tenure":1.5,${unknownFields}}`;

const signal = `{"signal_id":"51960a10-0000-4000-8000-000000000000","signal_date":"2026-06-30","signal_score":7,"signal_summary":"Interest","signal_type":"Company",
 "source_types":["investor","kind_of_tomorrow"],"signal_total_funding_usd":1250000.5,"signal_investors":[{"name":"Harbor","rank":1}],
 "company":{"name":"Example Ltd","hq":{"city":"Example City"},"tech_verticals":[["A","B"]]},"signal_source":["https://news.example/1"],${unknownFields}}`;

const revenue = `{"id":"company-1","company_name":"Example Ltd","domain":"example.example","est_revenue_usd":1200000,"latest_revenue_reported_usd":null,"est_revenue_growth_1m_pct":-4.05,${unknownFields}}`;

const investor = `{"investor_id":"inv_1","strategic_signal_ids":[],"investor_name":"Harbor","investor_types":["venture_capital"],"investment_stage":["Seed"],
 "industry_target":[],"svc_industry_target":[],"svc_tech_verticals_target":[],"fund_details":[{"name":"One","announced_on":"2020-01-01","raised_amount_usd":"90071992547409930"}],
 "portfolio_companies":["company-1"],"person_id":null,"founded_year":1999,${unknownFields}}`;

const summary = `{"id":"${list.companies}","name":"Watch","is_global":false,"shared_with":[],${times},"company_count":3,${unknownFields}}`;
const people = `{"id":"${list.people}","name":"People",${times},"people":[{"person_id":"per_a1","created_at":"2026-01-01T00:00:00Z"}],${unknownFields}}`;
const investors = `{"id":"${investorList}","name":"Investors",${times},"investors":[{"investor_id":"inv_1","created_at":"2026-01-01T00:00:00Z"}],${unknownFields}}`;
const search = `{"id":101,"name":"Search","query_id":9007199254740993,"product_type":"product_of_tomorrow","is_global":false,"full_count":12,${unknownFields}}`;
const networkPerson = `{"person_id":"per_a1","connected_on":"profnet","connected_at":"2026-01-01T00:00:00Z","connected_teammates":["user-1","user-2"],"full_name":"Ada",${unknownFields}}`;
const report = `{"status":"OK","relational_store":"OK","analytics_store":"OK",${unknownFields}}`;
const deletion = `{"message":"gone",${unknownFields}}`;

const deletionColumns = ['list_id', 'deleted'];
/** The columns of a resource of the API document. */
const columnsOf = (operation: OperationName): readonly string[] =>
  resources
    .find((resource) => resource.operation === operation)
    ?.columns.map((column) => column.split(' ')[0] ?? '') ?? [];

/** The name stands beside the id, and not where the API document has it. */
const [investorId = '', signalIds = '', investorName = '', ...ofInvestors] =
  columnsOf('findInvestors');

const resolveColumns = ['person_id', 'full_name', 'profnet_url'];

const deleting = (kind: string, listId: string): Typed => ({
  name: `lists ${kind} delete`,
  argv: ['lists', kind, 'delete', listId, '--yes'],
  path: `/lists/${kind}/${listId}`,
  answer: deletion,
  shown: listId,
  columns: deletionColumns,
});

const searching = (product: string): Typed => ({
  name: `searches ${product}`,
  argv: ['searches', product, '101'],
  path: `/searches/${product}/101`,
  answer: search,
  shown: '101',
  columns: columnsOf('getTalentSearch'),
  job: true,
});

const byOperation = {
  resolvePeople: {
    name: 'resolve',
    argv: ['resolve', 'ada-sample-1'],
    path: '/people/resolve',
    body: { to_resolve: [{ profnet_id: 'ada-sample-1' }] },
    answer: `[${group}]`,
    record: group,
    shown: 'per_a1',
    columns: resolveColumns,
    job: true,
  },
  getPerson: {
    name: 'person',
    argv: ['person', 'per_a1'],
    path: '/people/per_a1',
    answer: profile,
    shown: 'per_a1',
    columns: columnsOf('getPerson'),
    kept: true,
    job: true,
  },
  readInvestorInterest: {
    name: 'feed',
    argv: ['feed', '--after', '2026-01-01', '--page', '2', '--limit', '50'],
    path: '/investor-interest?signal_date_after=2026-01-01&page=2&limit=50',
    answer: `[${signal}]`,
    shown: '51960a10-0000-4000-8000-000000000000',
    columns: columnsOf('readInvestorInterest'),
  },
  getCompanyLatestRevenue: {
    name: 'revenue',
    argv: ['revenue', 'company-1'],
    path: '/companies/company-1/latest-revenue',
    answer: revenue,
    shown: 'company-1',
    columns: columnsOf('getCompanyLatestRevenue'),
    kept: true,
    job: true,
  },
  findInvestors: {
    name: 'investors',
    argv: ['investors', '--name', 'Harbor'],
    path: '/investors?name=Harbor',
    answer: `[${investor}]`,
    shown: 'inv_1',
    columns: [investorId, investorName, signalIds, ...ofInvestors],
    kept: true,
  },
  listCompanyLists: {
    name: 'lists companies list',
    argv: ['lists', 'companies', 'list'],
    path: '/lists/companies',
    answer: `[${summary}]`,
    shown: list.companies,
    columns: columnsOf('listCompanyLists'),
  },
  deleteCompanyList: deleting('companies', list.companies),
  modifyPeopleList: {
    name: 'lists people modify',
    argv: ['lists', 'people', 'modify', list.people, '--add', 'per_a1', '--delete', 'per_a3'],
    path: `/lists/people/${list.people}`,
    body: { add_ids: ['per_a1'], delete_ids: ['per_a3'] },
    answer: people,
    shown: list.people,
    columns: ['list_id', 'list_name', 'person_id', 'created_at'],
  },
  deletePeopleList: deleting('people', list.people),
  getInvestorList: {
    name: 'lists investors get',
    argv: ['lists', 'investors', 'get', investorList],
    path: `/lists/investors/${investorList}`,
    answer: investors,
    shown: investorList,
    columns: ['list_id', 'list_name', 'investor_id', 'created_at'],
  },
  deleteInvestorList: deleting('investors', investorList),
  getFundingRoundsSearch: searching('funding-rounds'),
  getTalentSearch: searching('talent'),
  listNetworkPeople: {
    name: 'network',
    argv: ['network', '--limit', '50'],
    path: '/network/people?limit=50',
    answer: `[${networkPerson}]`,
    shown: 'per_a1',
    columns: columnsOf('listNetworkPeople'),
  },
  checkHealth: {
    name: 'health',
    argv: ['health'],
    path: '/health',
    answer: report,
    shown: 'OK',
    columns: columnsOf('checkHealth'),
  },
} satisfies Record<OperationName, Typed>;

export const everyCommand: readonly CommandCase[] = operationNames.map((operation) => {
  const { method, billing } = operations[operation];
  return { method, billing, ...byOperation[operation] };
});

/** Answers each of the requests above as documented; 404 for any other. */
export function documented({ method, path }: Pick<ReceivedRequest, 'method' | 'path'>): Answer {
  const found = everyCommand.find(
    (command) => command.method === method && `/api/v1${command.path}` === path,
  );
  return found === undefined
    ? { status: 404, json: { message: `nothing at ${path}` } }
    : { text: found.answer };
}
