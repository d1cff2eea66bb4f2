/** Program, start page, prices, help, man page and completion come from these tables. Nothing heavy loads until a command runs. */
import { type Command, command, type Words } from '../cli/command.ts';
import { sourceOf, wantedPages, withInputOptions, withPageOptions } from '../cli/options.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { OperationName } from '../contract/operations.ts';
import { bookmarkCommands } from './bookmarks.ts';
import { config, configCommands } from './config.ts';
import { convertCommand } from './convert.ts';
import { feed } from './feed.ts';
import { health } from './health.ts';
import { investors } from './investors.ts';
import { listCommands, listKinds, lists } from './lists.ts';
import { mcpCommand } from './mcp.ts';
import { resolve } from './resolve.ts';
import { sandboxCommand } from './sandbox.ts';
import { spend } from './spend.ts';
import { storeCommands } from './store.ts';

interface LookupCommand extends Words, Pick<Command, 'examples'> {
  readonly identifierColumns: readonly string[];
  readonly argument: readonly [name: string, description: string];
  /** Loaded only when the command runs, because the contract takes longer to load than some commands run. */
  readonly endpoint: () => Promise<Endpoint>;
}

const lookupCommand = ({ argument, endpoint, identifierColumns, ...words }: LookupCommand): Command =>
  command({
    ...words,
    takes: (parser) => withInputOptions(parser.argument(`[${argument[0]}...]`, argument[1])),
    run: async (choices, tools, identifiers, flags) => {
      const [loaded, { runLookup }] = await Promise.all([endpoint(), import('../road/lookup.ts')]);
      const source = sourceOf(identifiers, flags, tools.io);
      await runLookup(choices.jobPlan(), tools, { endpoint: loaded, identifierColumns }, source);
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
  description: 'Read name, product and count of saved searches that are shared with the API or global; never the records.',
};

/** The commands by their operation, in the order of the help. The compiler reports an operation that has no command. */
export const operationCommands = {
  resolvePeople: resolve,
  getPerson: lookupCommand({
    words: 'person',
    summary: 'full profiles by person id (charged, 1 a call)',
    brief: 'full profiles (charged)',
    description: 'Read full person profiles. Charged: one call a distinct id.',
    argument: ['personId', 'person ids, such as `pdi resolve` gives'],
    identifierColumns: ['person_id', 'matches.0.person_id'],
    endpoint: async () => (await import('../contract/person.ts')).getPerson,
    examples: [
      ['pdi person per_sample1', 'one profile'],
      ['pdi person -i leads-ids.csv --dry-run', 'how many calls that would be billed'],
      ['pdi person -i leads-ids.csv -o csv --out people.csv --max-billable 500', 'a CSV round trip; run it again to resume'],
      ["pdi person per_sample1 -o json | jq '.experience[0].title'", 'one field of one profile'],
    ],
  }),
  readInvestorInterest: feed,
  getCompanyLatestRevenue: lookupCommand({
    words: 'revenue',
    summary: 'latest revenue figures by company id (charged, 1 a call)',
    brief: 'company revenue (charged)',
    description: "Read companies' latest revenue figures. Charged: one call a distinct id.",
    argument: ['companyId', 'company ids of the service'],
    identifierColumns: ['company_id', 'id'],
    endpoint: async () => (await import('../contract/revenue.ts')).getCompanyLatestRevenue,
    examples: [
      ['pdi revenue company-1', 'one company'],
      ['pdi revenue -i accounts.csv --column company_id -o csv --out revenue.csv', 'a CSV round trip'],
      ["pdi revenue company-1 -o json | jq '.est_revenue_usd'", 'one figure'],
    ],
  }),
  findInvestors: investors,
  ...listCommands,
  getFundingRoundsSearch: lookupCommand({
    ...bySearchId,
    words: 'searches funding-rounds',
    summary: 'saved funding-rounds searches',
    description: 'Read the details of saved funding-rounds searches. The price of a call is not documented.',
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
    description: 'Read the details of saved talent searches. The price of a call is not documented.',
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
    description: "Read the people in the team's network: one page, or all with --all. The price of a call is not documented.",
    examples: [
      ['pdi network --limit 20', 'the first twenty'],
      ['pdi network --all -o csv --out network.csv', 'all of them, for a spreadsheet'],
      [`pdi network --all --query "[?primary_role=='founder'].full_name"`, 'the founders, without jq'],
    ],
    takes: (parser) => withPageOptions(parser, { description: 'people a page (default 50)', expected: 'a whole number from 1' }),
    run: async (choices, tools, flags) => {
      const [{ listNetworkPeople }, { runPages }] = await Promise.all([import('../contract/network.ts'), import('../road/pages.ts')]);
      const wanted = wantedPages(flags, flags.all);
      await runPages(choices.plan(), tools, { endpoint: listNetworkPeople, wanted, ask: (query) => ({ request: { path: {}, query } }) });
    },
  }),
  checkHealth: health,
} as const satisfies Record<OperationName, Command>;

/** Words that other words follow. A group comes before the groups inside it. */
export const groups: readonly Words[] = [lists, ...listKinds, searches, config];

/** Commands without an operation. The program adds `help` and `completion`, because they are about all the others. */
export const ownCommands: readonly Command[] = [
  ...configCommands,
  convertCommand(operationCommands),
  spend,
  ...storeCommands,
  ...bookmarkCommands,
  mcpCommand(operationCommands),
  sandboxCommand(Object.keys(operationCommands).length),
];
