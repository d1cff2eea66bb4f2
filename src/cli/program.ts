/** The command tree, as Commander has it. */
import { Command } from '@commander-js/extra-typings';
import { addersFor } from '../commands/index.ts';
import type { Context } from '../run/context.ts';
import type { Launch } from '../run/launch.ts';
import { refuseBlankValues } from './blank-values.ts';
import { narrowest } from './help/width.ts';
import { stopByThrowing } from './parser-stop.ts';
import { addRootOptions, type Flags } from './root.ts';

/** Where help goes, and how wide it may be. */
export interface HelpOutput {
  writeOut(text: string): void;
  readonly width: number;
}

/** What of the run decides about the tree. */
export interface Invocation {
  readonly version: string;
  /** The command line's first word. */
  readonly first: string;
}

/**
 * The command tree, as far as a command line with that first word needs it: all of it, unless that is a command's. What the
 * parser has to say is thrown as ParserStop, never printed: the session makes a usage error of it.
 */
export function createProgram(
  launch: (flags: Flags, command: string, work: (context: Context) => Promise<void>) => Promise<void>,
  output: HelpOutput,
  { version, first }: Invocation = { version: '', first: '' },
): Command {
  const program = new Command('pdi')
    .description('People, companies, investors and dated signals from the Professional Data Intelligence API.')
    .version(version, '-V, --version', 'version of pdi')
    .configureOutput({
      writeOut: (text) => output.writeOut(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => output.width,
    })
    .configureHelp({ minWidthToWrap: narrowest })
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'help for a command');
  const flags = addRootOptions(program);
  const start: Launch = (command, work) => launch(flags(), command, work);
  for (const add of addersFor(first)) add(program, start);
  // `pdi help` knows them all: groups need no help command of their own.
  for (const { commands } of program.commands) for (const group of commands) group.helpCommand(false);
  for (const group of program.commands) group.helpCommand(false);
  stopByThrowing(program);
  refuseBlankValues(program);
  return program;
}
