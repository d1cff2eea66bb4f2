/** A server made from an OpenAPI document: it answers each request with the document's example, and judges the request by it. */
import { onTestFinished } from 'vitest';
import type { Description, Operation } from '../contract/description.ts';
import { startOrigin } from '../support/origin.ts';

/** The example of a parameter, as it stands in a URL. */
export function exampleOf({ parameters = [] }: Operation, name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.name === name);
  return found === undefined ? undefined : String(found.example);
}

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
