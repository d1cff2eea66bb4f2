/** The command tree: one function a word registers it. Nothing heavy loads until a command runs. */
import { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.ts';
import { refuseBlankValues } from './blank-values.ts';
import { addCompletion } from './completion.ts';
import { addConfig } from './config.ts';
import { addFeed } from './feed.ts';
import { addHealth } from './health.ts';
import { addHelpTopics } from './help.ts';
import { narrowest } from './help-width.ts';
import { addInvestors } from './investors.ts';
import type { Launch, Program } from './launch.ts';
import { addLists } from './lists.ts';
import { addNetwork } from './network.ts';
import { stopByThrowing } from './parser-stop.ts';
import { addPerson } from './person.ts';
import { addResolve } from './resolve.ts';
import { addRevenue } from './revenue.ts';
import { addRootOptions, type Flags } from './root.ts';
import { addSandbox } from './sandbox.ts';
import { addSearches } from './searches.ts';
import { addSpend } from './spend.ts';

/** Where help goes, and how wide it may be. */
export interface HelpOutput {
  writeOut(text: string): void;
  readonly width: number;
}

/** By the word that the user types. */
const adders = {
  resolve: addResolve,
  person: addPerson,
  feed: addFeed,
  revenue: addRevenue,
  investors: addInvestors,
  lists: addLists,
  searches: addSearches,
  network: addNetwork,
  health: addHealth,
  config: addConfig,
  spend: addSpend,
  sandbox: addSandbox,
  completion: addCompletion,
  help: addHelpTopics,
} as const;

const isCommand = (word: string): word is keyof typeof adders => Object.hasOwn(adders, word);

/** Those that speak of all commands. */
const needsAll: ReadonlySet<string> = new Set(['completion', 'help']);

/** What is to be registered: where the command comes first, as it mostly does, nobody asks for another one. */
const addersFor = (first: string): readonly ((program: Program, launch: Launch) => void)[] =>
  isCommand(first) && !needsAll.has(first) ? [adders[first]] : Object.values(adders);

/** What of the run decides about the tree. */
export interface Invocation {
  readonly version: string;
  /** The command line's first word. */
  readonly first: string;
}

/**
 * The command tree, as far as a command line with that first word needs it: all of it, unless that is a command's. What the
 * parser has to say is thrown as ParserStop, never printed: run.ts makes a usage error of it.
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
