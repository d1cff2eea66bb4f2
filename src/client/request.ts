/** Turns an endpoint and the caller's values into what is sent, without the key, so that a dry run may print it. Pure. */
import type { Endpoint, RequestParts } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';
import { type JsonObject, jsonText } from '../json/exact.ts';

export interface PlannedRequest {
  readonly method: Endpoint['method'];
  readonly url: string;
  readonly body?: string;
}

export function planRequest(
  baseUrl: string,
  endpoint: Endpoint,
  { path, query, body }: RequestParts,
): PlannedRequest {
  const filled = endpoint.path.replace(/\{(\w+)\}/g, (_braces, name: string) =>
    pathSegment(path[name] ?? ''),
  );
  const url = `${baseUrl}${filled}${query === undefined ? '' : queryText(query)}`;
  return { method: endpoint.method, url, ...(body !== undefined && { body: jsonText(body) }) };
}

/** `.` and `..` would name another resource, wherever they are decoded. */
function pathSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new UsageError(`${JSON.stringify(value)} is not an identifier`, {
      item: value,
      hint: 'give an id of the service',
    });
  }
  if (!value.isWellFormed())
    throw new UsageError('an identifier holds half a character', {
      hint: 'check the encoding of the input',
    });
  return encodeURIComponent(value);
}

function queryText(query: JsonObject): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) sent.append(name, String(one));
  return sent.size === 0 ? '' : `?${sent}`;
}
