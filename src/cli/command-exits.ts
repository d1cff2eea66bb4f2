/** The exit codes in a command's help: derived from what the command does, so that no list has to be kept true by hand. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { operationCommands, type PdiCommand } from '../commands/index.ts';
import type { FailureCode } from '../errors.ts';
import { exitTable } from '../exit.ts';

/** Any command; 1 (a bug, a full disk) is any command's too and told by `pdi help exit-codes` alone. */
const always = ['ok', 'usage'] as const;

/**
 * Any command that calls: client/failure.ts tells failures apart by the answer alone, whatever the operation and its price. So a
 * wrong base URL is 404, and OUT_OF_CREDITS ends a free call as well.
 */
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

/** A command that takes an input file has rows, which may fail one by one; a change of a list may be carried out in part. */
const mayBePartial = (parser: CommandUnknownOpts): boolean => parser.options.some(({ long }) => long === '--input' || long === '--add');

/** `0 ok, 2 usage, …`, by number; `parser` has the options of `command`. */
export function exitNames(command: PdiCommand, parser: CommandUnknownOpts): string {
  const own = callsService(command) ? ofCalls : (command.exits ?? []);
  return [...always, ...own, ...(mayBePartial(parser) ? (['partial'] as const) : [])]
    .map((code) => exitTable[code])
    .toSorted((one, other) => one.exit - other.exit)
    .map(({ exit, name }) => `${exit} ${name}`)
    .join(', ');
}

const calling: readonly PdiCommand[] = Object.values(operationCommands);

/** Whether a command asks the service anything: for an operation, or on its way to something else. */
export const callsService = (command: PdiCommand): boolean => command.asksService === true || calling.includes(command);
