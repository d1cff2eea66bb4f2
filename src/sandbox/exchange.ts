/** Turns one request into one answer, without sockets: route, gate, validation, credits, fault, handler, bill. */
import type { Endpoint } from '../contract/endpoint.ts';
import { operationNames, operations } from '../contract/operations.ts';
import { errorCodes } from '../contract/service.ts';
import { jsonText } from '../json/write.ts';
import { percentDecoded } from './dataset/names.ts';
import { type CallFault, isBefore } from './faults.ts';
import { type Account, accountOf } from './gate.ts';
import { prepare, type RouteReply } from './routes.ts';
import { Refusal, readBody, readQuery } from './validation.ts';
import type { World } from './world.ts';

export const basePath = '/api/v1';

interface SandboxRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly body: string;
}

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly damage?: CallFault | undefined;
}

type SandboxCall = ReturnType<typeof callOf>;

/** Every request has an answer; a thrown error is a bug. */
export function respond(world: World, question: SandboxRequest): SandboxAnswer {
  return answered({}, () => {
    const call = callOf(question);
    world.requests.set(call.operation, (world.requests.get(call.operation) ?? 0) + 1);
    return call.endpoint.key === 'none' ? replied(prepared(world, call)(), {}) : keyed(world, call);
  });
}

/** Every answer after the rate limit carries its headers. */
function keyed(world: World, call: SandboxCall): SandboxAnswer {
  const account = accountOf(world.accounts, call.question.key);
  const headers = account.limiter.take();
  return answered(headers, () => {
    // Section "Authentication", rule 4.
    if (!account.isPermitted) throw new Refusal(403, 'User lacks permission to access this resource', errorCodes.notPermitted);
    const execute = prepared(world, call);
    // This comes before look-ups, so that a key without credits cannot learn which ids exist.
    if (call.endpoint.billing === 'charged' && account.credits < 1)
      throw new Refusal(world.settings.outOfCreditsStatus, 'No credits are left', errorCodes.outOfCredits);
    const fault = world.faults.strike(call.operation, call.item);
    if (fault !== undefined && isBefore(fault)) return stopped(fault);
    const executed = answered(headers, () => {
      const reply = execute();
      if (isBilled(call.endpoint, reply)) charge(world, call, account);
      return replied(reply, headers);
    });
    return { ...executed, damage: fault };
  });
}

function prepared(world: World, { operation, endpoint, path, query, question }: SandboxCall): () => RouteReply<unknown> {
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
  const there = routes.flatMap(({ pattern, ...route }) => {
    const match = pattern.exec(place);
    return match === null ? [] : [{ ...route, parameters: Object.entries(match.groups ?? {}) }];
  });
  if (there.length === 0) throw new Refusal(404, `No endpoint at ${place}`);
  const found = there.find(({ endpoint }) => endpoint.method === question.method);
  if (found === undefined) {
    const allow = [...new Set(there.map(({ endpoint }) => endpoint.method))].join(', ');
    throw new Refusal(405, `${question.method} is not possible at ${place}`, undefined, { allow });
  }
  const path: Readonly<Record<string, string>> = Object.fromEntries(found.parameters.map(([name, part]) => [name, percentDecoded(part)]));
  const query = rest.join('?');
  return { operation: found.operation, endpoint: found.endpoint, path, question, query, item: Object.values(path)[0] ?? query };
}

/** A refused call is free. A charged call costs 1, except an empty page of a list that is billed by page. */
function isBilled({ billing, emptyPage }: Endpoint, { body }: RouteReply<unknown>): boolean {
  const isEmptyPage = emptyPage === 'not_billed' && Array.isArray(body) && body.length === 0;
  return billing === 'charged' && !isEmptyPage;
}

function replied({ status, body }: RouteReply<unknown>, headers: SandboxAnswer['headers']): SandboxAnswer {
  return { status, headers, text: body === undefined ? '' : jsonText(body) };
}

function stopped(fault: CallFault): SandboxAnswer {
  if (fault === 'reset') return { status: 500, headers: {}, text: '', damage: fault };
  throw new Refusal(Number(fault), fault === '503' ? 'The service is not available' : 'Internal error');
}

/** Returns the answer, or a thrown Refusal in the error shape of section "Errors". */
function answered(headers: SandboxAnswer['headers'], make: () => SandboxAnswer): SandboxAnswer {
  try {
    return make();
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    const { status, errorCode, message } = reason;
    return { status, headers: { ...headers, ...reason.headers }, text: JSON.stringify({ errorCode, message }) };
  }
}
