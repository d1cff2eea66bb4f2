/** A mock that knows the OpenAPI document alone, and each command asked of it: every numbered status ends as the contract says. */
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { type Operation, readDescription } from '../contract/description.ts';
import { run } from '../support/run.ts';
import { exampleOf, startMock } from './mock.ts';

const api = readDescription(describeApi());

const commands: Readonly<Record<string, (example: (name: string) => string) => readonly string[]>> = {
  resolvePeople: (example) => ['resolve', example('profnet_url')],
  readInvestorInterest: (example) => ['feed', '--limit', example('limit')],
  modifyPeopleList: (example) => ['lists', 'people', 'modify', example('listId'), '--add', example('add_ids')],
  getPerson: (example) => ['person', example('personId')],
  listNetworkPeople: (example) => ['network', '--limit', example('limit')],
  getCompanyLatestRevenue: (example) => ['revenue', example('companyId')],
  getFundingRoundsSearch: (example) => ['searches', 'funding-rounds', example('searchId')],
  getTalentSearch: (example) => ['searches', 'talent', example('searchId')],
  listCompanyLists: () => ['lists', 'companies', 'list'],
  findInvestors: (example) => ['investors', '--name', example('name')],
  getInvestorList: (example) => ['lists', 'investors', 'get', example('listId')],
  deleteInvestorList: (example) => ['lists', 'investors', 'delete', example('listId'), '--yes'],
  deletePeopleList: (example) => ['lists', 'people', 'delete', example('listId'), '--yes'],
  deleteCompanyList: (example) => ['lists', 'companies', 'delete', example('listId'), '--yes'],
  checkHealth: () => ['health'],
};

/** The contract's exit codes; `default` is the refusal without credits. */
const codes: Readonly<Record<string, number>> = {
  200: 0,
  '2XX': 0,
  400: 2,
  401: 3,
  403: 3,
  404: 4,
  422: 2,
  429: 6,
  500: 5,
  503: 5,
  default: 7,
};

const commandOf = (operation: Operation): readonly string[] => {
  const body = JSON.stringify(operation.requestBody?.content['application/json'].example ?? {});
  return (
    commands[operation.operationId]?.((name) => exampleOf(operation, name) ?? new RegExp(`"${name}":\\[?"([^"]+)`).exec(body)?.[1] ?? '') ??
    []
  );
};

describe.each(api.operations.map((operation) => [operation.operationId, operation] as const))('%s', (_name, operation) => {
  it.each(Object.keys(operation.responses))('answered with %s', async (status) => {
    const mock = await startMock(api, status);
    const { code, stdout, stderr } = await run([...commandOf(operation), '-o', 'json', '--retries', '0', '--max-wait', '0'], {
      env: { PDI_BASE_URL: mock.baseUrl, PDI_API_KEY: 'key' },
    });
    expect(mock.problems(), stderr).toEqual([]);
    expect([code, stderr.split('\n').filter((line) => line.includes('"error"')).length], stderr).toEqual([
      codes[status],
      codes[status] === 0 ? 0 : 1,
    ]);
    const answer = operation.responses[status]?.content?.['application/json'].example;
    if (status !== '200' || answer === undefined) return;
    const isGroup = operation.operationId === 'resolvePeople';
    expect(JSON.parse(stdout)).toEqual(isGroup && Array.isArray(answer) ? answer[0] : answer);
  });
});
