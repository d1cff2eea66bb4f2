/** Turns one request into one answer, without sockets: route, gate, validation, credits, fault, handler, bill. */
import type { Endpoint } from '../contract/endpoint.ts';
import { operationNames, operations } from '../contract/operations.ts';
import { errorCodes } from '../contract/service.ts';
import { jsonText } from '../json/write.ts';
import { percentDecoded } from './dataset/people.ts';
import { type CallFault, isBefore } from './faults.ts';
import { prepare } from './routes.ts';
import { Refusal, readBody, readQuery } from './validation.ts';
import type { Account, World } from './world.ts';

export const basePath = '/api/v1';

interface SandboxRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly body: string;
}

/** What an answer has beside its status and text, whether the call is refused or not. */
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
    const { status, body } = call.endpoint.key === 'none' ? prepared(world, call)() : keyed(world, call, around);
    return { ...around, status, text: body === undefined ? '' : jsonText(body) };
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    // Section "Errors".
    const { status, errorCode, message } = reason;
    return { ...around, status, headers: { ...around.headers, ...reason.headers }, text: JSON.stringify({ errorCode, message }) };
  }
}

/** Section "Authentication", rules 2 and 3. An empty header is an invalid key. */
function accountOf({ accounts }: World, key: string | undefined): Account {
  if (key === undefined) throw new Refusal(401, 'The header X-API-KEY is missing', errorCodes.apiKeyMissing);
  const account = accounts.get(key);
  if (account === undefined) throw new Refusal(401, 'The API key is not valid', errorCodes.apiKeyNotValid);
  return account;
}

/** A refused call is free. A charged call costs 1, except an empty page of a list that is billed by page. @throws Refusal */
function keyed(world: World, call: SandboxCall, around: Around): Executed {
  const { billing, emptyPage } = call.endpoint;
  const account = accountOf(world, call.question.key);
  // Every answer after the rate limit carries its headers.
  around.headers = account.take();
  // Section "Authentication", rule 4.
  if (!account.isPermitted) throw new Refusal(403, 'User lacks permission to access this resource', errorCodes.notPermitted);
  const execute = prepared(world, call);
  // This comes before look-ups, so that a key without credits cannot learn which ids exist.
  if (billing === 'charged' && account.credits < 1)
    throw new Refusal(world.settings.outOfCreditsStatus, 'No credits are left', errorCodes.outOfCredits);
  around.damage = world.faults.strike(call.operation, call.item);
  if (around.damage === '503') throw new Refusal(503, 'The service is not available');
  if (around.damage !== undefined && isBefore(around.damage)) throw new Refusal(500, 'Internal error');
  const reply = execute();
  const isEmptyPage = Array.isArray(reply.body) && reply.body.length === 0;
  if (billing === 'charged' && !(emptyPage === 'not_billed' && isEmptyPage)) charge(world, call, account);
  return reply;
}

type Executed = ReturnType<ReturnType<typeof prepared>>;

function prepared(world: World, { operation, endpoint, path, query, question }: SandboxCall) {
  return prepare(operation, { path, query: readQuery(endpoint, query), body: readBody(endpoint, question.body) }, world);
}

function charge({ bill, settings }: World, { operation, question, item }: SandboxCall, account: Account): void {
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

const routes = operationNames.map((operation) => {
  const endpoint: Endpoint = operations[operation];
  return { operation, endpoint, pattern: new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) };
});

/** @throws Refusal 404 for an unknown path, 405 for a wrong method */
function callOf(question: SandboxRequest) {
  const [location = '', ...rest] = question.url.split('?');
  if (!location.startsWith(`${basePath}/`)) throw new Refusal(404, `No endpoint at ${location}; the base URL ends in ${basePath}`);
  const place = location.slice(basePath.length);
  const there = routes.filter(({ pattern }) => pattern.test(place));
  if (there.length === 0) throw new Refusal(404, `No endpoint at ${place}`);
  const found = there.find(({ endpoint }) => endpoint.method === question.method);
  if (found === undefined) {
    const allow = [...new Set(there.map(({ endpoint }) => endpoint.method))].join(', ');
    throw new Refusal(405, `${question.method} is not possible at ${place}`, undefined, { allow });
  }
  const { operation, endpoint, pattern } = found;
  const parameters = Object.entries(pattern.exec(place)?.groups ?? {});
  const path: Readonly<Record<string, string>> = Object.fromEntries(parameters.map(([name, part]) => [name, percentDecoded(part)]));
  const query = rest.join('?');
  return { operation, endpoint, path, question, query, item: Object.values(path)[0] ?? query };
}
