/** Adds examples and exit codes to the `--help` of a command. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command } from '../command.ts';
import { exitNames } from '../command-exits.ts';

export function addManual(command: Command, parser: CommandUnknownOpts, fields: readonly string[] = []): void {
  parser.addHelpText('after', () => {
    const lines = command.examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
    const width = parser.configureOutput().getOutHelpWidth?.() ?? 80;
    const fold = (text: string) => parser.createHelp().boxWrap(text, width);
    const listed = fields.length === 0 ? '' : `${fold(`Fields: ${fields.join(', ')}.`)}\n\n`;
    const exits = fold(`Exit codes: ${exitNames(command, parser)}; see \`pdi help exit-codes\`.`);
    return `\n${listed}Examples:\n${lines.join('\n')}\n\n${exits}\n${fold('Options that every command takes (output, money, network): `pdi --help`.')}\n`;
  });
}
