/** Answers a shell: what fits at the end of a command line, by the command tree. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { Choices } from '../../cli/choices.ts';
import { storedSettingNames } from '../../cli/root.ts';
import { settings } from '../../config/settings.ts';
import { outputFormats } from '../../output/formats.ts';
import { faultNames } from '../../sandbox/faults.ts';
import { topicNames } from '../help/topic.ts';

/** Candidates may have a description behind a tab; of `files` the shell completes a path, behind `open` no blank follows, `names` hold blanks. */
type Offer = readonly [
  kind: 'words' | 'names' | 'open' | 'files',
  ...candidates: readonly string[],
];

const words = (candidates: readonly string[]): Offer => ['words', ...candidates];

const inputFlags = ['--input', '--add-from', '--delete-from'];

const argumentsAfter: Readonly<Record<string, readonly string[]>> = {
  'config get': storedSettingNames,
  'config unset': storedSettingNames,
  'config set': storedSettingNames,
  [`config set ${settings.output.name}`]: outputFormats,
};

/** `before` are the words behind `pdi`, and `word` is being typed. All are as the shell shows them, with their quotes. */
export async function offerFor(
  program: CommandUnknownOpts,
  before: readonly string[],
  word: string,
  choices: Choices,
): Promise<string> {
  // For bash an equals sign is a word of its own, and it wants the value alone.
  const typed = before.map(unquoted).filter((part) => part !== '=');
  const begun = word === '=' ? '' : unquoted(word);
  const line = read(program, typed);
  const [flag, value] = /^(--[^=]+)=(.*)$/s.exec(begun)?.slice(1) ?? [];
  const open = flag === undefined ? takerOf(line.open, begun) : optionNamed(line, flag);
  if (open !== undefined) {
    const offer = await valueOffer(open, line, value ?? begun, choices);
    return beginningWith(value ?? begun, offer, flag === undefined ? '' : `${flag}=`);
  }
  return beginningWith(begun, begun.startsWith('-') ? flagsOf(line) : wordsOf(line));
}

/** What was typed is never run: quotes and backslashes are taken away. */
const unquoted = (word: string): string => word.replace(/\\(.)|["']/g, '$1');

type ReadLine = ReturnType<typeof read>;

/** Finds the command that was typed, its words (`path`), its arguments (`given`), the `values` of flags, and the flag without one (`open`). */
function read(program: CommandUnknownOpts, typed: readonly string[]) {
  const given: string[] = [];
  const values: (readonly [flag: string, value: string])[] = [];
  let command = program;
  let path = '';
  let open: Option | undefined;
  for (const part of typed) {
    const taking = takerOf(open, part);
    open = undefined;
    if (taking !== undefined) values.push([taking.long ?? '', part]);
    else if (part.startsWith('-')) {
      const [, flag = part, value] = /^(--?[^=]+)=(.*)$/s.exec(part) ?? [];
      const option = optionNamed({ command, program }, flag);
      if (value !== undefined) values.push([option?.long ?? flag, value]);
      else if (option?.required === true || option?.optional === true) open = option;
    } else {
      const child =
        given.length === 0 ? command.commands.find((one) => one.name() === part) : undefined;
      if (child === undefined) given.push(part);
      else [command, path] = [child, `${path} ${part}`.trim()];
    }
  }
  return { program, command, path, given, values, open };
}

/** A flag whose value may be left out takes no other flag for it. */
const takerOf = (open: Option | undefined, word: string): Option | undefined =>
  open?.optional === true && word.startsWith('-') ? undefined : open;

const optionNamed = (
  { command, program }: Record<'command' | 'program', CommandUnknownOpts>,
  name: string,
): Option | undefined =>
  [...command.options, ...program.options].find(
    ({ short, long }) => name === short || name === long,
  );

async function valueOffer(
  option: Option,
  { path, values }: ReadLine,
  value: string,
  choices: Choices,
): Promise<Offer> {
  const done = /^.*,/s.exec(value)?.[0] ?? '';
  const listed = (names: readonly string[]) => names.map((name) => done + name);
  if (option.flags.endsWith(' <file>')) return ['files'];
  switch (option.long) {
    case '--profile':
      return words([...choices.config().profiles.keys()]);
    case '--output':
      return words(outputFormats);
    case '--fault':
      return words(faultNames);
    case '--fields':
      return ['open', ...listed((await choices.texts()).fieldsOf(path))];
    case '--column':
      return ['names', ...listed(await columnsAt(values, choices.io.homeDirectory))];
    default:
      return words(option.argChoices ?? []);
  }
}

async function columnsAt(
  values: ReadLine['values'],
  home: string | undefined,
): Promise<readonly string[]> {
  const [, file = ''] = values.findLast(([flag]) => inputFlags.includes(flag)) ?? [];
  if (file === '') return [];
  const [, sheet] = values.findLast(([flag]) => flag === '--sheet') ?? [];
  const { columnNames } = await import('./column-names.ts');
  return columnNames(
    home !== undefined && file.startsWith('~/') ? home + file.slice(1) : file,
    sheet,
  );
}

function flagsOf({ program, command }: ReadLine): Offer {
  const options = [...(command === program ? [] : command.options), ...program.options].filter(
    ({ hidden }) => !hidden,
  );
  const flags = options.flatMap(({ short, long, description }) =>
    [short, long].flatMap((name) => (name === undefined ? [] : [`${name}\t${description}`])),
  );
  return words([...flags, '-h\thelp for a command', '--help\thelp for a command']);
}

const described = (commands: readonly CommandUnknownOpts[]): readonly string[] =>
  commands.map((one) => `${one.name()}\t${one.summary() || one.description()}`);

function wordsOf({ program, command, path, given }: ReadLine): Offer {
  if (path === 'help') return helpWords(program, given);
  const after = argumentsAfter[[path, ...given].join(' ')];
  if (after !== undefined) return words(after);
  if (command.registeredArguments.some((argument) => /^(?:file|old|new)$/.test(argument.name())))
    return ['files'];
  const choices =
    given.length > 0
      ? []
      : command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return words([...described(command.commands), ...choices]);
}

function helpWords(program: CommandUnknownOpts, rest: readonly string[]): Offer {
  const { command, path } = read(program, rest);
  const commands = command.commands.filter((one) => path !== '' || one.name() !== 'help');
  const topics =
    path === '' ? topicNames.filter((topic) => commands.every((one) => one.name() !== topic)) : [];
  return words([...described(commands), ...topics]);
}

const beginningWith = (word: string, [kind, ...candidates]: Offer, prefix = ''): string =>
  [
    kind,
    ...candidates
      .filter((candidate) => candidate.startsWith(word))
      .map((candidate) => prefix + candidate),
    '',
  ].join('\n');
