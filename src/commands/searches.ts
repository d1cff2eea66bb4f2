/** `pdi searches`: the details of saved searches, one call an id. */
import { columnOption, encodingOption, inputFormatOption, inputOption } from '../cli/input-options.ts';
import type { Launch, Program } from '../run/launch.ts';

const products = [
  { word: 'funding-rounds', operation: 'getFundingRoundsSearch', title: 'saved funding-rounds searches' },
  { word: 'talent', operation: 'getTalentSearch', title: 'saved talent searches' },
] as const;

export function addSearches(program: Program, launch: Launch): void {
  const searches = program
    .command('searches')
    .summary('details of saved searches by id')
    .description('Read name, product and count of saved searches that are shared with the API or global; never the records.');
  for (const { word, operation, title } of products) {
    searches
      .command(word)
      .summary(title)
      .description(`Read the details of ${title}. The price of a call is not documented.`)
      .argument('[searchId...]', 'search ids: integers')
      .addOption(inputOption())
      .addOption(inputFormatOption())
      .addOption(encodingOption())
      .addOption(columnOption())
      .action((ids, flags) =>
        launch(`searches ${word}`, async (context) => {
          const [contract, { runLookup }] = await Promise.all([import('../contract/searches.ts'), import('../run/lookup.ts')]);
          const request = (searchId: string) => ({ path: { searchId } });
          await runLookup(context, { endpoint: contract[operation], identifierColumns: ['search_id', 'id'], request }, ids, flags);
        }),
      );
  }
}
