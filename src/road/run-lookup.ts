/** Runs the commands whose identifier is a path parameter, such as a person id. */
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { refuseFiles } from './file-as-identifier.ts';
import type { Source } from './input-source.ts';
import { lookupJob } from './lookup.ts';
import type { JobPlan } from './plan.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

export interface LookupOptions<E extends Endpoint> {
  readonly endpoint: E;
  readonly identifierColumns: readonly string[];
  readonly request: (identifier: string) => RequestOf<E>;
}

export async function runLookup<E extends Endpoint>(
  plan: JobPlan,
  tools: Tools,
  { endpoint, identifierColumns, request }: LookupOptions<E>,
  source: Source,
): Promise<void> {
  refuseFiles(source.identifiers, { command: plan.show.command, flag: '-i' });
  const [shape] = Object.values(endpoint.pathParameters ?? {}).map((parameter) => parameter.shape);
  const ask = (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: request(found.text) };
  };
  await runJob(plan, tools, lookupJob({ endpoint, identifierColumns, ask }), source);
}
