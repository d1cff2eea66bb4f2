/** `pdi investors` finds investors by name or website. */
import { command } from '../cli/command.ts';
import { refuseWithoutFile, sourceOf, withInputOptions } from '../cli/options.ts';
import { UsageError } from '../errors.ts';

export const investors = command({
  words: 'investors',
  summary: 'investor records by name or website',
  brief: 'investors by name or website',
  description:
    'Look up investors. The price of a call is not documented. With --input, each row is asked by its website or name; tables show the first match of a row and their number in pdi_matches, json shows all.',
  examples: [
    ['pdi investors --name "Sample Harbor Ventures 1"', 'by name, whatever its case'],
    ['pdi investors --website investor-1.example -o json', 'by website'],
    ['pdi investors -i firms.csv -o csv --out investors.csv', 'a CSV with a website or name column'],
  ],
  takes: (parser) =>
    withInputOptions(
      parser
        .option('--name <name>', 'investor name; case and surrounding space do not matter')
        .option('--website <website>', 'website or domain of the investor'),
    ),
  run: async (choices, tools, { name, website, ...flags }) => {
    if ([name, website, flags.input].filter((one) => one !== undefined).length !== 1) {
      const hint = 'what the service does with both or neither is not documented';
      throw new UsageError('give one of --name, --website and --input', { hint });
    }
    const { findEach, findOne } = await import('../road/investors.ts');
    const plan = choices.jobPlan();
    if (flags.input !== undefined) return findEach(plan, tools, sourceOf([], flags, tools.io));
    refuseWithoutFile(flags, ['--input']);
    await findOne(plan, tools, { name, website });
  },
});
