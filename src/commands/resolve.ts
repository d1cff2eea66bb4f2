/** `pdi resolve`: identifiers of the professional network to person ids, 50 a request, free. */
import { Option } from '@commander-js/extra-typings';
import { columnOption, encodingOption, inputFormatOption, inputOption } from '../cli/input-options.ts';
import type { Launch, Program } from '../run/launch.ts';

const kinds = ['url', 'id', 'num-id', 'urn'] as const;

export function addResolve(program: Program, launch: Launch): void {
  program
    .command('resolve')
    .summary('person ids for profile URLs, vanity ids, numeric ids or URNs (free)')
    .description('Resolve professional-network identifiers to person ids. Free; 50 identifiers a request.')
    .argument('[identifier...]', 'profile URL, vanity id, numeric id or URN; told apart by their shape')
    .addOption(inputOption())
    .addOption(inputFormatOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .addOption(new Option('--as <kind>', 'what every identifier is, whatever its shape').choices(kinds))
    .action((identifiers, flags) =>
      launch('resolve', async (context) => {
        const [{ classify }, { resolveJob }, { runJob }] = await Promise.all([
          import('../input/identifier.ts'),
          import('../jobs/resolve.ts'),
          import('../run/job.ts'),
        ]);
        const job = resolveJob((text) => classify(text, flags.as));
        await runJob(context, job, identifiers, flags);
      }),
    );
}
