/** Finds the operation of a method and a path, from the contract. */
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operationNames, operations } from '../contract/operations.ts';
import { Refusal } from './refusal.ts';

export interface Destination {
  readonly operation: OperationName;
  readonly path: Readonly<Record<string, string>>;
}

const partsOf = (path: string): string[] => path.split('/').slice(1);

interface Route {
  readonly operation: OperationName;
  readonly method: string;
  readonly pattern: readonly string[];
}

const routes: readonly Route[] = operationNames.map((operation) => {
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
export function findDestination(method: string, path: string): Destination {
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
