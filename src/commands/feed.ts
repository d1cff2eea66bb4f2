/** `pdi feed` reads dated investor-interest signals. Each non-empty page is charged. */
import { command } from '../cli/command.ts';
import { dayAt, sameDay, wantedPages, wholeNumberReader, withPageOptions } from '../cli/options.ts';
import { programWords, refuseShellWords } from '../files/child-process.ts';

export const feed = command({
  words: 'feed',
  summary: 'investor-interest signals, newest first (charged, 1 a non-empty page)',
  brief: 'investor-interest signals (charged)',
  description: 'Read investor-interest signals, newest first: one page, or all with --all. Charged: one call a non-empty page.',
  examples: [
    ['pdi feed --after 2026-06-01 --before 2026-06-30 --limit 10', 'the newest signals of June'],
    ['pdi feed --since-last daily -o ndjson', 'what is new since the last run, each signal once'],
    ['pdi feed --search 101 --all --max-pages 5 -o csv --bom --out signals.csv', 'a saved search, for a spreadsheet'],
    ["pdi feed -o json | jq '.[] | select(.signal_score >= 8) | .signal_summary'", 'strong signals'],
  ],
  takes: (parser) =>
    withPageOptions(
      parser
        .option(
          '--after <day>',
          'first day, inclusive: YYYY-MM-DD, today, yesterday, 7d, 2026-06; of a bookmark: where it begins, and nothing once it has delivered',
          dayAt('first'),
        )
        .option('--before <day>', 'last day, inclusive, in the same forms', dayAt('last'))
        .option('--since <day>', 'the same as --after', dayAt('first'))
        .option('--until <day>', 'the same as --before', dayAt('last'))
        .option('--search <id>', 'signals that match a saved search')
        .option('--list <id>', 'signals for the members of a list')
        .option('--sort <order>', 'order of results; its values are not documented, the sandbox lists its own'),
      { description: 'signals a page, 1 to 50 (default 50)', most: 50 },
    )
      .option(
        '--since-last [name]',
        'all pages, and only signals that no earlier run with this bookmark delivered; a new one begins a week ago',
      )
      .option(
        '--look-back <days>',
        'with --since-last: days before the newest signal that are read again for late ones (default 7)',
        wholeNumberReader({ most: 36_500, expected: 'a number of days from 0' }),
      )
      .option(
        '--deliver <command>',
        'with --since-last: a program and its arguments, without a shell, which gets the rows on its stdin; the bookmark moves if it exits 0 and has read all. Without a new signal it is not run',
        (text) => {
          const words = programWords(text, 'it');
          refuseShellWords(text, '--deliver');
          return words;
        },
      ),
  run: async (choices, tools, { since, until, all, ...asked }) => {
    const { runFeed } = await import('../road/feed.ts');
    const after = sameDay('--after', asked.after, '--since', since);
    const before = sameDay('--before', asked.before, '--until', until);
    const wanted = wantedPages(asked, all === true || asked.sinceLast !== undefined);
    await runFeed(choices.plan(asked.deliver), tools, { ...asked, after, before, wanted });
  },
});
