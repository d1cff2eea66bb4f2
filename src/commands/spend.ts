/** `pdi spend` shows what was billed, from the spend ledger. It makes no call. */
import { Option } from '@commander-js/extra-typings';
import type { Command } from '../cli/command.ts';
import { dateFlag } from '../cli/flag-reader.ts';
import type { Context } from '../run/context.ts';

const keys = ['day', 'command', 'profile'] as const;

export const spend: Command<Context> = {
  words: 'spend',
  summary: 'calls billed so far, from the spend ledger of this machine',
  brief: 'what was billed',
  description:
    'Show the calls that were billed, may have been (unknown), or were not, from the ledger of this machine. Calls of the sandbox are among them, as those of the profile sandbox. Days are UTC. No call is made.',
  examples: [
    ['pdi spend', 'by day'],
    ['pdi spend --since 2026-06-01 --by command -o json', 'by command, from a day on'],
  ],
  exits: ['not_found'],
  define: (parser, launch) => {
    parser
      .option('--since <date>', 'first day, YYYY-MM-DD', dateFlag('--since'))
      .addOption(new Option('--by <key>', 'what to count by').choices(keys).default('day' as const))
      .action((question) =>
        launch(async (context) => {
          const { runSpend } = await import('../run/spend.ts');
          await runSpend(context, question);
        }),
      );
  },
};
