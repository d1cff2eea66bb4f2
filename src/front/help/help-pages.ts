/** These texts are made from commands and contract while the program is built, so that help loads neither. */
import type { CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import type { Command, TopicPart } from '../../cli/command.ts';
import { groups, operationCommands } from '../../commands/index.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { operationNames, operations } from '../../contract/operations.ts';
import { mayCost } from '../../contract/price.ts';
import { exitTable } from '../../exit.ts';
import { allCommands } from '../commands.ts';
import { callsService, createProgram } from '../program.ts';
import { folded, type Topic, topicNames } from './topic.ts';

/** Every command can also end with 1 (a bug, a full disk), which only `pdi help exit-codes` tells. */
const always = ['ok', 'usage'] as const;

const endpoints: readonly (readonly [words: string, endpoint: Endpoint])[] = operationNames.map(
  (name) => [operationCommands[name].words, operations[name]],
);

/** What each command prints, and then what it prints only if it is named, by the command's words. A list is named by its members. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ...allCommands.map(({ words, fields = [] }) => [words, fields] as const),
  ...endpoints.map(([words, { columns, members, stored }]) => {
    const origins = stored === true ? ['pdi_source', 'pdi_fetched_at'] : [];
    return [words, [...(members?.columns ?? columns).map(({ name }) => name), ...origins]] as const;
  }),
]);

/** Help by the command's words. That of the program itself is under ''. */
export const helpPages: Readonly<Record<string, Topic>> = pages();

function pages(): Readonly<Record<string, Topic>> {
  const commandOf = (words: string) => allCommands.find((command) => command.words === words);
  const below = (parser: CommandUnknownOpts, words: string): readonly [string, Topic][] => [
    [words, pageOf(parser, commandOf(words))],
    ...parser.commands.flatMap((one) => below(one, `${words} ${one.name()}`.trim())),
  ];
  const program = createProgram(async () => {});
  return Object.fromEntries(below(program, ''));
}

/** Commands stand before the options, because whoever asks `pdi --help` looks for a command. */
function pageOf(parser: CommandUnknownOpts, command: Command | undefined): Topic {
  const help = parser.createHelp();
  const parts = [
    ...parser.description().split('\n\n'),
    ...table('Arguments:', help.visibleArguments(parser), (one) => [
      help.argumentTerm(one),
      help.argumentDescription(one),
    ]),
    ...table('Commands:', help.visibleCommands(parser), (one) => [
      help.subcommandTerm(one),
      help.subcommandDescription(one),
    ]),
    ...optionTables(parser, help),
    ...(command === undefined ? [] : manualOf(command, parser)),
  ];
  return { title: `Usage: ${help.commandUsage(parser)}`, parts };
}

function table<T>(
  heading: string,
  items: readonly T[],
  rowOf: (item: T) => readonly [string, string],
): readonly TopicPart[] {
  return items.length === 0 ? [] : [{ heading }, { rows: items.map(rowOf) }];
}

function optionTables(parser: CommandUnknownOpts, help: Help): readonly TopicPart[] {
  const groups = help.groupItems(
    [],
    help.visibleOptions(parser),
    ({ helpGroupHeading }) => helpGroupHeading ?? 'Options:',
  );
  return [...groups].flatMap(([heading, options]) =>
    table(heading, options, (one) => [help.optionTerm(one), help.optionDescription(one)]),
  );
}

function manualOf(command: Command, parser: CommandUnknownOpts): readonly TopicPart[] {
  const fields = fieldNames[command.words] ?? [];
  return [
    ...(command.remarks ?? []),
    ...(fields.length === 0 ? [] : [`Fields: ${fields.join(', ')}.`]),
    { heading: 'Examples:' },
    { examples: command.examples },
    `Exit codes: ${exitNames(command, parser)}; see \`pdi help exit-codes\`.`,
    'Options that every command takes: `pdi help output`, `money`, `jobs`, `environment` and `sandbox`.',
  ];
}

function exitNames(command: Command, parser: CommandUnknownOpts): string {
  const own = new Set<string>([...always, ...(command.exits ?? [])]);
  // Rows of an input file may fail one by one, and a list may be changed only in part.
  const mayBePartial = parser.options.some(({ long }) => long === '--input' || long === '--add');
  if (mayBePartial) own.add('partial');
  return Object.entries(exitTable)
    .filter(([code, { ofCalls }]) => own.has(code) || (ofCalls && callsService(command)))
    .map(([, { exit, name }]) => `${exit} ${name}`)
    .join(', ');
}

/** The start page shows what has a brief purpose: commands of one word, and groups in the place of their first command. */
const briefly = new Map(
  [...groups, ...allCommands].flatMap(({ words, brief }) =>
    brief === undefined ? [] : [[words, brief]],
  ),
);
const firstWords = new Set(allCommands.map(({ words }) => words.split(' ')[0] ?? ''));
const startLines = [...firstWords]
  .filter((word) => briefly.has(word))
  .map((word) => `  ${word.padEnd(12)}${briefly.get(word)}`);

const topicIndent = 17;
const topicLines = folded(topicNames.join(', '), 60 - topicIndent).join(
  `\n${' '.repeat(topicIndent)}`,
);

/** The page of `pdi` alone has 60 columns, because it is not folded. */
export const startPage = `pdi: people, companies, investors and dated signals
from the Professional Data Intelligence API

Try it without a key:   pdi --sandbox resolve ada-sample-1
Set it up:              pdi config init

${startLines.join('\n')}

pdi COMMAND --help   options, examples, cost and exit codes
pdi --help           every command and common option
pdi help TOPIC   ${topicLines}
`;

const pricedSo = (holds: (endpoint: Endpoint) => boolean): readonly string[] =>
  endpoints.flatMap(([words, endpoint]) => (holds(endpoint) ? [words] : []));
const free = pricedSo((endpoint) => !mayCost(endpoint)).join(', ');
const byCall = pricedSo(
  ({ billing, freeIfEmpty }) => billing === 'charged' && freeIfEmpty === undefined,
).join(' and ');
const byPage = pricedSo(({ freeIfEmpty }) => freeIfEmpty === true).join(' and ');

export const prices: readonly string[] = [
  `Free: ${free}.`,
  `Charged: ${byCall} (1 a call), ${byPage} (1 a page; free where nothing is found). The price of the others is not documented.`,
];
