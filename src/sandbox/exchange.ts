/** Turns one request into one answer, without sockets: route, gate, validation, credits, fault, handler, bill. */
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { Endpoint, PathParameter, RequestOf, RequestParts } from '../contract/endpoint.ts';
import { isUuid } from '../contract/identifier.ts';
import {
  type OperationName,
  type Operations,
  operationNames,
  operations,
} from '../contract/operations.ts';
import { errorCodes } from '../contract/service.ts';
import { attempt } from '../errors.ts';
import { type JsonObject, jsonText, parseJson } from '../json/exact.ts';
import { percentDecoded } from '../rows/url.ts';
import type { CallFault } from './faults.ts';
import { routes } from './routes.ts';
import { type Account, invalid, Refusal, type World } from './world.ts';

export const basePath = '/api/v1';

interface SandboxRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly body: string;
}

interface Around {
  headers: Readonly<Record<string, string>>;
  damage?: CallFault | undefined;
}

export interface SandboxAnswer extends Readonly<Around> {
  readonly status: number;
  readonly text: string;
}

type SandboxCall = ReturnType<typeof callOf>;

/** Every request has an answer; a thrown error is a bug. */
export function respond(world: World, question: SandboxRequest): SandboxAnswer {
  const around: Around = { headers: {} };
  try {
    const call = callOf(question);
    world.requests.set(call.operation, (world.requests.get(call.operation) ?? 0) + 1);
    const { status, body } =
      call.endpoint.key === 'none' ? prepared(world, call)() : keyed(world, call, around);
    return { ...around, status, text: body === undefined ? '' : jsonText(body) };
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    const { status, errorCode, message } = reason;
    return {
      ...around,
      status,
      headers: { ...around.headers, ...reason.headers },
      text: JSON.stringify({ errorCode, message }),
    };
  }
}

/** Section "Authentication", rules 2 and 3. An empty header is an invalid key. */
function accountOf({ accounts }: World, key: string | undefined): Account {
  if (key === undefined)
    throw new Refusal(401, 'The header X-API-KEY is missing', errorCodes.apiKeyMissing);
  const account = accounts.get(key);
  if (account === undefined)
    throw new Refusal(401, 'The API key is not valid', errorCodes.apiKeyNotValid);
  return account;
}

/** A refused call is free. A charged call costs 1, except an empty page of a list that is billed by page. @throws Refusal */
function keyed(world: World, call: SandboxCall, around: Around) {
  const { billing, freeIfEmpty } = call.endpoint;
  const account = accountOf(world, call.question.key);
  // Every answer after the rate limit carries its headers.
  around.headers = account.take();
  // Section "Authentication", rule 4.
  if (!account.isPermitted)
    throw new Refusal(
      403,
      'User lacks permission to access this resource',
      errorCodes.notPermitted,
    );
  const execute = prepared(world, call);
  // This comes before look-ups, so that a key without credits cannot learn which ids exist.
  if (billing === 'charged' && account.credits < 1)
    throw new Refusal(
      world.settings.outOfCreditsStatus,
      'No credits are left',
      errorCodes.outOfCredits,
    );
  around.damage = world.faults.strike(call.operation, call.item);
  if (around.damage === '503') throw new Refusal(503, 'The service is not available');
  if (around.damage === '500' || around.damage === 'reset')
    throw new Refusal(500, 'Internal error');
  const reply = execute();
  const isEmptyPage = Array.isArray(reply.body) && reply.body.length === 0;
  if (billing === 'charged' && !(freeIfEmpty === true && isEmptyPage)) charge(world, call, account);
  return reply;
}

function prepared(world: World, { operation, endpoint, path, query, question }: SandboxCall) {
  return prepare(
    operation,
    { path, query: readQuery(endpoint, query), body: readBody(endpoint, question.body) },
    world,
  );
}

/** Validates a request and returns its execution. @throws Refusal if the request breaks the contract */
export function prepare<N extends OperationName>(
  operation: N,
  request: RequestParts,
  world: World,
) {
  const endpoint: Operations[N] = operations[operation];
  const { answer, status = () => 200 }: (typeof routes)[N] = routes[operation];
  requireValid(endpoint, request);
  const valid: RequestOf<Operations[N]> = request;
  return () => {
    const body = answer(valid, world);
    return { status: status(body), body };
  };
}

function charge(
  { bill, settings }: World,
  { operation, question, item }: SandboxCall,
  account: Account,
): void {
  account.credits -= 1;
  bill.push({
    at: new Date(settings.now()).toISOString(),
    operation,
    method: question.method,
    path: question.url.slice(basePath.length),
    item,
    key: account.key.slice(-4),
    credits: 1,
  });
}

const places = operationNames.map((operation) => {
  const endpoint: Endpoint = operations[operation];
  return {
    operation,
    endpoint,
    pattern: new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  };
});

function callOf(question: SandboxRequest) {
  const [location = '', ...rest] = question.url.split('?');
  if (!location.startsWith(`${basePath}/`))
    throw new Refusal(404, `No endpoint at ${location}; the base URL ends in ${basePath}`);
  const place = location.slice(basePath.length);
  const there = places.filter(({ pattern }) => pattern.test(place));
  if (there.length === 0) throw new Refusal(404, `No endpoint at ${place}`);
  const found = there.find(({ endpoint }) => endpoint.method === question.method);
  if (found === undefined) {
    const allow = [...new Set(there.map(({ endpoint }) => endpoint.method))].join(', ');
    throw new Refusal(405, `${question.method} is not possible at ${place}`, undefined, { allow });
  }
  const { operation, endpoint, pattern } = found;
  const parameters = Object.entries(pattern.exec(place)?.groups ?? {});
  const path: Readonly<Record<string, string>> = Object.fromEntries(
    parameters.map(([name, part]) => [name, percentDecoded(part)]),
  );
  const query = rest.join('?');
  return { operation, endpoint, path, question, query, item: Object.values(path)[0] ?? query };
}

/** The document names no error for another prefix of a person id, so such an id is just an unknown person. */
const isMalformed = (shape: PathParameter['shape'], value: string): boolean =>
  (shape === 'uuid' && !isUuid(value)) || (shape === 'integer' && !/^-?\d+$/.test(value));

function readValue(field: z.core.$ZodType, text: string): unknown {
  const isText = z.safeParse(field, text).success;
  return !isText && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Unknown parameters are ignored; of a repeated one the last value counts, as a number where the contract wants one. */
function readQuery({ query }: Endpoint, text: string): JsonObject {
  const sent = new URLSearchParams(text);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(query?.shape ?? {})) {
    const value = sent.getAll(name).at(-1);
    if (value !== undefined) values[name] = readValue(field, value);
  }
  return values;
}

/** An operation without body ignores a body. @throws Refusal 422 for a text that is not JSON */
function readBody({ body }: Endpoint, text: string): unknown {
  if (body === undefined || text === '') return undefined;
  const value = attempt(() => parseJson(text));
  if (value === undefined) throw invalid('The body is not JSON');
  return value;
}

/** By itself `zod/mini` says no more than that an input is invalid. */
const inEnglish = { error: en().localeError };

function requireSchema(schema: z.ZodMiniType | undefined, value: unknown, where: string): void {
  const issue =
    schema === undefined ? undefined : z.safeParse(schema, value, inEnglish).error?.issues[0];
  if (issue !== undefined) throw invalid(`${[where, ...issue.path].join('.')}: ${issue.message}`);
}

function requireValid<E extends Endpoint>(
  endpoint: E,
  request: RequestParts,
): asserts request is RequestParts & RequestOf<E> {
  for (const [name, { shape, malformed }] of Object.entries(endpoint.pathParameters ?? {})) {
    const value = request.path[name] ?? '';
    if (isMalformed(shape, value))
      throw new Refusal(malformed.status, `${name} is not valid: ${value}`, malformed.errorCode);
  }
  requireSchema(endpoint.query, request.query, 'query');
  requireSchema(endpoint.body, request.body, 'body');
}
