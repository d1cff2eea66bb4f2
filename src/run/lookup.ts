/** Commands that ask for one resource an identifier, which is a path parameter: a person id, say. */

import type { InputFlags } from '../cli/input-options.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../input/identifier.ts';
import { lookupJob } from '../jobs/lookup.ts';
import type { Context } from './context.ts';
import { runJob } from './job.ts';

export interface LookupOptions<E extends Endpoint> {
  readonly endpoint: E;
  readonly identifierColumns: readonly string[];
  /** The request about one identifier. */
  readonly request: (identifier: string) => RequestOf<E>;
}

/** Runs `endpoint` for each identifier. Throws what `runJob` throws. */
export function runLookup<E extends Endpoint>(
  context: Context,
  { endpoint, identifierColumns, request }: LookupOptions<E>,
  identifiers: readonly string[],
  flags: InputFlags,
): Promise<void> {
  const [shape] = Object.values(endpoint.pathParameters ?? {}).map((parameter) => parameter.shape);
  const ask = (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: request(found.text) };
  };
  return runJob(context, lookupJob({ endpoint, identifierColumns, ask }), identifiers, flags);
}
