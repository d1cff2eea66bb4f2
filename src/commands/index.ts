/** Program, start page, prices, help, man page and completion come from these tables. Nothing heavy loads until a command runs. */
import { Option } from '@commander-js/extra-typings';
import { type Command, command, type Words } from '../cli/command.ts';
import {
  dayAt,
  onlyOnce,
  refuseWithoutFile,
  sameDay,
  secondsAboveZero,
  sourceOf,
  todayFor,
  wantedPages,
  wholeNumberReader,
  withInputOptions,
  withPageOptions,
} from '../cli/options.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { OperationName } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { programWords, refuseShellWords } from '../files/child-process.ts';
import { apiCommand } from './api.ts';
import { bookCommands } from './book.ts';
import { config, configCommands } from './config.ts';
import { convertCommand, diffCommand } from './convert.ts';
import { listCommands, listKinds, lists } from './lists.ts';
import { mcpCommand, sandboxCommands } from './servers.ts';

const person = command({
  words: 'person',
  summary: 'full profiles by person id (charged, 1 a call)',
  brief: 'full profiles (charged)',
  description:
    'Read full person profiles. Charged: one call a distinct id. Of links and other identifiers --resolve finds the ids first, free.',
  examples: [
    ['pdi person per_sample1', 'one profile'],
    ['pdi person -i leads-ids.csv --dry-run', 'how many calls that would be billed'],
    [
      'pdi person -i leads-ids.csv -o csv --out people.csv --max-billable 500',
      'a CSV round trip; run it again to resume',
    ],
    [
      'pdi person -i leads.csv --column linkedin --resolve --out leads-people.csv',
      'from a column of links to profiles',
    ],
  ],
  takes: (parser) =>
    withInputOptions(
      parser.argument('[personId...]', 'person ids, such as `pdi resolve` gives'),
    ).option(
      '--resolve',
      'what is given are links, vanity ids, numeric ids or URNs: all are resolved first, free, and cap and budget count the profiles',
    ),
  run: async (choices, tools, identifiers, flags) => {
    const [{ getPerson }, { runLookup }] = await Promise.all([
      import('../contract/person.ts'),
      import('../road/lookup.ts'),
    ]);
    const kind = { endpoint: getPerson, identifierColumns: ['person_id', 'matches.0.person_id'] };
    await runLookup(choices.plan(), tools, kind, sourceOf(identifiers, flags, tools.io));
  },
});

interface LookupCommand extends Words, Pick<Command, 'examples'> {
  readonly identifierColumns: readonly string[];
  readonly argument: readonly [name: string, description: string];
  /** Loaded only when the command runs, because the contract takes longer to load than some commands run. */
  readonly endpoint: () => Promise<Endpoint>;
}

const lookupCommand = ({
  argument,
  endpoint,
  identifierColumns,
  ...words
}: LookupCommand): Command =>
  command({
    ...words,
    takes: (parser) => withInputOptions(parser.argument(`[${argument[0]}...]`, argument[1])),
    run: async (choices, tools, identifiers, flags) => {
      const [loaded, { runLookup }] = await Promise.all([endpoint(), import('../road/lookup.ts')]);
      const source = sourceOf(identifiers, flags, tools.io);
      await runLookup(choices.plan(), tools, { endpoint: loaded, identifierColumns }, source);
    },
  });

const bySearchId = {
  argument: ['searchId', 'search ids: integers'],
  identifierColumns: ['search_id', 'id'],
} as const;

const searches: Words = {
  words: 'searches',
  summary: 'details of saved searches by id',
  brief: 'saved searches',
  description:
    'Read name, product and count of saved searches that are shared with the API or global; never the records. Its id is in the address of a search in the web app.',
};

const resolve = command({
  words: 'resolve',
  summary: 'person ids for profile URLs, vanity ids, numeric ids or URNs (free)',
  brief: 'profile URLs and ids to person ids (free)',
  description:
    'Resolve professional-network identifiers to person ids. Free; 50 identifiers a request.',
  examples: [
    [
      'pdi resolve https://www.profnet.example/in/ada-sample-1',
      'one profile, as a card on a terminal',
    ],
    [
      'pdi resolve -i leads.csv --column linkedin -o csv --out leads-ids.csv',
      'a CSV back with person ids joined to its rows',
    ],
    [
      "pdi resolve -i urls.txt -o ndjson | jq -r '.matches[0].person_id // empty'",
      'the ids alone, of those that were found',
    ],
    ['pdi resolve -i urls.txt -o ndjson | pdi person -i - -o csv', 'straight on to full profiles'],
  ],
  takes: (parser) =>
    withInputOptions(
      parser.argument(
        '[identifier...]',
        'profile URL, vanity id, numeric id or URN; told apart by their shape',
      ),
    ).addOption(
      new Option('--as <kind>', 'what every identifier is, whatever its shape').choices([
        'url',
        'id',
        'num-id',
        'urn',
      ] as const),
    ),
  run: async (choices, tools, identifiers, flags) => {
    const { runResolve } = await import('../road/resolve.ts');
    await runResolve(choices.plan(), tools, sourceOf(identifiers, flags, tools.io));
  },
});

const feed = command({
  words: 'feed',
  summary:
    'investor-interest signals, newest first (charged, 1 a page; free where nothing is found)',
  brief: 'investor-interest signals (charged)',
  description:
    'Read investor-interest signals, newest first: one page, or all with --all. Charged: one call a page, free where nothing is found.',
  examples: [
    ['pdi feed --since 7d --limit 10', 'the newest signals of the last week'],
    ['pdi feed --since-last daily -o ndjson', 'what is new since the last run, each signal once'],
    [
      'pdi feed --search 101 --all --max-pages 5 -o csv --bom --out signals.csv',
      'a saved search, for a spreadsheet',
    ],
    [
      "pdi feed -o json | jq '.[] | select(.signal_score >= 8) | .signal_summary'",
      'strong signals',
    ],
  ],
  takes: (parser) =>
    withPageOptions(
      parser
        .option(
          '--after <day>',
          'first day, inclusive: YYYY-MM-DD, today, yesterday, 7d, 2026-06; of a bookmark: where it begins, and nothing once it has delivered',
          dayAt('first', parser),
        )
        .option('--before <day>', 'last day, inclusive, in the same forms', dayAt('last', parser))
        .option('--since <day>', 'the same as --after', dayAt('first', parser))
        .option('--until <day>', 'the same as --before', dayAt('last', parser))
        .option('--search <id>', 'signals that match a saved search', onlyOnce)
        .option('--list <id>', 'signals for the members of a list', onlyOnce)
        .option(
          '--sort <order>',
          'order of results; its values are not documented, the sandbox lists its own',
        ),
      { description: 'signals a page, 1 to 50 (default 50); each page is billed', most: 50 },
    )
      .option(
        '--since-last [name]',
        'all pages, and only signals that no earlier run with this bookmark delivered; a new one begins a week ago',
      )
      .option(
        '--look-back <days>',
        'with --since-last, for this run: a day is counted again after so many days, for late signals; free unless it has grown (default 7, 0: never)',
        wholeNumberReader({ most: 36_500 }),
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
  run: async (choices, tools, { since, until, all, ...asked }, parser) => {
    const { runFeed } = await import('../road/feed.ts');
    const after = sameDay('--after', asked.after, '--since', since);
    const before = sameDay('--before', asked.before, '--until', until);
    const wanted = wantedPages(asked, all === true || asked.sinceLast !== undefined);
    await runFeed(choices.plan(asked.deliver), tools, {
      ...asked,
      after,
      before,
      pages: wanted,
      today: todayFor(parser),
    });
  },
});

const investors = command({
  words: 'investors',
  summary: 'investor records by name or website',
  brief: 'investors by name or website',
  description:
    'Look up an investor by the whole name, or --website. The price of a call is not documented. With --input, each row is asked by its website or name; tables show the first match of a row and their number in pdi_matches, json shows all.',
  examples: [
    ['pdi investors "Sample Harbor Ventures 1"', 'by the whole name, whatever its case'],
    ['pdi investors --website investor-1.example -o json', 'by website'],
    [
      'pdi investors -i firms.csv -o csv --out investors.csv',
      'a CSV with a website or name column',
    ],
  ],
  takes: (parser) =>
    withInputOptions(
      parser
        .argument('[name...]', 'the whole name of one investor, in quotes, or its website')
        .option(
          '--name <name>',
          'the whole name; case and surrounding space do not matter',
          onlyOnce,
        )
        .option('--website <website>', 'website or domain of the investor', onlyOnce),
    ),
  run: async (choices, tools, words, { name, website, ...flags }) => {
    const { findEach, findOne, investorNamed } = await import('../road/lookup.ts');
    if ([name ?? words[0], website, flags.input].filter((one) => one !== undefined).length !== 1) {
      const hint =
        'what the service does with both or neither is not documented; see `pdi investors --help`';
      throw new UsageError('give one of --name, --website and --input', { hint });
    }
    const plan = choices.plan();
    if (flags.input !== undefined) return findEach(plan, tools, sourceOf([], flags, tools.io));
    refuseWithoutFile(flags, ['--input']);
    await findOne(plan, tools, words.length === 0 ? { name, website } : investorNamed(words, name));
  },
});

const health = command({
  words: 'health',
  summary: 'service health: 0 only for OK, else 5 (free, no key)',
  brief: 'is the service up?',
  description:
    'Check the health of the service and its two stores. Free; needs no key and sends none. Exits 0 for OK only. With --quiet there is no report: nothing is printed while the service is OK, one line on stderr otherwise.',
  examples: [
    ['pdi health', 'the report'],
    ['pdi health --wait 60 -o json', 'wait until the service is up, a minute at most'],
    [
      'pdi health --quiet -o table || echo down',
      'in a script or from cron: no report, one line on stderr where it is down',
    ],
  ],
  takes: (parser) =>
    parser.option(
      '--wait <seconds>',
      'poll until the service is OK, at most this long',
      secondsAboveZero,
    ),
  run: async (choices, tools, { wait }) => {
    if (choices.isDry) {
      const [{ checkHealth }, { call }] = await Promise.all([
        import('../contract/health.ts'),
        import('../road/run-calls.ts'),
      ]);
      return call(choices.plan(), tools, { endpoint: checkHealth, request: { path: {} } });
    }
    const { runHealth } = await import('../road/health.ts');
    await runHealth({ show: choices.show(), calls: choices.calls() }, tools, wait);
  },
});

/** The commands by their operation, in the order of the help. The compiler reports an operation that has no command. */
export const operationCommands = {
  resolvePeople: resolve,
  getPerson: person,
  readInvestorInterest: feed,
  getCompanyLatestRevenue: lookupCommand({
    words: 'revenue',
    summary: 'latest revenue figures by company id (charged, 1 a call)',
    brief: 'company revenue (charged)',
    description:
      "Read companies' latest revenue figures. Charged: one call a distinct id. A company id is the entity_id of feed, or a company_id of person, investors or network. Of a file of `pdi person`, -i takes the company of the current position.",
    argument: ['companyId', 'company ids of the service'],
    identifierColumns: ['company_id', 'experience.current.company_id', 'id'],
    endpoint: async () => (await import('../contract/revenue.ts')).getCompanyLatestRevenue,
    examples: [
      ['pdi revenue company-1', 'one company'],
      [
        'pdi revenue -i accounts.csv --column company_id -o csv --out revenue.csv',
        'a CSV round trip',
      ],
      [
        'pdi revenue -i people.csv --out companies.csv',
        'the current companies of what `pdi person` wrote',
      ],
      ["pdi revenue company-1 -o json | jq '.est_revenue_usd'", 'one figure'],
    ],
  }),
  findInvestors: investors,
  ...listCommands,
  getFundingRoundsSearch: lookupCommand({
    ...bySearchId,
    words: 'searches funding-rounds',
    summary: 'saved funding-rounds searches',
    description:
      'Read the details of saved funding-rounds searches, whose ids are in their addresses in the web app. The price of a call is not documented.',
    endpoint: async () => (await import('../contract/searches.ts')).getFundingRoundsSearch,
    examples: [
      ['pdi searches funding-rounds 103', 'name and count of one saved search'],
      ['pdi searches funding-rounds 103 104 -o csv', 'several, as CSV'],
    ],
  }),
  getTalentSearch: lookupCommand({
    ...bySearchId,
    words: 'searches talent',
    summary: 'saved talent searches',
    description:
      'Read the details of saved talent searches, whose ids are in their addresses in the web app. The price of a call is not documented.',
    endpoint: async () => (await import('../contract/searches.ts')).getTalentSearch,
    examples: [
      ['pdi searches talent 101', 'name and count of one saved search'],
      ["pdi searches talent 101 -o json | jq '.full_count'", 'how many records it has'],
    ],
  }),
  listNetworkPeople: command({
    words: 'network',
    summary: "people in the team's professional network",
    brief: "the team's network",
    description:
      "Read the people in the team's network: one page, or all with --all. The price of a call is not documented.",
    examples: [
      ['pdi network --limit 20', 'the first twenty'],
      ['pdi network --all -o csv --out network.csv', 'all of them, for a spreadsheet'],
      [
        `pdi network --all --query "[?primary_role=='founder'].full_name"`,
        'the founders, without jq',
      ],
    ],
    takes: (parser) => withPageOptions(parser, { description: 'people a page (default 50)' }),
    run: async (choices, tools, flags) => {
      const [{ listNetworkPeople }, { runPages }] = await Promise.all([
        import('../contract/network.ts'),
        import('../road/run-calls.ts'),
      ]);
      const wanted = wantedPages(flags, flags.all);
      await runPages(choices.plan(), tools, {
        endpoint: listNetworkPeople,
        pages: wanted,
        ask: (query) => ({ path: {}, query: { ...query } }),
      });
    },
  }),
  checkHealth: health,
} as const satisfies Record<OperationName, Command>;

/** Words that other words follow. A group comes before the groups inside it. */
export const groups: readonly Words[] = [lists, ...listKinds, searches, config];

export const commands: readonly Command[] = [
  ...Object.values(operationCommands),
  ...configCommands,
  apiCommand(operationCommands),
  convertCommand(operationCommands),
  diffCommand(operationCommands),
  ...bookCommands,
  mcpCommand(operationCommands),
  ...sandboxCommands,
];
