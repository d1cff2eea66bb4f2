/** Builds the command tree for Commander from the tables of commands. */
import { type CommandUnknownOpts, Help, Command as Parser } from '@commander-js/extra-typings';
import { completion } from '../commands/completion.ts';
import { help } from '../commands/help.ts';
import { groups, operationCommands, ownCommands } from '../commands/index.ts';
import { UsageError } from '../errors.ts';
import { type Command, type CommandTree, narrowest, type Words, type Work } from './command.ts';
import { exitNames } from './command-exits.ts';
import { stopByThrowing } from './parser-stop.ts';
import { addRootOptions, type Flags } from './root.ts';

interface HelpOutput {
  writeOut(text: string): void;
  readonly width: number;
  /** The fields of a command, for its help. They load the contract, which no run of a command should wait for. */
  readonly fieldsOf?: (words: string) => readonly string[];
}

interface Invocation {
  readonly version: string;
  readonly first: string;
}

export type LaunchCommand = (flags: Flags, command: Command, work: Work) => Promise<void>;

/** Builds only the commands that begin with `first`, or all if none does. Parser messages are thrown as ParserStop, never printed. */
export function createProgram(
  launch: LaunchCommand,
  output: HelpOutput,
  { version, first }: Invocation = { version: '', first: '' },
): CommandTree {
  const program = new Parser('pdi')
    .description('People, companies, investors and dated signals from the Professional Data Intelligence API.')
    .version(version, '-V, --version', 'version of pdi')
    .configureOutput({
      writeOut: (text) => output.writeOut(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => output.width,
    })
    .configureHelp({
      minWidthToWrap: narrowest,
      formatHelp: (command, helper) => commandsFirst(Help.prototype.formatHelp.call(helper, command, helper)),
    })
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'help for a command')
    .helpCommand(false);
  const flags = addRootOptions(program);
  const parserOf = parsersBelow(program);
  const commands = commandsFor(first, () => ({ program, commands }));
  for (const command of commands) {
    const parser = parserOf(command);
    command.define(parser, (work) => launch(flags(), command, work));
    addManual(command, parser, output.fieldsOf?.(command.words));
  }
  stopByThrowing(program);
  refuseBlankValues(program);
  return { program, commands };
}

/** Commands stand before the options, because whoever asks `pdi --help` looks for a command. */
function commandsFirst(help: string): string {
  const blocks = help.split('\n\n');
  const at = blocks.findIndex((block) => block.startsWith('Commands:\n'));
  if (at < 0) return help;
  const [commands = ''] = blocks.splice(at, 1);
  const options = blocks.findIndex((block) => /^(?:\w+ )?[Oo]ptions:\n/.test(block));
  blocks.splice(options, 0, commands.trimEnd());
  return `${blocks.join('\n\n').trimEnd()}\n`;
}

function parsersBelow(program: Parser): (words: Words) => Parser {
  const parsers = new Map<string, Parser>();
  const parserOf = ({ words, summary, description }: Words): Parser => {
    const known = parsers.get(words);
    if (known !== undefined) return known;
    const above = words.includes(' ') ? words.slice(0, words.lastIndexOf(' ')) : undefined;
    const group = groups.find((candidate) => candidate.words === above);
    // `pdi store` is a command, and has other commands below it.
    const parent = parsers.get(above ?? '') ?? (group === undefined ? program : parserOf(group));
    // `pdi help` knows all commands, so groups need no help command of their own.
    const parser = parent.command(words.slice((above?.length ?? -1) + 1)).helpCommand(false);
    parsers.set(words, parser.summary(summary).description(description));
    return parser;
  };
  return parserOf;
}

/** If the first word is a command, the other commands are not needed. */
function commandsFor(first: string, tree: () => CommandTree): readonly Command[] {
  const all = [...Object.values(operationCommands), ...ownCommands];
  const asked = all.filter(({ words }) => words.split(' ')[0] === first);
  return asked.length > 0 ? asked : [...all, completion(tree), help(tree)];
}

/** A blank is a valid delimiter; the reader of that flag refuses an empty one. */
const mayBeBlank: ReadonlySet<string> = new Set(['delimiter']);

/** Makes a command and all below it throw UsageError, naming the flag, for a value that is empty or white space. */
function refuseBlankValues(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const name = option.name();
    if (mayBeBlank.has(name) || !(option.required || option.optional)) continue;
    command.on(`option:${name}`, (value: unknown) => {
      if (typeof value === 'string' && value.trim() === '') throw blank(`--${name}`);
    });
  }
  for (const below of command.commands) refuseBlankValues(below);
}

const blank = (flag: string): UsageError =>
  new UsageError(`${flag}: the value is empty`, { item: flag, hint: 'give it a value, or leave the flag out' });

function addManual(command: Command, parser: CommandUnknownOpts, fields: readonly string[] = []): void {
  parser.addHelpText('after', () => {
    const lines = command.examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
    const width = parser.configureOutput().getOutHelpWidth?.() ?? 80;
    const fold = (text: string) => parser.createHelp().boxWrap(text, width);
    const listed = fields.length === 0 ? '' : `${fold(`Fields: ${fields.join(', ')}.`)}\n\n`;
    const exits = fold(`Exit codes: ${exitNames(command, parser)}; see \`pdi help exit-codes\`.`);
    return `\n${listed}Examples:\n${lines.join('\n')}\n\n${exits}\n${fold('Options that every command takes (output, money, network): `pdi --help`.')}\n`;
  });
}
