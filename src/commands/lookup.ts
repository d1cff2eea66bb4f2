/** Defines the commands that look up one resource for each identifier. */
import { type Command, command, type Words } from '../cli/command.ts';
import { sourceOf, withInputOptions } from '../cli/options.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { LookupOptions } from '../road/lookup.ts';

interface LookupCommand<E extends Endpoint>
  extends Words,
    Pick<Command, 'examples'>,
    Pick<LookupOptions<E>, 'identifierColumns' | 'request'> {
  readonly argument: readonly [name: string, description: string];
  /** Loaded only when the command runs, because the contract takes longer to load than some commands run. */
  readonly endpoint: () => Promise<E>;
}

export const lookupCommand = <E extends Endpoint>({
  argument,
  endpoint,
  identifierColumns,
  request,
  ...words
}: LookupCommand<E>): Command =>
  command({
    ...words,
    takes: (parser) => withInputOptions(parser.argument(`[${argument[0]}...]`, argument[1])),
    run: async (choices, tools, identifiers, flags) => {
      const [loaded, { runLookup }] = await Promise.all([endpoint(), import('../road/lookup.ts')]);
      const source = sourceOf(identifiers, flags, tools.io);
      await runLookup(choices.jobPlan(), tools, { endpoint: loaded, identifierColumns, request }, source);
    },
  });
