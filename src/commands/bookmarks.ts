/** `pdi bookmarks` is about what `feed --since-last` goes on from. */
import { type Command, command } from '../cli/command.ts';
import { dayAt } from '../cli/options.ts';

const bookmarks = command({
  words: 'bookmarks',
  summary: 'bookmarks of feed --since-last: how far each has come',
  brief: 'bookmarks of feed --since-last',
  description:
    'Show the bookmarks of `feed --since-last NAME`: the newest day of a delivered signal, the days that a run left unread when it ended early, how many bought signals wait for the next run (a --deliver program did not take them, or they could not be written), and the feed each belongs to. With --sandbox, those of the sandbox. No call is made.',
  examples: [
    ['pdi bookmarks', 'how far each has come'],
    ['pdi bookmarks -o json', 'with its size and the file of the book, for a script'],
  ],
  exits: ['not_found'],
  takes: (parser) => parser,
  run: async (choices, tools) => (await import('../road/bookmarks.ts')).showBookmarks(choices.show(), tools),
});

const reset = command({
  words: 'bookmarks reset',
  summary: 'let the next run of a bookmark deliver again, from a day on',
  description:
    'Set a bookmark back to a day: the next run with it asks for all signals dated that day or later, pays for their pages, and delivers them again. What waits goes on waiting, and is not bought again. Without --to the bookmark is forgotten, with what waits, and the next run begins a new one. No call is made.',
  examples: [
    ['pdi bookmarks reset daily --to 2026-06-01', 'deliver June again'],
    ['pdi bookmarks reset daily', 'begin anew'],
  ],
  changes: true,
  takes: (parser) =>
    parser
      .argument('<name>', 'its name; that of --since-last without a name is default')
      .option('--to <day>', 'first day to deliver again: YYYY-MM-DD, today, yesterday, 7d, 2026-06', dayAt('first')),
  run: async (_choices, tools, name, { to }) => (await import('../road/bookmarks.ts')).resetBookmark(tools, name, to),
});

export const bookmarkCommands: readonly Command[] = [bookmarks, reset];
