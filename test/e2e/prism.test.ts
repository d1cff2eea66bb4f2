/**
 * Prism, a program of others that knows the sandbox's OpenAPI document alone: as a mock, and as a proxy that refuses what is not
 * as documented. It is no dependency: `.ci/run` installs it elsewhere and sets PDI_PRISM; without it these are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { operationCommands } from '../../src/commands/index.ts';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { keys } from '../../src/sandbox/world.ts';
import { type Operation, readDescription } from '../contract/description.ts';
import { needs } from '../support/needs.ts';
import { freePort, startOrigin } from '../support/origin.ts';
import { newFolder, run } from '../support/run.ts';
import { sandboxed } from '../support/service.ts';

const prism = process.env.PDI_PRISM ?? '';
const description = describeApi();
const api = readDescription(description);
const document = join(newFolder(), 'openapi.json');

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

/** The contract's exit codes. */
const codes: Readonly<Record<string, number>> = {
  200: 0,
  400: 2,
  401: 3,
  403: 3,
  404: 4,
  422: 2,
  429: 6,
  500: 5,
  503: 5,
};

/** The command whose request is the one that the document shows. */
const commandOf = (operation: Operation): readonly string[] => {
  const { operationId, parameters = [] } = operation;
  const body = JSON.stringify(operation.requestBody?.content['application/json'].example ?? {});
  const example = (name: string): string =>
    exampleOf(operation, name) ?? new RegExp(`"${name}":\\[?"([^"]+)`).exec(body)?.[1] ?? '';
  const words =
    Object.entries(operationCommands)
      .find(([name]) => name === operationId)?.[1]
      .words.split(' ') ?? [];
  const ofPath = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => example(name));
  return [...words, ...ofPath, ...(flags[operationId]?.(example) ?? [])];
};

/** What Prism found in requests and answers. */
const violations: string[] = [];

/** As a mock it leaves out a header whose example is 0, and then complains about that. */
const leftOut = /^\[\{[^{}]*must have required property 'x-ratelimit-remaining'"\}\]$/;

const running: ChildProcess[] = [];

/** Gives the address where Prism listens, once it says so. */
async function started(...words: readonly string[]): Promise<string> {
  const port = await freePort();
  const child = spawn(prism, [...words, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  let said = '';
  // It goes on to be read, because Prism writes of each request and stops where nobody takes that.
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('is listening')) resolve();
    });
    child.on('exit', () => reject(new Error(said)));
  });
  return `http://127.0.0.1:${port}`;
}

/** Prism serves the paths without the base path, and which status it answers with is a header that pdi does not send. */
async function inFrontOf(address: string, status?: string): Promise<string> {
  const origin = await startOrigin(async ({ method, path, headers, body }) => {
    const key = headers['x-api-key'];
    const answer = await fetch(`${address}${path.slice('/api/v1'.length)}`, {
      method,
      headers: {
        ...(typeof key === 'string' && { 'x-api-key': key }),
        ...(body !== '' && { 'content-type': 'application/json' }),
        ...(status !== undefined && { prefer: `code=${status}` }),
      },
      ...(body !== '' && { body }),
    });
    violations.push(
      ...(answer.headers.get('sl-violations') ?? '')
        .split('\n')
        .filter((text) => text !== '' && !leftOut.test(text)),
    );
    return { status: answer.status, text: await answer.text() };
  });
  onTestFinished(() => origin.close());
  return origin.baseUrl;
}

const asking = (baseUrl: string, argv: readonly string[]) =>
  run([...argv, '-o', 'json', '--retries', '0', '--max-wait', '0'], {
    env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: keys.full },
  });

describe('Prism', { timeout: 300_000, ...needs(prism !== '', 'PDI_PRISM names no Prism') }, () => {
  let [mock, proxied] = ['', ''];
  beforeAll(async () => {
    writeFileSync(document, JSON.stringify(description));
    mock = await started('mock', document);
  }, 300_000);
  afterAll(() => running.map((child) => child.kill()));

  it.each(api.operations.map((operation) => [operation.operationId, operation] as const))(
    'as a mock answers %s with every numbered status of the document',
    async (_name, operation) => {
      for (const status of Object.keys(operation.responses).filter((known) =>
        /^\d+$/.test(known),
      )) {
        const { code, stderr } = await asking(await inFrontOf(mock, status), commandOf(operation));
        expect([status, code], stderr).toEqual([status, codes[status]]);
      }
      expect(violations).toEqual([]);
    },
  );

  it('as a proxy finds no fault with what is sent and answered', async () => {
    const service = await sandboxed();
    proxied = await started('proxy', document, service.baseUrl, '--errors');
    const base = await inFrontOf(proxied);
    for (const operation of api.operations) {
      const { code, stderr } = await asking(base, commandOf(operation));
      expect([operation.operationId, code], stderr).toEqual([operation.operationId, 0]);
    }
    expect(violations).toEqual([]);
  });
});
