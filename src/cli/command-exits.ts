/** Derives the exit codes in a command's help from what the command does, so that no list must be kept correct by hand. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { operationCommands } from '../commands/index.ts';
import { exitTable, type FailureCode } from '../exit.ts';
import type { Command } from './command.ts';

/** Every command can also end with 1 (a bug, a full disk), which only `pdi help exit-codes` tells. */
const always = ['ok', 'usage'] as const;

/** client/failure.ts judges only the answer, so any command may get these: a wrong base URL is 404, OUT_OF_CREDITS ends free calls too. */
const ofCalls = [
  'auth',
  'not_found',
  'unavailable',
  'rate_limited',
  'credits',
  'hung_up',
  'interrupted',
  'terminated',
] as const satisfies readonly FailureCode[];

/** Gives `0 ok, 2 usage, …`, ordered by number; `parser` has the options of `command`. */
export function exitNames(command: Command, parser: CommandUnknownOpts): string {
  const own = callsService(command) ? ofCalls : (command.exits ?? []);
  // Rows of an input file may fail one by one, and a list may be changed only in part.
  const mayBePartial = parser.options.some(({ long }) => long === '--input' || long === '--add');
  return [...always, ...own, ...(mayBePartial ? (['partial'] as const) : [])]
    .map((code) => exitTable[code])
    .toSorted((one, other) => one.exit - other.exit)
    .map(({ exit, name }) => `${exit} ${name}`)
    .join(', ');
}

const calling: readonly Command[] = Object.values(operationCommands);

export const callsService = (command: Command): boolean => command.asksService === true || calling.includes(command);
