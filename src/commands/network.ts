/** `pdi network` reads the people in the team's professional network. */
import { command } from '../cli/command.ts';
import { wantedPages, withPageOptions } from '../cli/options.ts';

export const network = command({
  words: 'network',
  summary: "people in the team's professional network",
  brief: "the team's network",
  description: "Read the people in the team's network: one page, or all with --all. The price of a call is not documented.",
  examples: [
    ['pdi network --limit 20', 'the first twenty'],
    ['pdi network --all -o csv --out network.csv', 'all of them, for a spreadsheet'],
    [`pdi network --all --query "[?primary_role=='founder'].full_name"`, 'the founders, without jq'],
  ],
  takes: (parser) => withPageOptions(parser, { description: 'people a page (default 50)', expected: 'a whole number from 1' }),
  run: async (choices, tools, flags) => {
    const [{ listNetworkPeople }, { runPages }] = await Promise.all([import('../contract/network.ts'), import('../road/pages.ts')]);
    const ranges = [{ request: (query: { page?: number; limit?: number }) => ({ path: {}, query }) }];
    await runPages(choices.plan(), tools, { endpoint: listNetworkPeople, ranges, wanted: wantedPages(flags, flags.all) });
  },
});
