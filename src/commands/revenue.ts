/** `pdi revenue`: a company's latest revenue figures, one charged call an id. */
import { columnOption, encodingOption, inputFormatOption, inputOption } from '../cli/input-options.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addRevenue(program: Program, launch: Launch): void {
  program
    .command('revenue')
    .summary('latest revenue figures by company id (charged, 1 a call)')
    .description("Read companies' latest revenue figures. Charged: one call a distinct id.")
    .argument('[companyId...]', 'company ids of the service')
    .addOption(inputOption())
    .addOption(inputFormatOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .action((ids, flags) =>
      launch('revenue', async (context) => {
        const [{ getCompanyLatestRevenue }, { runLookup }] = await Promise.all([
          import('../contract/revenue.ts'),
          import('../run/lookup.ts'),
        ]);
        const request = (companyId: string) => ({ path: { companyId } });
        await runLookup(context, { endpoint: getCompanyLatestRevenue, identifierColumns: ['company_id', 'id'], request }, ids, flags);
      }),
    );
}
