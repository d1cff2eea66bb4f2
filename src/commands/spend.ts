/** `pdi spend` shows what was billed, from the book. It makes no call. */
import { Option } from '@commander-js/extra-typings';
import { command } from '../cli/command.ts';
import { dayAt, sameDay, wordsOf } from '../cli/options.ts';

const keys = ['day', 'month', 'command', 'profile'] as const;

export const spend = command({
  words: 'spend',
  summary: 'calls billed so far, from the book',
  brief: 'what was billed',
  description:
    'Count the calls in the book: billed; lost (the answer was, so it may have been billed); settled (lost, then sent again and answered); unpriced (the API document states no price: other operations, and a 404); not billed. --profile counts the calls of that profile alone, --sandbox those of the sandbox, which are not counted otherwise. Where a budget is set, a notice says what is used and left. Days and months are UTC. A table ends with a total. No call is made.',
  examples: [
    ['pdi spend', 'by day'],
    ['pdi spend --since 2026-06-01 --until 2026-06-30 --by command -o json', 'one month by command, for a script'],
    ['pdi spend --by month,profile', 'by month and profile'],
  ],
  exits: ['not_found'],
  takes: (parser) =>
    parser
      .option('--since <day>', 'first day: YYYY-MM-DD, today, yesterday, 7d, 2026-06', dayAt('first'))
      .option('--until <day>', 'last day, in the same forms', dayAt('last'))
      .option('--after <day>', 'the same as --since', dayAt('first'))
      .option('--before <day>', 'the same as --until', dayAt('last'))
      .addOption(
        new Option('--by <keys>', 'what to count by; several with commas: month,command')
          .choices(keys)
          .argParser(wordsOf(keys))
          .default<readonly (typeof keys)[number][]>(['day'], 'day'),
      ),
  run: async (choices, tools, { after, before, by, ...days }) => {
    const { runSpend } = await import('../road/spend.ts');
    const { value: name, source } = choices.selectedProfile();
    const profile = source === 'flag' ? name : undefined;
    const since = sameDay('--since', days.since, '--after', after);
    const until = sameDay('--until', days.until, '--before', before);
    const question = { since, until, by, profile, sandbox: choices.sandboxed() };
    await runSpend(choices.show(), tools, question, choices.limits(), () => choices.refuseUnknownProfile());
  },
});
