/** What the program sends, command by command, against the OpenAPI document: an origin writes the requests down. */

import { expect, it, test } from 'vitest';
import { operationCommands } from '../../src/commands/index.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { documented, everyCommand } from '../commands/every-command.ts';
import type { ReceivedRequest } from '../support/origin.ts';
import { origin } from '../support/service.ts';
import { readDescription, type Sent } from './description.ts';

const api = readDescription(describeApi());

const sentAs = ({ method, path, headers, body }: ReceivedRequest): Sent => {
  expect(path).toMatch(/^\/api\/v1\//);
  return {
    method,
    path: path.slice('/api/v1'.length),
    hasKey: headers['x-api-key'] !== undefined,
    body,
  };
};

/** The operations that a command called; fails where a request is not as documented. */
async function calledBy(argv: readonly string[]): Promise<readonly string[]> {
  const { service, pdi } = await origin(documented);
  await pdi(argv);
  return service.requests.map((request) => {
    const { operation, problems } = api.requestProblems(sentAs(request));
    expect(problems, `${request.method} ${request.path} ${request.body}`).toEqual([]);
    return operation?.operationId ?? '';
  });
}

const uuid = '0c5ae6a2-9d1c-4f0e-8a77-0d7a4c2b1e10';
const operationOf = (name: string) =>
  Object.entries(operationCommands).find(([, { words }]) => words === name)?.[0];

it.each([
  ...everyCommand.map(({ name, argv }) => [argv.join(' '), operationOf(name)]),
  // With all that they can be given.
  [
    'resolve https://www.profnet.example/in/ada ada-sample-1 9007199254740993 urn:profnet:member:S1',
    'resolvePeople',
  ],
  ['resolve --as id 12345', 'resolvePeople'],
  [
    'feed --after 2026-01-01 --before 2026-02-28 --search 101 --sort newest --page 3 --limit 7',
    'readInvestorInterest',
  ],
  ['feed --after 2026-01-01 --before 2026-01-01', 'readInvestorInterest'],
  [`feed --list ${uuid} --all --max-pages 1`, 'readInvestorInterest'],
  ['network --page 2 --limit 500', 'listNetworkPeople'],
  ['network --all --max-pages 1', 'listNetworkPeople'],
  ['investors --website https://www.harbor.example/?a=b&c=d', 'findInvestors'],
  [`lists people modify ${uuid} --add per_1`, 'modifyPeopleList'],
  [`lists people modify ${uuid} --delete per_1 per_2`, 'modifyPeopleList'],
  ['person per_a/../b?c#d%2f', 'getPerson'],
  ['revenue ä é', 'getCompanyLatestRevenue'],
  ['health', 'checkHealth'],
])('pdi %s makes the request of its operation', async (line = '', operation) => {
  expect(new Set(await calledBy(line.split(' ')))).toEqual(new Set([operation]));
});

const resolve = (body: unknown): Sent => ({
  method: 'POST',
  path: '/people/resolve',
  hasKey: true,
  body: JSON.stringify(body),
});
const modify = (body: object): Sent => ({
  method: 'PATCH',
  path: `/lists/people/${uuid}`,
  hasKey: true,
  body: JSON.stringify(body),
});
const get = (path: string): Sent => ({ method: 'GET', path, hasKey: true, body: '' });
it.each<[Sent, string]>([
  [get('/investor-interest?limit=51'), 'limit must be <= 50'],
  [get('/investor-interest?limit=ten'), 'limit must be integer'],
  [get('/investor-interest?signal_date_after=2026-02-30'), 'signal_date_after must match'],
  [get('/investor-interest?offset=1'), 'offset is not documented'],
  [get('/investor-interest?page=1&page=2'), 'page is repeated'],
  [get('/network/people?connected_on=other'), 'connected_on must be equal to constant'],
  [get('/lists/investors/12'), 'listId must match format "uuid"'],
  [get('/searches/talent/x'), 'searchId must be integer'],
  [get('/nowhere'), 'GET /nowhere is not documented'],
  [{ ...get('/people/per_1'), hasKey: false }, 'the key is missing'],
  [get('/health'), 'the key is sent'],
  [{ ...get('/people/per_1'), body: '{}' }, 'a body is sent'],
  [{ ...resolve({}), body: '' }, 'the body is missing'],
  [resolve({ to_resolve: [] }), 'body/to_resolve must NOT have fewer than 1 items'],
  [
    resolve({ to_resolve: [{ profnet_id: 'a', profnet_urn: 'b' }] }),
    'body/to_resolve/0 must NOT have more than 1 properties',
  ],
  [resolve({ to_resolve: [{}] }), 'body/to_resolve/0 must NOT have fewer than 1 properties'],
  [
    resolve({ to_resolve: [{ profnet_num_id: '1' }] }),
    'body/to_resolve/0/profnet_num_id must be integer',
  ],
  [
    resolve({ to_resolve: [{ profnet_name: 'a' }] }),
    'body/to_resolve/0 must NOT have additional properties',
  ],
  [modify({ add_ids: ['a'] }), 'body/add_ids/0 must match pattern "^per_"'],
])('a request that is not as documented would be seen: %j', (sent, problem) => {
  expect(api.requestProblems(sent).problems.join('; ')).toContain(problem);
});

/** The fifteen operations against the sections "Endpoints", "Errors" and "Limits" of the API document, typed out by hand. */
const all = Object.entries<Endpoint>(operations);

/** What a table names and is no column would leave a gap. */
test.each(all)(
  '%s: no column twice, and each that its tables name is there',
  (_name, { columns, members }) => {
    for (const shown of members === undefined ? [columns] : [columns, members.columns]) {
      expect(new Set(shown.map(({ name }) => name)).size).toBe(shown.length);
      const ranks = shown.flatMap(({ rank = [] }) => rank).sort((one, other) => one - other);
      expect(ranks).toEqual(Array.from({ length: Math.max(1, ranks.length) }, (_, at) => at));
      const more = shown.flatMap(({ inWideTable = [] }) => inWideTable).sort();
      expect(more).toEqual(more.map((_, at) => at));
    }
  },
);
