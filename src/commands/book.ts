/** `pdi spend`, `pdi store`, `pdi book` and `pdi bookmarks` are about what the book remembers: calls, bought answers, and how far a feed was read. */
import { Argument, Option } from '@commander-js/extra-typings';
import { type Command, command, stops } from '../cli/command.ts';
import {
  dayAt,
  decimal,
  parseAge,
  refuseWithoutFile,
  sameDay,
  withTableOptions,
  wordsOf,
} from '../cli/options.ts';
import { UsageError } from '../errors.ts';

const keys = ['day', 'month', 'command', 'profile', 'user', 'host', 'file', 'at'] as const;
const perCall = ['at', 'command', 'user', 'host', 'file'] as const;

const spend = command({
  words: 'spend',
  summary: 'calls billed so far, from the book',
  brief: 'what was billed',
  description:
    "Count the calls in the book: billed; lost (answer lost, may have been billed); settled (lost, and answered later); unpriced (the API document states no price: other operations, and a 404); not billed. --profile counts the calls of that profile alone, --sandbox those of the sandbox, which are not counted otherwise. Where a budget is set, a notice says what is used and left. --id shows each call that asked about one id, when, and by whom. --price adds money: of what was billed, and with what may have been. user and host made the calls; file is FILE of --out, or --tag. Days and months are UTC. A table ends with a total. --against FILE compares the calls of this base URL and account with the service's own log of calls: what differs is shown (item, at, command, book, log, becomes), and exits 8. Where the log is whole, it settles lost calls (`pdi help money`). No call is made.",
  examples: [
    ['pdi spend --since 2026-06 --until 2026-06 --by command -o json', 'one month, for a script'],
    ['pdi spend --by file --price 0.12', 'what each file cost, at 0.12 a call'],
    ['pdi spend --id per_sample1', 'what was asked about one person, when, and by whom'],
    [
      'pdi spend --against calls.csv --since 2026-06-01 --until 2026-06-30',
      "the book and the service's log of one month",
    ],
  ],
  fields: [
    ...keys,
    'billed',
    'lost',
    'settled',
    'unpriced',
    'not_billed',
    'money',
    'money_at_most',
  ],
  exits: ['auth', 'not_found', 'partial', ...stops],
  takes: (parser) =>
    withTableOptions(
      parser
        .option(
          '--since <day>',
          'first day: YYYY-MM-DD, today, yesterday, 7d, 2026-06',
          dayAt('first'),
        )
        .option('--until <day>', 'last day, in the same forms', dayAt('last'))
        .option('--after <day>', 'the same as --since', dayAt('first'))
        .option('--before <day>', 'the same as --until', dayAt('last'))
        .addOption(
          new Option(
            '--by <keys>',
            'what to count by; several with commas: month,command; at, the time of a call, goes with --id',
          )
            .choices(keys)
            .argParser<readonly (typeof keys)[number][]>(wordsOf(keys))
            .default(undefined, 'day'),
        )
        .option(
          '--id <id>',
          'only the calls about one id, or one name or website of an investor: each with its time',
        )
        .option('--price <number>', 'price of a call, in your currency: adds money', decimal({}))
        .option(
          '--against <file>',
          "the service's own log of calls, to compare the book with: csv, json, ndjson or xlsx, - for stdin",
        )
        .option(
          '--day-column <name>',
          'with --against: column or field of the day or time of a call',
        ),
    ),
  run: async (choices, tools, flags) => {
    const { value: name, source } = choices.selectedProfile();
    const profile = source === 'flag' ? name : undefined;
    const { id, by, price, against: path } = flags;
    const since = sameDay('--since', flags.since, '--after', flags.after);
    const until = sameDay('--until', flags.until, '--before', flags.before);
    if (since !== undefined && until !== undefined && until < since)
      throw new UsageError(`--until ${until} is before --since ${since}`, { item: '--until' });
    if (path !== undefined) {
      const counts = { '--by': by, '--id': id, '--price': price };
      const [flag] = Object.entries(counts).find(([, value]) => value !== undefined) ?? [];
      if (flag !== undefined)
        throw new UsageError(`${flag} and --against exclude each other`, { item: flag });
      choices.refuseUnknownProfile();
      const { runAgainst } = await import('../road/against.ts');
      return runAgainst(choices.show(), tools, {
        ...flags,
        path,
        since,
        until,
        isDry: choices.isDry,
      });
    }
    refuseWithoutFile({ ...flags, column: flags.column ?? flags.dayColumn }, ['--against']);
    if (id === undefined && by?.includes('at'))
      throw new UsageError('--by at goes with --id', { item: '--by', hint: 'count by day' });
    const asked = by ?? (id === undefined ? (['day'] as const) : perCall);
    const question = { since, until, by: asked, id, profile, sandbox: choices.sandboxed() };
    const { runSpend } = await import('../road/spend.ts');
    await runSpend(
      choices.show(),
      tools,
      question,
      choices.limits(),
      choices.refuseUnknownProfile,
      price,
    );
  },
});

const store = command({
  words: 'store',
  summary: 'bought answers that are kept: how many, where, how large',
  brief: 'bought answers that are kept',
  description:
    'Show the answers that were bought and are kept, so that no run, format, file or shard buys them again: by operation, base URL and account (empty: the key), with their number and bytes. What is past its age (--max-age) is not listed, and goes at the end of any run that may buy. No call is made.',
  examples: [
    ['pdi store', 'what is kept'],
    ['pdi store -o json', 'with the file of the book, for a script'],
  ],
  fields: ['operation', 'base_url', 'account', 'answers', 'bytes', 'oldest', 'latest', 'book'],
  exits: ['not_found'],
  takes: (parser) => parser,
  run: async (choices, tools) =>
    (await import('../road/store.ts')).showStore(choices.show(), tools),
});

const kinds = {
  person: 'getPerson',
  revenue: 'getCompanyLatestRevenue',
  investors: 'findInvestors',
} as const;

const exportKept = command({
  words: 'store export',
  summary: 'write the bought answers that are kept, in any format',
  description:
    'Write the answers of one command that are kept, of the base URL and key (or account) in use: with --fields, --where, --explode and --out, in any format; ndjson has them as the service sent them. A 404 is no record. --all-versions writes every answer that keep-versions keeps, past its age too: those of one question together, the oldest first, each with its pdi_fetched_at, in json and ndjson too. With --sandbox, those of the sandbox. No call is made.',
  examples: [
    ['pdi store export person --out people.xlsx', 'every profile that need not be bought again'],
    ['pdi store export revenue -o ndjson', 'figures as the service sent them'],
    ['pdi store export revenue --all-versions -o csv', 'how figures moved'],
  ],
  exits: ['not_found', ...stops],
  takes: (parser) =>
    parser
      .addArgument(
        new Argument('<command>', 'the command that bought them').choices([
          'person',
          'revenue',
          'investors',
        ] as const),
      )
      .option('--all-versions', 'also the earlier answers to the same question (keep-versions)'),
  run: async (choices, tools, kind, { allVersions }) => {
    const [{ operations }, { exportAnswers }] = await Promise.all([
      import('../contract/operations.ts'),
      import('../road/store.ts'),
    ]);
    await exportAnswers(choices.show(), tools, operations[kinds[kind]], allVersions);
  },
});

const forget = command({
  words: 'store forget',
  summary: 'forget the kept answers about some ids, at once',
  description:
    'Forget kept answers about people, companies or investors (by the name or website that was asked): no run takes them any more. Signals about them that wait for the next run of a bookmark go too. Their bytes are deleted at once, and a hash stands for the id in the calls from then on. --in FILE names the files that still hold the id, which stay as they are, and takes its rows out of FILE.journal. What is no id, and has no answer, is refused. No call is made.',
  examples: [
    ['pdi store forget per_sample1', 'one person'],
    ['pdi store forget per_sample1 company-1', 'a person and a company'],
    [
      'pdi store forget per_sample1 --in people.csv leads.csv',
      'also out of the journals of these files',
    ],
  ],
  fields: ['id', 'forgotten', 'in_files', 'journal_rows'],
  changes: true,
  takes: (parser) =>
    parser
      .argument('<id...>', 'ids that were asked about')
      .option(
        '--in <file...>',
        'files to look into: those that still hold an id are named; FILE.journal loses its rows',
      ),
  run: async (choices, tools, ids, flags) =>
    (await import('../road/store.ts')).forgetIds(choices.show(), tools, ids, flags.in),
});

const purge = command({
  words: 'store purge',
  summary: 'delete kept answers from the disk',
  description:
    'Delete kept answers, earlier ones too: what is needed again is bought again. --all also forgets which calls may have been billed without an answer. A terminal asks; elsewhere --yes is needed. No call is made.',
  examples: [
    ['pdi store purge --older-than 30d --yes', 'what was bought more than 30 days ago'],
    ['pdi store purge --all', 'everything, after a question'],
  ],
  fields: ['deleted', 'kept'],
  changes: true,
  exits: stops,
  takes: (parser) =>
    parser
      .option(
        '--older-than <age>',
        'answers that were bought longer ago, such as 30d or 12h',
        parseAge,
      )
      .option('--all', 'all answers')
      .option('--yes', 'do not ask'),
  run: async (choices, tools, flags) =>
    (await import('../road/store.ts')).purgeStore(choices.show(), tools, flags),
});

const book = command({
  words: 'book',
  summary: 'the book of what was bought: which it is, and who is using it',
  brief: 'the book, and its backup',
  description:
    'Show the book that remembers calls, bought answers and bookmarks: its file, its version, its size, and the runs that are using it. No call is made.',
  examples: [
    ['pdi book', 'which book it is'],
    ['pdi book -o json', 'with the runs at work, for a script'],
  ],
  fields: ['book', 'version', 'bytes', 'at_work'],
  exits: ['not_found'],
  takes: (parser) => parser,
  run: async (choices, tools) =>
    (await import('../road/backup.ts')).showBook(choices.show(), tools),
});

const backup = command({
  words: 'book backup',
  summary: 'copy the book into a file, while runs go on',
  description:
    'Copy the book into FILE, private (0600), as it is at one moment: runs may go on. To restore it, end all runs, move book.db away with book.db-wal and book.db-shm beside it, and copy FILE into its place. An existing FILE needs --force. No call is made.',
  examples: [
    ['pdi book backup book-of-today.db', 'before anything happens to the disk'],
    ['pdi book backup backup.db --force', 'the same file, every night'],
  ],
  fields: ['backup', 'bytes', 'book'],
  changes: true,
  takes: (parser) => parser.argument('<file>', 'where the copy goes'),
  run: async (choices, tools, file) =>
    (await import('../road/backup.ts')).backUpBook(choices.show(), tools, file),
});

const move = command({
  words: 'book move',
  summary: 'copy one book into another: a file, or PostgreSQL',
  description:
    'Copy the book in use into the one that is named, or, where two are named, the first into the second: calls, bought answers (earlier ones too), bookmarks with what waits, finished jobs. Each is a file or postgres://USER@HOST/DATABASE (pdi help team). The other book may be new, or hold calls already: of two answers to one question the newer stays. Refused, with nothing changed: a book that was moved there already, one that a run is using, and a bookmark that both have. The first book is left as it is, and stays in use until `pdi config set book` names the other. No call is made.',
  examples: [
    ['pdi book move team.db', 'the book in use into another file'],
    [
      'pdi book move postgres://db.example.com/pdi',
      "the book in use into a team's, where others may have brought theirs",
    ],
    ['pdi book move postgres://db.example.com/pdi mine.db', 'back into a file'],
  ],
  fields: ['from', 'to', 'calls', 'answers', 'bookmarks'],
  changes: true,
  exits: ['auth', 'unavailable', ...stops],
  takes: (parser) =>
    parser
      .argument('<book>', 'where it goes; with a second one, what is copied')
      .argument('[to]', 'where it goes'),
  run: async (choices, tools, first, second) =>
    (await import('../road/move-book.ts')).moveBetween(choices.show(), tools, first, second),
});

const bookmarks = command({
  words: 'bookmarks',
  summary: 'bookmarks of feed --since-last: how far each has come',
  brief: 'bookmarks of feed --since-last',
  description:
    'Show the bookmarks of `feed --since-last NAME`: the newest day of a delivered signal, the days that a run left unread when it ended early, those that are still to be counted once they are a week old, how many bought signals wait for the next run (a --deliver program did not take them, or they could not be written), and the feed each belongs to. With --sandbox, those of the sandbox. No call is made.',
  examples: [
    ['pdi bookmarks', 'how far each has come'],
    ['pdi bookmarks -o json', 'with its size and the file of the book, for a script'],
  ],
  fields: [
    'name',
    'newest',
    'unread',
    'to_count',
    'waiting',
    'saved_at',
    'base_url',
    'search',
    'list',
    'sort',
    'signals',
    'bytes',
    'book',
  ],
  exits: ['not_found'],
  takes: (parser) => parser,
  run: async (choices, tools) =>
    (await import('../road/bookmarks.ts')).showBookmarks(choices.show(), tools),
});

const reset = command({
  words: 'bookmarks reset',
  summary: 'let the next run of a bookmark deliver again, from a day on',
  description:
    'Set a bookmark back to a day: the next run with it asks for all signals dated that day or later, pays for their pages, and delivers them again; days are counted as after any run. What waits goes on waiting, and is not bought again. Without --to the bookmark is forgotten, and the next run begins a new one; where bought signals wait, which would be lost, a terminal asks, and elsewhere --yes is needed. No call is made.',
  examples: [
    ['pdi bookmarks reset daily --to 7d', 'deliver the last week again'],
    ['pdi bookmarks reset daily', 'begin anew'],
  ],
  changes: true,
  takes: (parser) =>
    parser
      .argument('<name>', 'its name; that of --since-last without a name is default')
      .option(
        '--to <day>',
        'first day to deliver again: YYYY-MM-DD, today, yesterday, 7d, 2026-06',
        dayAt('first', parser),
      )
      .option('--yes', 'do not ask'),
  run: async (_choices, tools, name, flags) =>
    (await import('../road/bookmarks.ts')).resetBookmark(tools, name, flags),
});

export const bookCommands: readonly Command[] = [
  spend,
  store,
  exportKept,
  forget,
  purge,
  book,
  backup,
  move,
  bookmarks,
  reset,
];
