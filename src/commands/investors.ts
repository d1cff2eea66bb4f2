/** `pdi investors`: records of investors by name or website. */

import { columnOption, encodingOption, inputFormatOption, inputOption, refuseWithoutFile } from '../cli/input-options.ts';
import { UsageError } from '../errors.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addInvestors(program: Program, launch: Launch): void {
  program
    .command('investors')
    .summary('investor records by name or website')
    .description(
      'Look up investors. The price of a call is not documented. With --input, each row is asked by its website or name; tables show the first match of a row and their number in pdi_matches, json shows all.',
    )
    .option('--name <name>', 'investor name; case and surrounding space do not matter')
    .option('--website <website>', 'website or domain of the investor')
    .addOption(inputOption())
    .addOption(inputFormatOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .action((flags) =>
      launch('investors', async (context) => {
        const { name, website, input } = flags;
        if ([name, website, input].filter((given) => given !== undefined).length !== 1) {
          throw new UsageError('give one of --name, --website and --input', {
            hint: 'what the service does with both or neither is not documented',
          });
        }
        const { findInvestors } = await import('../contract/investors.ts');
        if (input === undefined) {
          refuseWithoutFile(flags, ['--input']);
          const { call } = await import('../run/call.ts');
          const query = { ...(name !== undefined && { name }), ...(website !== undefined && { website }) };
          return call(context, { endpoint: findInvestors, request: { path: {}, query }, item: { freeText: name ?? website ?? '' } });
        }
        const [{ lookupJob }, { runJob }] = await Promise.all([import('../jobs/lookup.ts'), import('../run/job.ts')]);
        const ask = (text: string, row: { readonly field?: string }) => {
          const field = row.field?.toLowerCase();
          const asked = field === 'website' || (field !== 'name' && looksLikeWebsite(text)) ? 'website' : 'name';
          return { key: `${asked}:${text}`, request: { path: {}, query: { [asked]: text } }, item: { freeText: text } };
        };
        await runJob(context, lookupJob({ endpoint: findInvestors, identifierColumns: ['website', 'name'], ask }), [], flags);
      }),
    );
}

/** A line of a file, or a column of another name: a name has spaces or no dot. */
const looksLikeWebsite = (text: string): boolean => /^(https?:\/\/)?[^\s/]+\.[^\s/.]{2,}(\/\S*)?$/i.test(text);
