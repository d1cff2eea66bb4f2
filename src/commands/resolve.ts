/** `pdi resolve` turns identifiers of the professional network into person ids, 50 in a request. It is free. */
import { Option } from '@commander-js/extra-typings';
import { command } from '../cli/command.ts';
import { sourceOf, withInputOptions } from '../cli/options.ts';

export const resolve = command({
  words: 'resolve',
  summary: 'person ids for profile URLs, vanity ids, numeric ids or URNs (free)',
  brief: 'profile URLs and ids to person ids (free)',
  description: 'Resolve professional-network identifiers to person ids. Free; 50 identifiers a request.',
  examples: [
    ['pdi resolve https://www.profnet.example/in/ada-sample-1', 'one profile, as a card on a terminal'],
    ['pdi resolve -i leads.csv --column linkedin -o csv --out leads-ids.csv', 'a CSV back with person ids joined to its rows'],
    ["pdi resolve -i urls.txt -o ndjson | jq -r '.matches[0].person_id // empty'", 'the ids alone, of those that were found'],
    ['pdi resolve -i urls.txt -o ndjson | pdi person -i - -o csv', 'straight on to full profiles'],
  ],
  takes: (parser) =>
    withInputOptions(parser.argument('[identifier...]', 'profile URL, vanity id, numeric id or URN; told apart by their shape')).addOption(
      new Option('--as <kind>', 'what every identifier is, whatever its shape').choices(['url', 'id', 'num-id', 'urn'] as const),
    ),
  run: async (choices, tools, identifiers, flags) => {
    const { runResolve } = await import('../road/resolve.ts');
    await runResolve(choices.jobPlan(), tools, sourceOf(identifiers, flags, tools.io));
  },
});
