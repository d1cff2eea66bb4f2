/** Records why and at which command the argument parser stopped, because the parser's own errors do not name the command. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CommanderError } from 'commander';

/** Thrown instead of ending the process, also for help and version, which have exit code 0. */
export class ParserStop extends Error {
  constructor(
    readonly reason: CommanderError,
    /** The command without flags and arguments: `pdi lists people`. */
    readonly command: string,
    /** They stand after the command and are no flags of it. */
    readonly words: readonly string[],
  ) {
    super(reason.message);
  }
}

export function stopByThrowing(command: CommandUnknownOpts, above = ''): void {
  const path = `${above}${command.name()}`;
  command.exitOverride((reason) => {
    throw new ParserStop(reason, path, command.args);
  });
  for (const below of command.commands) stopByThrowing(below, `${path} `);
}
