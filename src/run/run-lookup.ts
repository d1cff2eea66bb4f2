/** Runs the commands whose identifier is a path parameter, such as a person id. */

import type { InputFlags } from '../cli/input-options.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { lookupJob } from '../jobs/lookup.ts';
import type { Context } from './context.ts';
import { refuseFiles } from './file-as-identifier.ts';
import { runJob } from './run-job.ts';

export interface LookupOptions<E extends Endpoint> {
  readonly endpoint: E;
  readonly identifierColumns: readonly string[];
  readonly request: (identifier: string) => RequestOf<E>;
}

export async function runLookup<E extends Endpoint>(
  context: Context,
  { endpoint, identifierColumns, request }: LookupOptions<E>,
  identifiers: readonly string[],
  flags: InputFlags,
): Promise<void> {
  // Identifiers beside --input are refused with words of their own.
  if (flags.input === undefined) refuseFiles(identifiers, { command: context.command, flag: '-i' });
  const [shape] = Object.values(endpoint.pathParameters ?? {}).map((parameter) => parameter.shape);
  const ask = (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: request(found.text) };
  };
  await runJob(context, lookupJob({ endpoint, identifierColumns, ask }), identifiers, flags);
}
