/** Every command's help text is made once, while the program is built, so that help needs no argument parser. */
import { type CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import type { Command } from '../command.ts';
import { exitNames } from '../command-exits.ts';
import { endpointOf } from '../endpoint-of.ts';
import { createProgram } from '../program.ts';

// The names are here, because readers of the pages must not load the commands.
export { topicNames } from './topic-names.ts';

/** Help texts by the command's words, with long lines not yet folded. The text of the program itself is under ''. */
export const helpPages: Readonly<Record<string, string>> = pagesOfWidth(Number.POSITIVE_INFINITY);

export function pagesOfWidth(width: number): Readonly<Record<string, string>> {
  const { program, commands } = createProgram(async () => {});
  const pages: Record<string, string> = {};
  const visit = (parser: CommandUnknownOpts, words: string): void => {
    const command = commands.find((one) => one.words === words);
    if (command !== undefined) parser.addHelpText('after', () => manualOf(command, parser, width));
    pages[words] = pageOf(parser, width);
    for (const below of parser.commands) visit(below, `${words} ${below.name()}`.trim());
  };
  visit(program, '');
  return pages;
}

function pageOf(parser: CommandUnknownOpts, width: number): string {
  let page = '';
  const writeOut = (text: string) => {
    page += text;
  };
  parser
    .configureOutput({ writeOut, getOutHelpWidth: () => width })
    .configureHelp({
      minWidthToWrap: 20,
      formatHelp: (command, helper) => commandsFirst(Help.prototype.formatHelp.call(helper, command, helper)),
    })
    .outputHelp();
  return page;
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

function manualOf(command: Command, parser: CommandUnknownOpts, width: number): string {
  const fold = (text: string) => parser.createHelp().boxWrap(text, width);
  const fields = fieldsOf(command.words);
  const listed = fields.length === 0 ? '' : `${fold(`Fields: ${fields.join(', ')}.`)}\n\n`;
  const lines = command.examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
  const exits = fold(`Exit codes: ${exitNames(command, parser)}; see \`pdi help exit-codes\`.`);
  return `\n${listed}Examples:\n${lines.join('\n')}\n\n${exits}\n${fold('Options that every command takes (output, money, network): `pdi --help`.')}\n`;
}

/** Gives what a command prints, then what it prints only if it is named. A list is named by its members. */
function fieldsOf(words: string): readonly string[] {
  const endpoint = endpointOf.get(words);
  if (endpoint === undefined) return [];
  const { columns, members, stored } = endpoint;
  const origins = stored === true ? ['pdi_source', 'pdi_fetched_at'] : [];
  return [...(members?.columns ?? columns).map(({ name }) => name), ...origins];
}
