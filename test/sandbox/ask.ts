/** Calls of a sandbox in a test's words; what it answers is judged by the OpenAPI document, but for faults. */
import { expect, test } from 'vitest';
import { describeApi } from '../../src/sandbox/openapi.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { SandboxOptions } from '../../src/sandbox/world.ts';
import { readDescription } from '../contract/description.ts';
import { sandboxed } from '../support/service.ts';

export interface Question {
  readonly method?: string;
  /** null: no key header at all. */
  readonly key?: string | null;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
}

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** undefined for an empty answer. */
  readonly json: unknown;
}

export interface Asking extends Sandbox {
  ask(path: string, question?: Question): Promise<Heard>;
}

export async function start(options: SandboxOptions = {}): Promise<Asking> {
  const sandbox = await sandboxed(options);
  const isSound = options.fault === undefined && options.faultRule === undefined;
  return {
    ...sandbox,
    ask: async (path, question = {}) => {
      const heard = await ask(sandbox, path, question);
      if (isSound) expectAsDocumented(`${question.method ?? 'GET'} ${path}`, heard);
      return heard;
    },
  };
}

/** Tests each of which has a sandbox of its own, if it names anything of it. */
export const it = test.extend<
  { readonly service: Asking } & Pick<Asking, 'ask' | 'bill' | 'requests' | 'baseUrl'>
>({
  service: async ({ task: _task }, use) => use(await start()),
  ask: async ({ service }, use) => use(service.ask),
  bill: async ({ service }, use) => use(service.bill),
  requests: async ({ service }, use) => use(service.requests),
  baseUrl: async ({ service }, use) => use(service.baseUrl),
});

const api = readDescription(describeApi());
const operations = api.operations.map((operation) => ({
  operation,
  line: new RegExp(
    `^${operation.method} ${operation.path.replace(/\{\w+\}/g, '[^/?]+')}(?:[?].*)?$`,
  ),
}));

/** What is no operation is not in the document, nor is the refusal of a body beyond all measure. */
function expectAsDocumented(asked: string, heard: Heard): void {
  const operation = operations.find(({ line }) => line.test(asked))?.operation;
  if (operation === undefined || heard.status === 413) return;
  expect(
    api.answerProblems(operation, heard),
    `${asked}: ${heard.status} ${heard.text.slice(0, 200)}`,
  ).toEqual([]);
}

async function ask(
  { baseUrl, keys }: Sandbox,
  path: string,
  { method = 'GET', key = keys.full, body }: Question,
): Promise<Heard> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: key === null ? {} : { 'X-API-Key': key },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

/** The objects of an answer that is an array of them; a test fails on anything else. */
export function records(heard: Heard): Record<string, unknown>[] {
  if (!Array.isArray(heard.json)) throw new Error(`not an array: ${heard.text}`);
  return heard.json;
}

/** The object of an answer. */
export function record(heard: Heard): Record<string, unknown> {
  const { json } = heard;
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error(`not an object: ${heard.text}`);
  return Object.fromEntries(Object.entries(json));
}
