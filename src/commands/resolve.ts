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
        const [{ identifierKinds, resolvePeople }, { classify }, { resolve }, { runJob }] = await Promise.all([
          import('../contract/resolve.ts'),
          import('../input/identifier.ts'),
          import('../jobs/resolve.ts'),
          import('../run/job.ts'),
        ]);
        const ask = (text: string) => classify(text, flags.as);
        const job = {
          endpoint: resolvePeople,
          candidates: identifierKinds,
          ask,
          requests: (questions: readonly Exclude<ReturnType<typeof ask>, { invalid: string }>[]) =>
            questions.length === 0 ? [] : [{ path: {}, body: { to_resolve: questions.map(({ identifier }) => identifier) } }],
          batched: true,
          emptyIsFine: true,
        };
        await runJob(
          context,
          {
            ...job,
            rows: async function* ({ input, ...parts }) {
              const client = await context.client();
              yield* resolve({ client, batches: input.batches, classify: ask, ...parts });
            },
          },
          identifiers,
          flags,
        );
      }),
    );
}
