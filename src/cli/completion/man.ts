/** Makes the manual page from the command tree, the examples and the help topics. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { wrap } from '../../output/width.ts';
import type { Command, CommandTree } from '../command.ts';
import { exitNames } from '../command-exits.ts';
import type { Topic, TopicPart } from '../help/topic.ts';
import { topics } from '../help/topics.ts';

export const manFile = 'pdi.1';

/** The day of the version, as CHANGELOG.md has it. */
export const releaseDay = '2026-11-25';

const files: readonly (readonly [path: string, purpose: string])[] = [
  ['$XDG_CONFIG_HOME/pdi/config.json', 'profiles and their settings, stored keys among them; readable by its owner alone'],
  ['$XDG_STATE_HOME/pdi/book.db', 'the book: calls, bought answers, and the bookmarks of feed --since-last'],
  ['FILE.journal', 'beside --out FILE: what a job has bought so far, until no row is left'],
];

export function manPage({ program, commands }: CommandTree): string {
  const purpose = program.description().replace(/\.$/, '');
  const lines = [
    // roff must not add hyphens or stretch blanks, because readers copy words from here.
    '.nr HY 0',
    `.TH PDI 1 "${releaseDay}" "pdi ${literal(program.version() ?? '')}" "User Commands"`,
    '.ad l',
    section('Name'),
    ...filled(`pdi - ${purpose.charAt(0).toLowerCase()}${purpose.slice(1)}`),
    section('Synopsis'),
    ...filled(program.createHelp().commandUsage(program)),
    section('Commands'),
    ...nodesOf(program, '').flatMap(({ parser, words }) => {
      const command = commands.find((command) => command.words === words);
      return command === undefined && parser.commands.length > 0 ? [] : commandLines(parser, command);
    }),
    section('Options'),
    'Every command takes these.',
    ...optionGroups(program),
    ...Object.values(topics).flatMap(topicLines),
    section('Files'),
    ...files.flatMap(([path, use]) => entry(path, use)),
  ];
  return `${lines.join('\n')}\n`;
}

interface TreeNode {
  readonly parser: CommandUnknownOpts;
  readonly words: string;
}

function nodesOf(parent: CommandUnknownOpts, before: string): readonly TreeNode[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .flatMap((parser) => {
      const words = before === '' ? parser.name() : `${before} ${parser.name()}`;
      return [{ parser, words }, ...(parser.commands.length === 0 ? [] : nodesOf(parser, words))];
    });
}

function commandLines(parser: CommandUnknownOpts, command: Command | undefined): readonly string[] {
  const help = parser.createHelp();
  const options = help.visibleOptions(parser).filter(({ long }) => long !== '--help');
  return [
    subsection(help.commandUsage(parser).replace(' [options]', options.length === 0 ? '' : ' [options]')),
    ...filled(parser.description()),
    ...help.visibleArguments(parser).flatMap((argument) => entry(argument.name(), help.argumentDescription(argument))),
    ...options.flatMap((option) => entry(help.optionTerm(option), help.optionDescription(option))),
    ...(command === undefined ? [] : commandEnd(command, parser)),
  ];
}

function commandEnd(command: Command, parser: CommandUnknownOpts): readonly string[] {
  const examples = command.examples.flatMap(([line, purpose]) => [`# ${purpose}`, line]);
  return ['.PP', 'Examples:', ...verbatim(examples), '.PP', ...filled(`Exit status: ${exitNames(command, parser)}.`)];
}

function optionGroups(program: CommandUnknownOpts): readonly string[] {
  const help = program.createHelp();
  const groups = help.groupItems([], help.visibleOptions(program), (option) => option.helpGroupHeading ?? 'Other options:');
  return [...groups].flatMap(([heading, options]) => [
    subsection(heading.replace(/:$/, '')),
    ...options.flatMap((option) => entry(help.optionTerm(option), help.optionDescription(option))),
  ]);
}

const topicLines = ({ title, parts }: Topic): readonly string[] => [
  section(title),
  ...parts.flatMap((part, index) => partLines(part, parts[index - 1])),
];

/** A paragraph macro after a heading would be one too many. */
function partLines(part: TopicPart, before: TopicPart | undefined): readonly string[] {
  if (typeof part === 'string') return [...(typeof before === 'object' && 'heading' in before ? [] : ['.PP']), ...filled(part)];
  if ('heading' in part) return [subsection(part.heading)];
  if ('rows' in part) return part.rows.flatMap(([term, meaning]) => entry(term, meaning));
  const lines = 'listing' in part ? [part.listing] : part.examples.flatMap(([typed, purpose]) => [`# ${purpose}`, typed]);
  return verbatim(lines.flatMap((text) => text.split('\n')));
}

/** The width of source lines, in cells. The reader's terminal breaks lines again. */
const sourceWidth = 66;

/** roff would change these characters, but quotes and dashes must survive being copied into a shell. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x7e) return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  return escapes[character] ?? character;
}

/** Escapes one line, so that roff finds no request and no escape in it. */
export function literal(text: string): string {
  const line = Array.from(text, escaped).join('');
  return line.startsWith('.') ? `\\&${line}` : line;
}

export const filled = (text: string): readonly string[] => wrap(text.trim().replace(/\s+/g, ' '), sourceWidth).map(literal);

export const entry = (term: string, meaning: string): readonly string[] => ['.TP', `\\fB${literal(term)}\\fR`, ...filled(meaning)];

export const verbatim = (lines: readonly string[]): readonly string[] => ['.RS 4', '.EX', ...lines.map(literal), '.EE', '.RE'];

export const section = (title: string): string => `.SH ${literal(title.toUpperCase())}`;
export const subsection = (title: string): string => `.SS ${literal(title)}`;
