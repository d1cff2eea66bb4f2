/** Commands that make one call an identifier: how a row becomes a question. */

import type { InputFlags } from '../cli/input-options.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../input/identifier.ts';
import { each, type Question } from '../jobs/each.ts';
import type { Context } from './context.ts';
import { type JobKind, runJob } from './job.ts';

export interface EachKind<E extends Endpoint> {
  readonly endpoint: E;
  readonly candidates: readonly string[];
  /** The request about one identifier. */
  readonly request: (identifier: string) => RequestOf<E>;
}

/** Runs `endpoint` for each identifier: a path parameter such as a person id. */
export function runEachIdentifier<E extends Endpoint>(
  context: Context,
  { endpoint, candidates, request }: EachKind<E>,
  identifiers: readonly string[],
  flags: InputFlags,
): Promise<void> {
  const [shape] = Object.values(endpoint.pathParameters ?? {}).map((parameter) => parameter.shape);
  const ask: JobKind<E, Question<E>>['ask'] = (written) => {
    const found = plainIdentifier(written, shape);
    return 'invalid' in found ? found : { key: found.text, request: request(found.text) };
  };
  return runEach(context, { endpoint, candidates, ask }, identifiers, flags);
}

/** The same for any way from a row to a question. */
export async function runEach<E extends Endpoint>(
  context: Context,
  kind: Pick<JobKind<E, Question<E>>, 'endpoint' | 'candidates' | 'ask'>,
  identifiers: readonly string[],
  flags: InputFlags,
): Promise<void> {
  const { endpoint, ask } = kind;
  await runJob(
    context,
    {
      ...kind,
      requests: (questions) => questions.map(({ request }) => request),
      batched: false,
      emptyIsFine: false,
      rows: async function* ({ input, spending: { purchase }, ...parts }) {
        const client = await context.client();
        yield* each({ client, purchase, endpoint, batches: input.batches, question: ask, ...parts });
      },
    },
    identifiers,
    flags,
  );
}
