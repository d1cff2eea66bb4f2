/** Turns one request into one answer, without sockets: route, gate, validation, credits, fault, handler, bill. */
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { stringifyExactly } from './exact-json.ts';
import { type CallFault, type FaultAfter, isBefore } from './faults.ts';
import { type Account, type Accounts, accountOf, requireCredits, requirePermission } from './gate.ts';
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
  readonly damage?: FaultAfter | 'reset' | undefined;
}

interface Destination {
  readonly operation: OperationName;
  readonly path: Readonly<Record<string, string>>;
}

interface SandboxCall extends Destination {
  readonly endpoint: Endpoint;
  readonly question: SandboxRequest;
  readonly query: string;
  readonly item: string;
}

type Headers = Readonly<Record<string, string>>;

export class Exchange {
  constructor(private readonly parts: { readonly world: World; readonly accounts: Accounts; readonly outOfCreditsStatus: number }) {}

  /** Every request has an answer; a thrown error is a bug. */
  answer(question: SandboxRequest): SandboxAnswer {
    return answered({}, () => {
      const call = callOf(question);
      const { requests } = this.parts.world;
      requests.set(call.operation, (requests.get(call.operation) ?? 0) + 1);
      return call.endpoint.key === 'none' ? replied(this.prepared(call)(), {}) : this.keyed(call);
    });
  }

  /** Every answer after the rate limit carries its headers. */
  private keyed(call: SandboxCall): SandboxAnswer {
    const account = accountOf(this.parts.accounts, call.question.key);
    const headers = account.limiter.take();
    return answered(headers, () => {
      requirePermission(account);
      const execute = this.prepared(call);
      requireCredits(account, call.endpoint, this.parts.outOfCreditsStatus);
      const fault = this.parts.world.faults.strike(call.operation, call.item);
      if (isBefore(fault)) return stopped(fault);
      const answer = answered(headers, () => {
        const reply = execute();
        if (isBilled(call.endpoint, reply)) this.charge(call, account);
        return replied(reply, headers);
      });
      return { ...answer, damage: fault };
    });
  }

  private prepared(call: SandboxCall): () => RouteReply<unknown> {
    const { endpoint, path, query, question } = call;
    const request = { path, query: readQuery(endpoint, query), body: readBody(endpoint, question.body) };
    return prepare(call.operation, request, this.parts.world);
  }

  private charge({ operation, question, item }: SandboxCall, account: Account): void {
    const { world } = this.parts;
    account.credits -= 1;
    world.bill.push({
      at: new Date(world.now()).toISOString(),
      operation,
      method: question.method,
      path: question.url.slice(basePath.length),
      item,
      key: account.key.slice(-4),
      credits: 1,
    });
  }
}

function callOf(question: SandboxRequest): SandboxCall {
  const [location = '', ...rest] = question.url.split('?');
  if (!location.startsWith(`${basePath}/`)) throw new Refusal(404, `No endpoint at ${location}; the base URL ends in ${basePath}`);
  const destination = findDestination(question.method, location.slice(basePath.length));
  const query = rest.join('?');
  const item = Object.values(destination.path)[0] ?? query;
  return { ...destination, endpoint: operations[destination.operation], question, query, item };
}

/** A refused call is free. A charged call costs 1, except an empty page of a list that is billed by page. */
function isBilled({ billing, emptyPage }: Endpoint, { body }: RouteReply<unknown>): boolean {
  const isEmptyPage = emptyPage === 'not_billed' && Array.isArray(body) && body.length === 0;
  return billing === 'charged' && !isEmptyPage;
}

function replied({ status, body }: RouteReply<unknown>, headers: Headers): SandboxAnswer {
  return { status, headers, text: body === undefined ? '' : stringifyExactly(body) };
}

function stopped(fault: Exclude<CallFault, FaultAfter>): SandboxAnswer {
  if (fault === 'reset') return { status: 500, headers: {}, text: '', damage: 'reset' };
  throw new Refusal(Number(fault), fault === '503' ? 'The service is not available' : 'Internal error');
}

/** Returns the answer, or a thrown Refusal in the error shape of section "Errors". */
function answered(headers: Headers, make: () => SandboxAnswer): SandboxAnswer {
  try {
    return make();
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    const { status, errorCode, message } = reason;
    return { status, headers: { ...headers, ...reason.headers }, text: JSON.stringify({ errorCode, message }) };
  }
}

const partsOf = (path: string): string[] => path.split('/').slice(1);

/** The patterns of paths, from the contract. */
const routes = operationNames.map((operation) => {
  const endpoint: Endpoint = operations[operation];
  return { operation, method: endpoint.method, pattern: partsOf(endpoint.path) };
});

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function matched(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, wanted] of pattern.entries()) {
    const part = parts[at] ?? '';
    if (wanted.startsWith('{') && part !== '') found[wanted.slice(1, -1)] = decoded(part);
    else if (wanted !== part) return undefined;
  }
  return found;
}

/** `path` is below the base URL, without query. @throws Refusal 404 for an unknown path, 405 for a wrong method */
function findDestination(method: string, path: string): Destination {
  const parts = partsOf(path);
  const allowed: string[] = [];
  for (const { operation, method: wanted, pattern } of routes) {
    const parameters = matched(pattern, parts);
    if (parameters !== undefined && wanted === method) return { operation, path: parameters };
    if (parameters !== undefined) allowed.push(wanted);
  }
  if (allowed.length === 0) throw new Refusal(404, `No endpoint at ${path}`);
  throw new Refusal(405, `${method} is not possible at ${path}`, undefined, { allow: [...new Set(allowed)].join(', ') });
}
