/** `pdi network`: the people in the team's professional network. */

import { allOption, countFlag, maxPagesOption, pageOption } from '../cli/paging.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addNetwork(program: Program, launch: Launch): void {
  program
    .command('network')
    .summary("people in the team's professional network")
    .description("Read the people in the team's network: one page, or all with --all. The price of a call is not documented.")
    .addOption(pageOption())
    .option(
      '--limit <number>',
      'people a page (default 50)',
      countFlag('--limit', { least: 1, most: Number.MAX_SAFE_INTEGER, expected: 'a whole number from 1' }),
    )
    .addOption(allOption())
    .addOption(maxPagesOption())
    .action((flags) =>
      launch('network', async (context) => {
        const [{ listNetworkPeople }, { runPages }] = await Promise.all([import('../contract/network.ts'), import('../run/pages.ts')]);
        await runPages(context, { endpoint: listNetworkPeople, request: (query) => ({ path: {}, query }), flags });
      }),
    );
}
