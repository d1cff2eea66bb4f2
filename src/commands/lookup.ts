/** Defines the commands that look up one resource for each identifier. */
import type { Command, Words } from '../cli/command.ts';
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

export const lookupCommand = <E extends Endpoint>(command: LookupCommand<E>): Command => {
  const { argument, endpoint, identifierColumns, request, ...words } = command;
  const [name, description] = argument;
  return {
    ...words,
    define: (parser, launch) => {
      withInputOptions(parser.argument(`[${name}...]`, description)).action((identifiers, flags) =>
        launch(async (choices, tools) => {
          const [loaded, { runLookup }] = await Promise.all([endpoint(), import('../road/lookup.ts')]);
          const source = sourceOf(identifiers, flags, tools.io);
          await runLookup(choices.jobPlan(), tools, { endpoint: loaded, identifierColumns, request }, source);
        }),
      );
    },
  };
};
