/** Why the argument parser stopped, and at which command: its own errors do not say whose options or arguments they are about. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CommanderError } from 'commander';

/** Thrown instead of ending the process, for help and version as well: those have exit code 0. */
export class ParserStop extends Error {
  constructor(
    readonly reason: CommanderError,
    /** As it is typed, without flags and arguments: `pdi lists people`. */
    readonly command: string,
  ) {
    super(reason.message);
  }
}

/** Makes a command and all below it throw `ParserStop`. */
export function stopByThrowing(command: CommandUnknownOpts, above = ''): void {
  const path = `${above}${command.name()}`;
  command.exitOverride((reason) => {
    throw new ParserStop(reason, path);
  });
  for (const below of command.commands) stopByThrowing(below, `${path} `);
}
