/** A server made from an OpenAPI document: it answers each request with the document's example, and judges the request by it. */
import { onTestFinished } from 'vitest';
import { operationCommands } from '../../src/commands/index.ts';
import type { Description, Operation } from '../contract/description.ts';
import { startOrigin } from '../support/origin.ts';

/** The example of a parameter, as it stands in a URL. */
function exampleOf({ parameters = [] }: Operation, name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.name === name);
  return found === undefined ? undefined : String(found.example);
}

/** What an operation's command takes beside its words and the values of the path. */
const flags: Readonly<Record<string, (example: (name: string) => string) => readonly string[]>> = {
  resolvePeople: (example) => [example('profnet_url')],
  readInvestorInterest: (example) => ['--limit', example('limit')],
  modifyPeopleList: (example) => ['--add', example('add_ids')],
  listNetworkPeople: (example) => ['--limit', example('limit')],
  findInvestors: (example) => ['--name', example('name')],
  deleteInvestorList: () => ['--yes'],
  deletePeopleList: () => ['--yes'],
  deleteCompanyList: () => ['--yes'],
};

/** The contract's exit codes; `default` is the refusal without credits. */
export const codes: Readonly<Record<string, number>> = {
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

/** The command whose request is the one that the document shows. */
export const commandOf = (operation: Operation): readonly string[] => {
  const { operationId, parameters = [] } = operation;
  const body = JSON.stringify(operation.requestBody?.content['application/json'].example ?? {});
  const example = (name: string): string => exampleOf(operation, name) ?? new RegExp(`"${name}":\\[?"([^"]+)`).exec(body)?.[1] ?? '';
  const words =
    Object.entries(operationCommands)
      .find(([name]) => name === operationId)?.[1]
      .words.split(' ') ?? [];
  const ofPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => example(name));
  return [...words, ...ofPath, ...(flags[operationId]?.(example) ?? [])];
};

/** A status that the document leaves open, as the mock answers it. */
const chosen: Readonly<Record<string, number>> = { '2XX': 204, default: 402 };

export async function startMock(api: Description, status: string) {
  const problems: string[] = [];
  const origin = await startOrigin(({ method, path, headers, body }) => {
    const judged = api.requestProblems({ method, path: path.slice('/api/v1'.length), hasKey: headers['x-api-key'] !== undefined, body });
    problems.push(...judged.problems);
    const answer = judged.operation?.responses[status];
    const limits = Object.entries(answer?.headers ?? {}).map(([name, { example }]) => [name, String(example)]);
    const example = answer?.content?.['application/json'].example;
    return {
      status: chosen[status] ?? Number(status),
      headers: Object.fromEntries(limits),
      text: example === undefined ? '' : JSON.stringify(example),
    };
  });
  onTestFinished(() => origin.close());
  return { baseUrl: origin.baseUrl, problems: () => problems };
}
