/** Builds the command tree for Commander from the tables of commands. */
import {
  type CommandUnknownOpts,
  type Option,
  Command as Parser,
} from '@commander-js/extra-typings';
import type { CommanderError } from 'commander';
import type { Command, Words, Work } from '../cli/command.ts';
import { type Flags, withRootOptions } from '../cli/root.ts';
import { groups, operationCommands } from '../commands/index.ts';
import { camelCase } from '../config/resolve.ts';
import { readAt } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { allCommands } from './commands.ts';

export function createProgram(
  launch: (flags: Flags, command: Command, work: Work) => Promise<void>,
  version = '',
): Parser {
  const silent = () => {};
  const program = new Parser('pdi')
    .description(
      'People, companies, investors and dated signals from the Professional Data Intelligence API.',
    )
    .version(version, '-V, --version', 'version of pdi')
    .configureOutput({ writeOut: silent, writeErr: silent, outputError: silent })
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'help for a command; with --json after it, as data')
    .helpCommand(false);
  const root = withRootOptions(program);
  const parserOf = parsersBelow(program);
  for (const command of allCommands) {
    const parser = parserOf(command);
    command.define(parser, (work) => {
      refuseIdleFlags(command, parser, root.opts());
      return launch(root.opts(), command, work);
    });
  }
  prepare(program, new Set([...flagsOf(program), '-h', '--help', '--']));
  return program;
}

const flagsOf = (command: CommandUnknownOpts): readonly (string | undefined)[] => [
  ...command.options.flatMap(({ short, long }) => [short, long]),
  ...command.commands.flatMap(flagsOf),
];

/** Why and where the parser stopped. It is thrown instead of ending the process, also for help and version, which have exit code 0. */
export class ParserStop extends Error {
  constructor(
    readonly reason: CommanderError,
    /** The command without flags and arguments: `pdi lists people`. */
    readonly command: string,
    readonly words: readonly string[],
    /** Those that were read until then. */
    readonly flags: Readonly<Record<string, unknown>> = {},
  ) {
    super(reason.message);
  }
}

/** The parser's own errors do not name the command. */
function prepare(
  command: CommandUnknownOpts,
  flags: ReadonlySet<string | undefined>,
  above = '',
): void {
  const path = `${above}${command.name()}`;
  command.exitOverride((reason) => {
    if (reason.code === 'commander.helpDisplayed') refuseUnknownWord(command);
    throw new ParserStop(reason, path, command.args, command.optsWithGlobals());
  });
  for (const option of command.options) checkValues(command, option, flags);
  for (const below of command.commands) prepare(below, flags, `${path} `);
}

/** Asked for help of a word that it does not know, the parser would show the page of the command above. */
function refuseUnknownWord(command: CommandUnknownOpts): void {
  const [word = ''] = command.args;
  if (command.commands.length === 0 || word === '' || word.startsWith('-')) return;
  command.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
}

/** The parser takes a blank for a value, and another flag, also a misspelt one, which then is not obeyed; the readers of values do not know their flag. */
function checkValues(
  command: CommandUnknownOpts,
  option: Option,
  flags: ReadonlySet<string | undefined>,
): void {
  const flag = `--${option.name()}`;
  const { parseArg } = option;
  const isWord = option.argChoices !== undefined;
  if (parseArg !== undefined)
    option.parseArg = (text, before) =>
      readAt(flag, () => parseArg(isWord ? text.toLowerCase() : text, before));
  // A blank is a valid delimiter; the reader of that flag refuses an empty one.
  if (flag === '--delimiter' || !(option.required || option.optional)) return;
  command.on(`option:${option.name()}`, (value: unknown) => {
    if (
      typeof value !== 'string' ||
      (value.trim() !== '' && !flags.has(value) && !/^--[a-z]/i.test(value))
    )
      return;
    const problem = value.trim() === '' ? 'the value is empty' : `${value} is a flag, not a value`;
    throw new UsageError(`${flag}: ${problem}`, {
      item: flag,
      hint: 'give it a value, or leave the flag out',
    });
  });
}

function parsersBelow(program: Parser): (words: Words) => Parser {
  const parsers = new Map([['', program]]);
  const parserOf = ({ words, summary, description }: Words): Parser => {
    const end = words.lastIndexOf(' ');
    const above = words.slice(0, Math.max(0, end));
    const group = groups.find((candidate) => candidate.words === above);
    // `pdi store` is a command, and has other commands below it.
    const parent = parsers.get(above) ?? (group === undefined ? program : parserOf(group));
    // `pdi help` knows all commands, so groups need no help command of their own.
    const parser = parent.command(words.slice(end + 1)).helpCommand(false);
    parsers.set(words, parser.summary(summary).description(description));
    return parser;
  };
  return parserOf;
}

/** Which commands use the flags that not all do. A cap on what is free holds by itself, so a price makes no difference. */
const used: readonly (readonly [
  flags: string,
  by: (command: Command, parser: CommandUnknownOpts) => boolean,
])[] = [
  ['--on-error --restart', (_, parser) => parser.options.some(({ long }) => long === '--input')],
  ['--max-billable --rate --concurrency --retries --fresh --retry-unknown --tag', asks],
  ['--budget', (command) => asks(command) || command.words === 'spend'],
  ['--fail-if-empty', (command) => asks(command) || prints(command)],
  [
    '--fields --explode --where --query --no-header --delimiter --bom --no-formula-guard --text-ids --with-input',
    prints,
  ],
  [
    '--timeout --max-wait --base-url --allow-http --max-age',
    ({ words }) => !ofNoService.test(words),
  ],
];

const ofNoService = /^(?:convert|diff|help|completion|sandbox|config (?:path|profiles))$/;

function asks(command: Command): boolean {
  return callsService(command) || command.words === 'mcp';
}

function prints(command: Command): boolean {
  const { words, fields } = command;
  return callsService(command) || fields !== undefined || /^(?:convert|store export)$/.test(words);
}

/** What does nothing would be believed to do something. @throws UsageError naming the flag */
function refuseIdleFlags(
  command: Command,
  parser: CommandUnknownOpts,
  flags: Readonly<Record<string, unknown>>,
): void {
  const isTyped = (flag: string): boolean =>
    flag.startsWith('--no-')
      ? flags[camelCase(flag.slice(5))] === false
      : flags[camelCase(flag.slice(2))] !== undefined;
  for (const [names, isUsed] of used) {
    const flag = names.split(' ').find(isTyped);
    if (flag === undefined || isUsed(command, parser)) continue;
    throw new UsageError(`${flag} does nothing for pdi ${command.words}`, {
      item: flag,
      hint: 'nothing was sent; leave it out',
    });
  }
}

export const callsService = (command: Command): boolean =>
  command.asksService === true || Object.values<Command>(operationCommands).includes(command);
