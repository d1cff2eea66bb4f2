/** From an endpoint and what a caller gives to what goes on the wire. Pure; a dry run prints the same. */
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';
import { jsonText } from '../json/write.ts';

/** A request as a person may read it: no key in it. */
export interface PlannedRequest {
  readonly method: Endpoint['method'];
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

/** Any endpoint's request, by parts. */
interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** @throws UsageError where a path parameter could lead to another path. */
export function planRequest<E extends Endpoint>(baseUrl: string, endpoint: E, request: RequestOf<E>): PlannedRequest {
  const { path, query, body }: RequestParts = request;
  const url = `${baseUrl}${fillPath(endpoint.path, path)}${query === undefined ? '' : queryText(query)}`;
  return { method: endpoint.method, url, ...(body !== undefined && { body: jsonText(body) }) };
}

/** Whether the request is about one resource that it names by its id, in the path or as the scope of a search. */
export function namesResource<E extends Endpoint>(request: RequestOf<E>): boolean {
  const { path, query = {} }: RequestParts = request;
  return Object.keys(path).length > 0 || Object.entries(query).some(([name, value]) => name.endsWith('_id') && value !== undefined);
}

function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((path, [name, value]) => path.replace(`{${name}}`, () => pathSegment(value)), template);
}

/** One path segment; `.` and `..` would name another resource, whoever decodes them. */
function pathSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new UsageError(`${JSON.stringify(value)} is not an identifier`, { item: value, hint: 'give an id of the service' });
  }
  if (!value.isWellFormed()) throw new UsageError('an identifier holds half a character', { hint: 'check the encoding of the input' });
  return encodeURIComponent(value);
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.append(name, String(value));
  return sent.size === 0 ? '' : `?${sent}`;
}
