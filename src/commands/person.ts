/** `pdi person`: full profiles, one charged call an id. */
import { columnOption, encodingOption, inputFormatOption, inputOption } from '../cli/input-options.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addPerson(program: Program, launch: Launch): void {
  program
    .command('person')
    .summary('full profiles by person id (charged, 1 a call)')
    .description('Read full person profiles. Charged: one call a distinct id.')
    .argument('[personId...]', 'person ids, such as `pdi resolve` gives')
    .addOption(inputOption())
    .addOption(inputFormatOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .action((ids, flags) =>
      launch('person', async (context) => {
        const [{ getPerson }, { runLookup }] = await Promise.all([import('../contract/person.ts'), import('../run/lookup.ts')]);
        const request = (personId: string) => ({ path: { personId } });
        await runLookup(context, { endpoint: getPerson, identifierColumns: ['person_id', 'matches.0.person_id'], request }, ids, flags);
      }),
    );
}
