/** A mock that knows the OpenAPI document alone, and each command asked of it: every numbered status ends as the contract says. */
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { readDescription } from '../contract/description.ts';
import { run } from '../support/run.ts';
import { codes, commandOf, startMock } from './mock.ts';

const api = readDescription(describeApi());

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
